//! The editor behind the client, as the tools see it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tower_lsp_server::ls_types::{
    DocumentChanges, MessageActionItem, MessageType, OneOf,
    OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use workspace::{Answer, DocumentEdit, Editor, EditorError, Question, Shown};

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::ingress::Gate;
use crate::session::Session;

/// Reaches the client from a thread that may block.
pub(crate) struct LspEditor {
    pub(crate) session: Arc<Session>,
    pub(crate) runtime: Handle,
    /// Set once nobody waits for the tool any more.
    pub(crate) interrupt: Arc<AtomicBool>,
    pub(crate) gate: Arc<Gate>,
}

/// How long an editor may take to apply an edit.
const APPLY: Duration = Duration::from_secs(20);
/// How long a person may take to answer.
const ANSWER: Duration = Duration::from_secs(120);

const ALLOW: &str = "Allow once";
const DENY: &str = "Deny";

/// How often it is looked whether the answer is still wanted.
const LOOK: Duration = Duration::from_millis(10);

impl LspEditor {
    /// The client's answer; `None` after `limit`, or once nobody wants it any more.
    fn wait<T>(&self, limit: Duration, answer: impl Future<Output = T>) -> Option<T> {
        self.runtime.block_on(async {
            let given_up = async {
                while !self.interrupt.load(Ordering::Relaxed) {
                    tokio::time::sleep(LOOK).await;
                }
            };
            tokio::select! {
                answer = answer => Some(answer),
                () = tokio::time::sleep(limit) => None,
                () = given_up => None,
            }
        })
    }

    fn edits(&self, edit: &DocumentEdit) -> Vec<TextEdit> {
        off_line_endings(edit)
            .into_iter()
            .map(|(span, new_text)| TextEdit {
                range: range_to_lsp(&edit.text, span, self.session.encoding),
                new_text,
            })
            .collect()
    }

    fn workspace_edit(&self, edits: &[DocumentEdit]) -> Option<WorkspaceEdit> {
        if !self.session.features.versioned_edits {
            let mut changes = HashMap::new();
            for edit in edits {
                changes.insert(uri_to_lsp(&edit.uri)?, self.edits(edit));
            }
            return Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() });
        }
        let mut documents = Vec::new();
        for edit in edits {
            documents.push(TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier {
                    uri: uri_to_lsp(&edit.uri)?,
                    version: Some(edit.version),
                },
                edits: self.edits(edit).into_iter().map(OneOf::Left).collect(),
            });
        }
        Some(WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(documents)),
            ..WorkspaceEdit::default()
        })
    }
}

/// The edits with their spans widened off the insides of CRLF, where no position can point.
/// Edits that touch are joined, so that widening makes none overlap.
fn off_line_endings(edit: &DocumentEdit) -> Vec<(Range<usize>, String)> {
    let inside = |at: usize| at > 0 && &*edit.text.slice(at - 1..at + 1) == "\r\n";
    let mut joined: Vec<(Range<usize>, String)> = Vec::new();
    for (span, new) in &edit.edits {
        match joined.last_mut() {
            Some((last, text)) if last.end == span.start && inside(span.start) => {
                last.end = span.end;
                text.push_str(new);
            }
            _ => joined.push((span.clone(), new.clone())),
        }
    }
    for (span, new) in &mut joined {
        if inside(span.start) {
            span.start -= 1;
            new.insert(0, '\r');
        }
        if inside(span.end) {
            span.end += 1;
            new.push('\n');
        }
    }
    joined
}

impl Editor for LspEditor {
    fn can_apply(&self) -> bool {
        self.session.features.apply_edit
    }

    fn apply(&self, label: &str, edits: &[DocumentEdit]) -> Result<(), EditorError> {
        if !self.can_apply() {
            return Err(EditorError::Unsupported);
        }
        let edit = self.workspace_edit(edits).ok_or(EditorError::Unsupported)?;
        tracing::debug!("{label}: {} documents change in the editor", edits.len());
        match self.wait(APPLY, self.session.client.apply_edit(edit)) {
            None => Err(EditorError::NoAnswer),
            Some(Err(error)) => Err(EditorError::Refused(Some(error.message.into_owned()))),
            Some(Ok(response)) if response.applied => Ok(()),
            Some(Ok(response)) => Err(EditorError::Refused(response.failure_reason)),
        }
    }

    fn commit(&self) -> bool {
        self.gate.commit()
    }

    fn ask(&self, question: &Question) -> Option<Answer> {
        if !self.session.features.show_message_request {
            return None;
        }
        let action =
            |title: &str| MessageActionItem { title: title.to_owned(), properties: HashMap::new() };
        let actions = vec![action(ALLOW), action(DENY)];
        let asked = self.session.client.show_message_request(
            MessageType::WARNING,
            &question.text,
            Some(actions),
        );
        let answer = self.wait(ANSWER, asked)?.ok()??;
        Some(if answer.title == ALLOW { Answer::Once } else { Answer::Deny })
    }

    fn show(&self, _: &Shown) -> Result<(), EditorError> {
        Err(EditorError::Unsupported)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_never_point_inside_crlf() {
        let check = |text: &str, edits: &[(Range<usize>, &str)], want: &[(Range<usize>, &str)]| {
            let own = |edits: &[(Range<usize>, &str)]| -> Vec<(Range<usize>, String)> {
                edits.iter().map(|(span, new)| (span.clone(), (*new).to_owned())).collect()
            };
            let edit = DocumentEdit {
                uri: "file:///a".into(),
                version: 1,
                text: text::Text::new(text),
                edits: own(edits),
            };
            assert_eq!(off_line_endings(&edit), own(want), "{text:?} {edits:?}");
        };
        check("a\r\nb", &[(2..3, "")], &[(1..3, "\r")]);
        check("a\r\nb", &[(0..2, "x")], &[(0..3, "x\n")]);
        check("a\r\nb", &[(0..2, "x"), (2..4, "y")], &[(0..4, "xy")]);
        check("a\r\nb", &[(0..1, "x"), (3..4, "y")], &[(0..1, "x"), (3..4, "y")]);
        check("a\rb\n", &[(2..2, "x")], &[(2..2, "x")]);
    }
}
