//! Edits sent to the editor, checked against the document changes that it reports afterwards.
//!
//! An `applied: true` response is not proof. Neovim returns it even if it skipped a document that
//! is newer than the edit; it does not check version 0, and checks only the first document of an
//! edit. An edit computed for an old text can thus be applied at wrong positions of a newer one.

use std::sync::Arc;

use text::{ContentChange, PositionEncoding, Text};

use crate::DocumentEdit;

/// Maximum number of document texts kept per edit. A person types few while an edit is in flight.
const MAX_TEXTS: usize = 64;

/// What the editor's reported changes reveal about an edit.
#[derive(Debug, Clone)]
pub(crate) enum EditOutcome {
    /// No change was reported yet.
    NotReported,
    /// The text became the expected one.
    Applied,
    /// The edit was applied to a newer text at the positions of the older one.
    Misplaced {
        /// The newer text before the edit.
        before: Text,
        /// The newer text after the edit.
        after: Text,
    },
    /// The document changed, but not by this edit.
    NotApplied,
}

/// An edit of one document that the editor was asked to apply.
pub(crate) struct PendingEdit {
    pub(crate) key: Arc<str>,
    pub(crate) edit: DocumentEdit,
    after: Text,
    texts: Vec<Text>,
    outcome: EditOutcome,
}

impl PendingEdit {
    pub(crate) fn new(key: Arc<str>, edit: DocumentEdit, after: &str) -> Self {
        let texts = vec![edit.text.clone()];
        Self { key, edit, after: Text::new(after), texts, outcome: EditOutcome::NotReported }
    }

    /// The expected text.
    pub(crate) fn after(&self) -> &Text {
        &self.after
    }

    pub(crate) fn outcome(&self) -> &EditOutcome {
        &self.outcome
    }

    /// Updates the outcome with a text that the client reported.
    pub(crate) fn observe(&mut self, text: &Text, encoding: PositionEncoding) {
        if matches!(self.outcome, EditOutcome::Applied | EditOutcome::Misplaced { .. }) {
            return;
        }
        if is_same_text(text, &self.after) {
            self.outcome = EditOutcome::Applied;
            return;
        }
        // The first text is the edit's own base; the later ones are those that it must not be
        // applied to.
        let misplaced = self
            .texts
            .iter()
            .skip(1)
            .find(|base| is_same_text(&self.apply_by_position(base, encoding), text));
        if let Some(before) = misplaced {
            self.outcome = EditOutcome::Misplaced { before: before.clone(), after: text.clone() };
            return;
        }
        if self.differs_only_outside_edit(text) {
            self.outcome = EditOutcome::NotApplied;
        }
        if self.texts.len() < MAX_TEXTS {
            self.texts.push(text.clone());
        }
    }

    /// Applies the edit to another text at the same lines and characters.
    fn apply_by_position(&self, text: &Text, encoding: PositionEncoding) -> Text {
        let mut text = text.clone();
        for (span, new) in self.edit.edits.iter().rev() {
            let range = self.edit.text.range(span.clone(), encoding);
            text.apply(&ContentChange { range: Some(range), text: new.clone() }, encoding);
        }
        text
    }

    /// Whether `text` differs from the edit's base only outside the edited spans.
    fn differs_only_outside_edit(&self, text: &Text) -> bool {
        let Some((changed, _)) = self.edit.text.difference(text) else { return true };
        self.edit.edits.iter().all(|(span, _)| span.end < changed.start || changed.end < span.start)
    }
}

fn is_same_text(a: &Text, b: &Text) -> bool {
    a.len() == b.len() && a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "a = 1\nb = 2\n";
    const AFTER: &str = "a = 1\nb = 20\n";

    fn outcome(observe: &[&str]) -> EditOutcome {
        let text = Text::new(BEFORE);
        let edit = DocumentEdit {
            uri: "file:///a".into(),
            version: 1,
            text,
            edits: vec![(10..11, "20".into())],
        };
        let mut awaited = PendingEdit::new("file:///a".into(), edit, AFTER);
        for text in observe {
            awaited.observe(&Text::new(text), PositionEncoding::Utf8);
        }
        awaited.outcome().clone()
    }

    #[test]
    fn an_applied_edit_is_recognized_whatever_is_typed_after_it() {
        assert!(matches!(outcome(&[]), EditOutcome::NotReported));
        assert!(matches!(outcome(&[AFTER]), EditOutcome::Applied));
        assert!(matches!(outcome(&[AFTER, "# typed\na = 1\nb = 20\n"]), EditOutcome::Applied));
    }

    #[test]
    fn a_skipped_edit_is_recognized() {
        assert!(matches!(outcome(&["# typed\na = 1\nb = 2\n"]), EditOutcome::NotApplied));
        assert!(matches!(outcome(&["x", BEFORE]), EditOutcome::NotApplied));
    }

    #[test]
    fn a_misplaced_edit_is_recognized_with_the_text_before_it() {
        let typed = "# typed\na = 1\nb = 2\n";
        let EditOutcome::Misplaced { before, .. } = outcome(&[typed, "# typed\na = 20\nb = 2\n"])
        else {
            panic!("not seen: {:?}", outcome(&[typed, "# typed\na = 20\nb = 2\n"]));
        };
        assert_eq!(before.to_string(), typed);
    }

    #[test]
    fn an_edit_of_an_outdated_text_is_not_registered() {
        let workspace = crate::Workspace::new(Vec::new());
        workspace.open("file:///a.txt", "plaintext", 0, BEFORE);
        let edit = |workspace: &crate::Workspace| {
            let document = workspace.snapshot().document("file:///a.txt").unwrap().clone();
            DocumentEdit {
                uri: document.uri().clone(),
                version: document.version(),
                text: document.text().clone(),
                edits: vec![(10..11, "20".into())],
            }
        };
        let old = edit(&workspace);
        assert!(workspace.await_edits(std::iter::once((&old, AFTER))));
        let typed = ContentChange { range: None, text: "# typed\na = 1\nb = 2\n".into() };
        workspace.change("file:///a.txt", 1, &[typed], PositionEncoding::Utf16).unwrap();
        assert!(!workspace.await_edits(std::iter::once((&old, AFTER))));
        let new = edit(&workspace);
        assert!(workspace.await_edits(std::iter::once((&new, "# typed\na = 1\nb = 20\n"))));
        workspace.close("file:///a.txt");
        assert!(!workspace.await_edits(std::iter::once((&new, AFTER))));
    }
}
