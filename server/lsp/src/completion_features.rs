//! The client's completion capabilities.

use tower_lsp_server::ls_types::{CompletionClientCapabilities, CompletionItemTag, MarkupKind};

/// Which parts of a completion item the client supports.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct CompletionFeatures {
    pub(crate) snippets: bool,
    pub(crate) insert_replace: bool,
    pub(crate) label_details: bool,
    pub(crate) commit_characters: bool,
    pub(crate) markdown: bool,
    /// It marks deprecated items by tag, or by the older flag.
    pub(crate) tags: bool,
    pub(crate) deprecated: bool,
    /// It resolves `additionalTextEdits` lazily.
    pub(crate) lazy_edits: bool,
}

impl CompletionFeatures {
    pub(crate) fn from_capabilities(client: Option<&CompletionClientCapabilities>) -> Self {
        let Some(item) = client.and_then(|c| c.completion_item.as_ref()) else {
            return Self::default();
        };
        let flag = |flag: Option<bool>| flag.unwrap_or(false);
        let resolves = |name: &str| {
            let resolves = item.resolve_support.as_ref();
            resolves.is_some_and(|s| s.properties.iter().any(|p| p == name))
        };
        Self {
            snippets: flag(item.snippet_support),
            insert_replace: flag(item.insert_replace_support),
            label_details: flag(item.label_details_support),
            commit_characters: flag(item.commit_characters_support),
            tags: item.tag_support.as_ref().is_some_and(|tags| {
                let known = &tags.value_set;
                known.is_empty() || known.contains(&CompletionItemTag::DEPRECATED)
            }),
            deprecated: flag(item.deprecated_support),
            markdown: item
                .documentation_format
                .as_ref()
                .is_some_and(|kinds| kinds.contains(&MarkupKind::Markdown)),
            lazy_edits: resolves("additionalTextEdits"),
        }
    }
}
