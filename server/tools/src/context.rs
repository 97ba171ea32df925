//! The context of a call.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use workspace::{Budget, Editor, FilePath, Hash, Snapshot, Workspace};

use crate::policy::Leave;
use crate::{Caller, Code, Effect, Session, ToolError};

/// The context of a call.
pub struct Context<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// Its state when the call arrived.
    pub snapshot: Snapshot,
    /// The editor, or a substitute without one.
    pub editor: &'a dyn Editor,
    /// Set when the call is cancelled.
    pub interrupt: &'a AtomicBool,
    /// State that is shared between calls.
    pub session: &'a Session,
    /// The caller.
    pub(crate) caller: Caller,
    leave: OnceLock<(Leave, Vec<Effect>)>,
}

impl<'a> Context<'a> {
    /// A context for a call that arrives now.
    #[must_use]
    pub fn new(
        workspace: &'a Workspace,
        snapshot: Snapshot,
        editor: &'a dyn Editor,
        interrupt: &'a AtomicBool,
        session: &'a Session,
    ) -> Self {
        let (caller, leave) = (Caller::default(), OnceLock::new());
        Self { workspace, snapshot, editor, interrupt, session, caller, leave }
    }

    /// Sets the caller, for calls from another front end than the session's.
    #[must_use]
    pub fn by(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// The same context with another interrupt flag.
    pub(crate) fn until<'b>(&'b self, interrupt: &'b AtomicBool) -> Context<'b> {
        let (caller, leave) = (self.caller.clone(), OnceLock::new());
        Context {
            workspace: self.workspace,
            snapshot: self.snapshot.clone(),
            editor: self.editor,
            interrupt,
            session: self.session,
            caller,
            leave,
        }
    }

    /// A new budget, which ends with this call.
    pub(crate) fn budget(&self) -> Budget<'a> {
        Budget::new(self.interrupt)
    }

    /// An error if the call was cancelled.
    pub(crate) fn check_interrupt(&self, tool: &str) -> Result<(), ToolError> {
        if self.interrupt.load(Ordering::Relaxed) {
            let message = format!("{tool}: cancelled; nothing changed");
            return Err(ToolError::new(Code::Cancelled, message));
        }
        Ok(())
    }

    /// Stores the approval that policy gave to this call.
    pub(crate) fn set_leave(&self, leave: Leave, effects: Vec<Effect>) {
        // Policy decides once a call.
        let _ = self.leave.set((leave, effects));
    }

    /// Whether policy has decided on this effect: tools that find their targets while they work
    /// check them again.
    pub(crate) fn is_granted(&self, effect: &Effect) -> bool {
        let same = |one: &Effect| one.kind == effect.kind && one.target == effect.target;
        self.leave.get().is_some_and(|(_, effects)| effects.iter().any(same))
    }

    /// The hash of the content at `path` that the person approved: `None` if nobody was asked,
    /// `Some(None)` if the file did not exist.
    pub(crate) fn approved(&self, path: &FilePath) -> Option<Option<Hash>> {
        self.leave.get()?.0.approved(path)
    }

    /// Whether changing or deleting `path` needs approval: effects should then carry details.
    pub(crate) fn asks_about(&self, path: &FilePath) -> bool {
        self.session.policy.asks_about(path)
    }

    /// Whether some reads are denied or need approval: then nothing about a file's content may be
    /// revealed before policy has decided.
    pub(crate) fn restricts_reading(&self) -> bool {
        self.session.policy.restricts_reading()
    }

    /// Whether any rule hides files, so that [`Context::may_read`] must be checked.
    pub(crate) fn hides_files(&self) -> bool {
        self.session.policy.hides_files()
    }

    /// Whether rules allow this call to read `path`: search tools skip files that it may not.
    pub(crate) fn may_read(&self, path: &FilePath) -> bool {
        self.session.policy.may_read(path)
    }
}
