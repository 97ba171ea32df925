//! What may be done: one engine for all front ends, by effect.

mod visible;

use workspace::{Answer, FilePath, Hash, Question, Snapshot};

use crate::{Code, Context, Effect, EffectKind, Target, ToolError};

/// The rules in force.
pub struct Policy;

/// What one call may do.
pub(crate) struct Leave {
    approved: Vec<(FilePath, Option<Hash>)>,
}

impl Leave {
    pub(crate) fn approved(&self, path: &FilePath) -> Option<Option<Hash>> {
        self.approved.iter().find(|(approved, _)| approved == path).map(|(_, hash)| *hash)
    }
}

impl Policy {
    /// The user's settings, tightened by those of the workspace that `snapshot` is of.
    #[must_use]
    pub fn of(_: &Snapshot) -> Self {
        Self
    }

    /// Whether files may be looked at.
    pub(crate) fn may_read(&self, _: &FilePath) -> bool {
        true
    }

    /// Decides on a call, asking the person where the rules say so.
    pub(crate) fn decide(
        &self,
        context: &Context<'_>,
        tool: &str,
        effects: &[Effect],
    ) -> Result<Leave, ToolError> {
        for effect in effects {
            let (Target::Path(path) | Target::Tree(path)) = &effect.target else { continue };
            if effect.kind == EffectKind::Read || !path.is_guarded() {
                continue;
            }
            let shown = visible::visible(&path.shown());
            let text =
                format!("{tool} wants to write {shown}. Programs run what is written there.");
            match context.editor.ask(&Question { text }) {
                Some(Answer::Once | Answer::Session | Answer::Always) => {}
                Some(Answer::Deny) => {
                    let message = format!("{shown}: the person said no");
                    return Err(ToolError::new(Code::Denied, message));
                }
                None => {
                    return Err(ToolError::new(
                        Code::Denied,
                        format!(
                            "{shown}: writing there needs a person's leave, and nobody could be asked"
                        ),
                    ));
                }
            }
        }
        Ok(Leave { approved: Vec::new() })
    }
}
