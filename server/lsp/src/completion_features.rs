//! What of completion the client can take.

use tower_lsp_server::ls_types::{CompletionClientCapabilities, CompletionItemTag, MarkupKind};

/// What the client takes of what can be said of a candidate.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct CompletionFeatures {
    pub(crate) snippets: bool,
    pub(crate) insert_replace: bool,
    pub(crate) label_details: bool,
    pub(crate) commit_characters: bool,
    pub(crate) markdown: bool,
    /// How it is told what is deprecated.
    pub(crate) tags: bool,
    pub(crate) deprecated: bool,
    /// Whether further edits may be left to resolving.
    pub(crate) late_edits: bool,
}

impl CompletionFeatures {
    pub(crate) fn of(client: Option<&CompletionClientCapabilities>) -> Self {
        let Some(item) = client.and_then(|c| c.completion_item.as_ref()) else {
            return Self::default();
        };
        let says = |said: Option<bool>| said.unwrap_or(false);
        let late = |name: &str| {
            let late = item.resolve_support.as_ref();
            late.is_some_and(|s| s.properties.iter().any(|p| p == name))
        };
        Self {
            snippets: says(item.snippet_support),
            insert_replace: says(item.insert_replace_support),
            label_details: says(item.label_details_support),
            commit_characters: says(item.commit_characters_support),
            tags: item.tag_support.as_ref().is_some_and(|tags| {
                let known = &tags.value_set;
                known.is_empty() || known.contains(&CompletionItemTag::DEPRECATED)
            }),
            deprecated: says(item.deprecated_support),
            markdown: item
                .documentation_format
                .as_ref()
                .is_some_and(|kinds| kinds.contains(&MarkupKind::Markdown)),
            late_edits: late("additionalTextEdits"),
        }
    }
}
