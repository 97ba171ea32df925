//! Completion items.

use text::Text;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionItemTag,
    CompletionTextEdit, InsertReplaceEdit, InsertTextFormat, Range, TextEdit,
};
use workspace::{CompletionResult, DefinitionKind, Document, Offered, PathCompletion};

use crate::completion_features::CompletionFeatures;
use crate::convert::range_to_lsp;
use crate::session::Session;

/// The kind of snippets for HTML and JSX attributes.
const ATTRIBUTE_KIND: &str = "attribute";

/// What all items of a list share.
pub(super) struct ItemBuilder {
    features: CompletionFeatures,
    /// The typed prefix, and the whole name around the cursor.
    insert: Range,
    replace: Range,
    /// The commit character between a module and its members.
    path_separator: &'static str,
    /// Whether a new name may be typed here.
    naming: bool,
}

impl ItemBuilder {
    pub(super) fn new(session: &Session, document: &Document, found: &CompletionResult) -> Self {
        let text: &Text = document.text();
        let range = |span| range_to_lsp(text, span, session.encoding);
        Self {
            features: session.features.completion,
            insert: range(found.span.clone()),
            replace: range(found.span.start..found.whole),
            path_separator: match document.language().map_or("", |l| l.id()) {
                "rust" | "cpp" => ":",
                _ => ".",
            },
            naming: found.naming,
        }
    }

    pub(super) fn item(&self, offered: &Offered, rank: usize) -> CompletionItem {
        let candidate = &offered.candidate;
        let (mut label, mut new_text) = (candidate.name.clone(), candidate.name.clone());
        if candidate.is_keyword_argument {
            label.push('=');
            new_text.push('=');
        }
        let description = candidate.import.clone().or_else(|| candidate.container.clone());
        let detail = match (&candidate.import, candidate.is_word, candidate.is_certain) {
            (Some(module), ..) => Some(format!("import from {module}")),
            (_, true, _) => Some("word".to_owned()),
            (_, false, false) => Some("not certain".to_owned()),
            (_, false, true) => candidate.signature.map(str::to_owned),
        };
        let deprecated = candidate.deprecated;
        #[allow(deprecated)]
        CompletionItem {
            label,
            tags: (deprecated && self.features.tags).then(|| vec![CompletionItemTag::DEPRECATED]),
            deprecated: (deprecated && !self.features.tags && self.features.deprecated)
                .then_some(true),
            label_details: description
                .filter(|_| self.features.label_details)
                .map(|d| CompletionItemLabelDetails { description: Some(d), detail: None }),
            kind: Some(kind(candidate.kind)),
            sort_text: Some(format!("{rank:04}")),
            filter_text: Some(candidate.name.clone()),
            text_edit: Some(self.edit(new_text)),
            detail,
            commit_characters: self.commit_characters(offered),
            ..CompletionItem::default()
        }
    }

    /// Commit characters, only for certain candidates.
    fn commit_characters(&self, offered: &Offered) -> Option<Vec<String>> {
        let candidate = &offered.candidate;
        let sure = candidate.is_certain && !candidate.is_word && !candidate.is_keyword_argument;
        if !self.features.commit_characters || !sure || self.naming {
            return None;
        }
        let kind = candidate.kind;
        let character = if kind.is_callable() {
            "("
        } else if matches!(kind, DefinitionKind::Module | DefinitionKind::Namespace) {
            self.path_separator
        } else if kind.is_type() || kind == DefinitionKind::Label {
            return None;
        } else {
            "."
        };
        Some(vec![character.to_owned()])
    }

    /// A file or folder that completes a path.
    pub(super) fn path(&self, path: &PathCompletion, rank: usize) -> CompletionItem {
        CompletionItem {
            label: path.name.clone(),
            kind: Some(match path.folder {
                true => CompletionItemKind::FOLDER,
                false => CompletionItemKind::FILE,
            }),
            sort_text: Some(format!("{rank:04}")),
            filter_text: Some(path.name.clone()),
            text_edit: Some(self.edit(path.name.clone())),
            ..CompletionItem::default()
        }
    }

    /// Adds keywords, and snippets if the client supports them.
    pub(super) fn phrases(&self, found: &CompletionResult, items: &mut Vec<CompletionItem>) {
        for phrase in &found.phrases {
            let (kind, format, detail, text) = match &phrase.snippet {
                None => {
                    (CompletionItemKind::KEYWORD, None, None, phrase.label.clone().into_owned())
                }
                // An attribute is useful without its snippet; other snippets are not.
                Some((ATTRIBUTE_KIND, _)) if !self.features.snippets => {
                    (CompletionItemKind::PROPERTY, None, None, phrase.label.clone().into_owned())
                }
                Some((what, text)) if self.features.snippets => (
                    match *what {
                        ATTRIBUTE_KIND => CompletionItemKind::PROPERTY,
                        _ => CompletionItemKind::SNIPPET,
                    },
                    Some(InsertTextFormat::SNIPPET),
                    Some((*what).to_owned()),
                    text.clone(),
                ),
                Some(_) => continue,
            };
            items.push(CompletionItem {
                label: phrase.label.clone().into_owned(),
                kind: Some(kind),
                detail,
                insert_text_format: format,
                sort_text: Some(format!("{:04}", items.len())),
                filter_text: Some(phrase.label.clone().into_owned()),
                text_edit: Some(self.edit(text)),
                ..CompletionItem::default()
            });
        }
    }

    fn edit(&self, new_text: String) -> CompletionTextEdit {
        if self.features.insert_replace && self.insert != self.replace {
            let (insert, replace) = (self.insert, self.replace);
            return CompletionTextEdit::InsertAndReplace(InsertReplaceEdit {
                new_text,
                insert,
                replace,
            });
        }
        CompletionTextEdit::Edit(TextEdit { range: self.insert, new_text })
    }
}

fn kind(kind: DefinitionKind) -> CompletionItemKind {
    use DefinitionKind as K;
    match kind {
        K::Module | K::Namespace | K::Import => CompletionItemKind::MODULE,
        K::Class | K::TypeAlias => CompletionItemKind::CLASS,
        K::Struct => CompletionItemKind::STRUCT,
        K::Interface | K::Trait => CompletionItemKind::INTERFACE,
        K::Enum => CompletionItemKind::ENUM,
        K::EnumMember => CompletionItemKind::ENUM_MEMBER,
        K::TypeParameter => CompletionItemKind::TYPE_PARAMETER,
        K::Function | K::Macro => CompletionItemKind::FUNCTION,
        K::Method => CompletionItemKind::METHOD,
        K::Constructor => CompletionItemKind::CONSTRUCTOR,
        K::Field => CompletionItemKind::FIELD,
        K::Constant => CompletionItemKind::CONSTANT,
        K::Variable | K::Parameter => CompletionItemKind::VARIABLE,
        K::Label => CompletionItemKind::TEXT,
    }
}
