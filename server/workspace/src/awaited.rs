//! Edits that an editor was asked to apply, held against what it then reports.
//!
//! An editor's "applied" is not proof. Neovim answers so when it has skipped a document that is
//! newer than the edit, and checks neither the version 0 nor any document but an edit's first, so
//! that an edit of the old text can land in the wrong places of a newer one.

use std::sync::Arc;

use text::{Change, PositionEncoding, Text};

use crate::DocumentEdit;

/// States of a document that are kept to compare with; a person types few while an edit travels.
const STATES: usize = 64;

/// What the editor's reports say of an edit.
#[derive(Debug, Clone)]
pub(crate) enum Landing {
    /// Nothing yet.
    Unseen,
    /// The text became what it was meant to be.
    Whole,
    /// The edit was applied to a newer text, by the positions of the older one.
    Misplaced {
        /// The newer text without the edit.
        before: Text,
        /// The same with it.
        landed: Text,
    },
    /// The document changed, but not by this edit.
    Absent,
}

/// One document's edit on its way.
pub(crate) struct Awaited {
    pub(crate) key: Arc<str>,
    pub(crate) edit: DocumentEdit,
    after: Text,
    states: Vec<Text>,
    landing: Landing,
}

impl Awaited {
    pub(crate) fn new(key: Arc<str>, edit: DocumentEdit, after: &str) -> Self {
        let states = vec![edit.text.clone()];
        Self { key, edit, after: Text::new(after), states, landing: Landing::Unseen }
    }

    /// The text that the edit makes.
    pub(crate) fn after(&self) -> &Text {
        &self.after
    }

    pub(crate) fn landing(&self) -> &Landing {
        &self.landing
    }

    /// Takes note of a text that the client's changes lead to.
    pub(crate) fn reported(&mut self, text: &Text, encoding: PositionEncoding) {
        if matches!(self.landing, Landing::Whole | Landing::Misplaced { .. }) {
            return;
        }
        if same(text, &self.after) {
            self.landing = Landing::Whole;
            return;
        }
        let misplaced =
            self.states.iter().skip(1).find(|state| same(&self.by_position(state, encoding), text));
        if let Some(before) = misplaced {
            self.landing = Landing::Misplaced { before: before.clone(), landed: text.clone() };
            return;
        }
        if self.is_untouched(text) {
            self.landing = Landing::Absent;
        }
        if self.states.len() < STATES {
            self.states.push(text.clone());
        }
    }

    /// What the edit makes of another state, taken by line and character.
    fn by_position(&self, state: &Text, encoding: PositionEncoding) -> Text {
        let mut text = state.clone();
        for (span, new) in self.edit.edits.iter().rev() {
            let range = self.edit.text.range(span.clone(), encoding);
            text.apply(&Change { range: Some(range), text: new.clone() }, encoding);
        }
        text
    }

    /// Whether all that differs from the text of the edit lies outside its spans.
    fn is_untouched(&self, text: &Text) -> bool {
        let Some((changed, _)) = self.edit.text.difference(text) else { return true };
        self.edit.edits.iter().all(|(span, _)| span.end < changed.start || changed.end < span.start)
    }
}

fn same(a: &Text, b: &Text) -> bool {
    a.len() == b.len() && a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "a = 1\nb = 2\n";
    const AFTER: &str = "a = 1\nb = 20\n";

    fn landing(reported: &[&str]) -> Landing {
        let text = Text::new(BEFORE);
        let edit = DocumentEdit {
            uri: "file:///a".into(),
            version: 1,
            text,
            edits: vec![(10..11, "20".into())],
        };
        let mut awaited = Awaited::new("file:///a".into(), edit, AFTER);
        for text in reported {
            awaited.reported(&Text::new(text), PositionEncoding::Utf8);
        }
        awaited.landing().clone()
    }

    #[test]
    fn an_edit_that_landed_is_seen_whatever_is_typed_after_it() {
        assert!(matches!(landing(&[]), Landing::Unseen));
        assert!(matches!(landing(&[AFTER]), Landing::Whole));
        assert!(matches!(landing(&[AFTER, "# typed\na = 1\nb = 20\n"]), Landing::Whole));
    }

    #[test]
    fn an_edit_that_was_skipped_is_absent() {
        assert!(matches!(landing(&["# typed\na = 1\nb = 2\n"]), Landing::Absent));
        assert!(matches!(landing(&["x", BEFORE]), Landing::Absent));
    }

    #[test]
    fn an_edit_in_the_wrong_place_is_known_with_what_was_there() {
        let typed = "# typed\na = 1\nb = 2\n";
        let Landing::Misplaced { before, .. } = landing(&[typed, "# typed\na = 20\nb = 2\n"])
        else {
            panic!("not seen: {:?}", landing(&[typed, "# typed\na = 20\nb = 2\n"]));
        };
        assert_eq!(before.to_string(), typed);
    }

    #[test]
    fn an_edit_of_a_text_that_has_changed_is_not_asked_for() {
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
        let typed = Change { range: None, text: "# typed\na = 1\nb = 2\n".into() };
        workspace.change("file:///a.txt", 1, &[typed], PositionEncoding::Utf16).unwrap();
        assert!(!workspace.await_edits(std::iter::once((&old, AFTER))));
        let new = edit(&workspace);
        assert!(workspace.await_edits(std::iter::once((&new, "# typed\na = 1\nb = 20\n"))));
        workspace.close("file:///a.txt");
        assert!(!workspace.await_edits(std::iter::once((&new, AFTER))));
    }
}
