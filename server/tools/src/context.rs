//! What a call works on.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use workspace::{Budget, Editor, FilePath, Hash, Snapshot, Workspace};

use crate::policy::Leave;
use crate::{Caller, Code, Effect, Session, ToolError};

/// What one call works on.
pub struct Context<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// Its state when the call came in.
    pub snapshot: Snapshot,
    /// The editor, or its absence.
    pub editor: &'a dyn Editor,
    /// Set once nobody wants the result any more.
    pub interrupt: &'a AtomicBool,
    /// What lasts from call to call.
    pub session: &'a Session,
    /// Who calls.
    pub(crate) caller: Caller,
    leave: OnceLock<(Leave, Vec<Effect>)>,
}

impl<'a> Context<'a> {
    /// A call that comes in now.
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

    /// The same, of a caller who came in through another front end than the session's own.
    #[must_use]
    pub fn by(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// The same call, for work that `interrupt` ends.
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

    /// What the work that begins now may cost.
    pub(crate) fn budget(&self) -> Budget<'a> {
        Budget::new(self.interrupt)
    }

    /// An error once nobody wants the result any more.
    pub(crate) fn check_interrupt(&self, tool: &str) -> Result<(), ToolError> {
        if self.interrupt.load(Ordering::Relaxed) {
            let message = format!("{tool}: cancelled; nothing changed");
            return Err(ToolError::new(Code::Cancelled, message));
        }
        Ok(())
    }

    /// What policy has allowed this call to do.
    pub(crate) fn set_leave(&self, leave: Leave, effects: Vec<Effect>) {
        // A call is decided once.
        let _ = self.leave.set((leave, effects));
    }

    /// Whether an effect is among those that policy has decided on: a tool whose targets come out
    /// of its work asks again of what it finds in the end.
    pub(crate) fn is_granted(&self, effect: &Effect) -> bool {
        let same = |one: &Effect| one.kind == effect.kind && one.target == effect.target;
        self.leave.get().is_some_and(|(_, effects)| effects.iter().any(same))
    }

    /// The hash of the content at `path` that a person saw when giving leave: `None` where nobody
    /// was asked about it, `Some(None)` where there was no such file.
    pub(crate) fn approved(&self, path: &FilePath) -> Option<Option<Hash>> {
        self.leave.get()?.0.approved(path)
    }

    /// Whether a person is asked before the file at `path` is changed or deleted: the effects
    /// should then say in detail what is to happen.
    pub(crate) fn asks_about(&self, path: &FilePath) -> bool {
        self.session.policy.asks_about(path)
    }

    /// Whether some reading is denied or asked for: then nothing that stands in a file may be told
    /// before policy has decided.
    pub(crate) fn restricts_reading(&self) -> bool {
        self.session.policy.restricts_reading()
    }

    /// Whether any rule hides files, so that [`Context::may_read`] is worth asking.
    pub(crate) fn hides_files(&self) -> bool {
        self.session.policy.hides_files()
    }

    /// Whether what the rules say lets this call look at the file at `path`: tools that search
    /// leave out what it does not.
    pub(crate) fn may_read(&self, path: &FilePath) -> bool {
        self.session.policy.may_read(path)
    }
}
