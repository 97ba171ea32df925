//! A candidate as the client's list has it.

use text::Text;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionTextEdit,
    InsertReplaceEdit, Range, TextEdit,
};
use workspace::{Completed, DefinitionKind, Document, Offered};

use crate::completion_features::CompletionFeatures;
use crate::convert::range_to_lsp;
use crate::session::Session;

/// What is the same for all items of a list.
pub(super) struct Site {
    features: CompletionFeatures,
    /// What is typed of the name, and the name as far as it goes on behind the cursor.
    insert: Range,
    replace: Range,
}

impl Site {
    pub(super) fn new(session: &Session, document: &Document, found: &Completed) -> Self {
        let text: &Text = document.text();
        let range = |span| range_to_lsp(text, span, session.encoding);
        Self {
            features: session.features.completion,
            insert: range(found.span.clone()),
            replace: range(found.span.start..found.whole),
        }
    }

    pub(super) fn item(&self, offered: &Offered, rank: usize) -> CompletionItem {
        let candidate = &offered.candidate;
        let (mut label, mut new_text) = (candidate.name.clone(), candidate.name.clone());
        if candidate.keyword {
            label.push('=');
            new_text.push('=');
        }
        let description = candidate.import.clone().or_else(|| candidate.container.clone());
        let detail = match (&candidate.import, candidate.word, candidate.sure) {
            (Some(module), ..) => Some(format!("import from {module}")),
            (_, true, _) => Some("word".to_owned()),
            (_, false, false) => Some("not certain".to_owned()),
            (_, false, true) => None,
        };
        CompletionItem {
            label,
            label_details: description
                .filter(|_| self.features.label_details)
                .map(|d| CompletionItemLabelDetails { description: Some(d), detail: None }),
            kind: Some(kind(candidate.kind)),
            sort_text: Some(format!("{rank:04}")),
            filter_text: Some(candidate.name.clone()),
            text_edit: Some(self.edit(new_text)),
            detail,
            ..CompletionItem::default()
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
