//! The context of a call.

use std::ops::Deref;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use workspace::{
    ActionLabel, Change, CommitError, Committed, ContentHash, Editor, FilePath, Snapshot,
    Workspace, WriteLock,
};

use crate::approved_calls::ApprovedCalls;
use crate::changed_texts::Recorder;
use crate::policy::Approval;
use crate::step_calls::StepCalls;
use crate::{Caller, Code, Effect, Session, ToolError, ToolRequest};

/// Work that goes on after its call was answered.
pub(crate) type LaterWork = Box<dyn FnOnce(&Context<'_>) + Send>;

/// A request, the session it belongs to, and policy's decision on it.
pub struct Context<'a> {
    request: ToolRequest<'a>,
    /// State that is shared between calls.
    pub session: &'a Session,
    step_calls: Option<Box<dyn StepCalls>>,
    /// What the call changes, for its `diagnostics`.
    pub(crate) edits: Recorder,
    approval: OnceLock<(Approval, Vec<Effect>)>,
    later: Mutex<Option<LaterWork>>,
}

impl<'a> Deref for Context<'a> {
    type Target = ToolRequest<'a>;

    fn deref(&self) -> &ToolRequest<'a> {
        &self.request
    }
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
        let caller = Caller::default();
        let request =
            ToolRequest { workspace, snapshot, editor, interrupt, caller, approved_calls: None };
        Self {
            request,
            session,
            step_calls: None,
            edits: Recorder::default(),
            approval: OnceLock::new(),
            later: Mutex::default(),
        }
    }

    /// Whether the call wants the diagnostics of what it changes.
    pub fn wants_diagnostics(&self) -> bool {
        self.edits.is_on()
    }

    /// Records what a dry run would change, for its diagnostics.
    pub fn record_dry_run(&self, changes: &[Change]) {
        self.edits.record(changes, true);
    }

    /// Lets the tool make calls by the executor.
    pub(crate) fn with_step_calls(self, calls: Box<dyn StepCalls>) -> Self {
        Self { step_calls: Some(calls), ..self }
    }

    /// Sets the calls that were approved together with this one.
    pub(crate) fn with_approved_calls(mut self, approved: Arc<ApprovedCalls>) -> Self {
        self.request.approved_calls = Some(approved);
        self
    }

    /// What makes calls of other tools for `tool`, each like any other call.
    ///
    /// # Errors
    /// `E_UNSUPPORTED` in a step of a workflow, and without an executor.
    pub fn step_calls(&self, tool: &str) -> Result<&dyn StepCalls, ToolError> {
        self.step_calls.as_deref().ok_or_else(|| {
            let message = format!("{tool}: it cannot run inside another call");
            ToolError::new(Code::Unsupported, message)
        })
    }

    /// Lets `work` go on in the background, on the call's thread, once the call has been answered. If the
    /// call fails, or is made without an executor, it is dropped. The editor still asks the person then, as
    /// far as its client can be asked outside of a call; it must not report progress.
    pub fn go_on_after_answer(&self, work: impl FnOnce(&Context<'_>) + Send + 'static) {
        *self.later.lock() = Some(Box::new(work));
    }

    /// The work that goes on after the answer.
    pub(crate) fn take_later_work(&self) -> Option<LaterWork> {
        self.later.lock().take()
    }

    /// Commits changes, and records them for the call's `diagnostics`.
    pub fn commit<'l>(
        &self,
        write_lock: &WriteLock<'_>,
        label: impl Into<ActionLabel<'l>>,
        seen: &Snapshot,
        changes: &[Change],
    ) -> Result<Committed, CommitError> {
        let committed = self.workspace.commit(write_lock, label, seen, changes, self.editor)?;
        self.edits.record(changes, false);
        Ok(committed)
    }

    /// Sets the caller, for calls from another front end than the session's.
    #[must_use]
    pub fn by(mut self, caller: Caller) -> Self {
        self.request.caller = caller;
        self
    }

    /// The same context with another interrupt flag.
    pub fn until<'b>(&'b self, interrupt: &'b AtomicBool) -> Context<'b> {
        let request = ToolRequest {
            workspace: self.workspace,
            snapshot: self.snapshot.clone(),
            editor: self.editor,
            interrupt,
            caller: self.caller.clone(),
            approved_calls: self.approved_calls.clone(),
        };
        Context {
            request,
            session: self.session,
            step_calls: None,
            edits: Recorder::default(),
            approval: OnceLock::new(),
            later: Mutex::default(),
        }
    }

    /// Stores the approval that policy gave to this call.
    pub(crate) fn set_approval(&self, approval: Approval, effects: Vec<Effect>) {
        // Policy decides once a call.
        let _ = self.approval.set((approval, effects));
    }

    /// Whether policy has decided on this effect: tools that find their targets while they work
    /// check them again.
    #[must_use]
    pub fn is_granted(&self, effect: &Effect) -> bool {
        let same = |one: &Effect| one.kind == effect.kind && one.target == effect.target;
        self.approval.get().is_some_and(|(_, effects)| effects.iter().any(same))
    }

    /// The hash of the content at `path` that the person approved: `None` if nobody was asked,
    /// `Some(None)` if the file did not exist.
    pub fn approved(&self, path: &FilePath) -> Option<Option<ContentHash>> {
        self.approval.get()?.0.approved(path)
    }

    /// Whether changing or deleting `path` needs approval: effects should then carry details.
    pub fn asks_about(&self, path: &FilePath) -> bool {
        self.session.policy.asks_about(path)
    }

    /// Whether some reads are denied or need approval: then nothing about a file's content may be
    /// revealed before policy has decided.
    pub fn restricts_reading(&self) -> bool {
        self.session.policy.restricts_reading()
    }

    /// Whether any rule hides files, so that [`Context::may_read`] must be checked.
    pub fn hides_files(&self) -> bool {
        self.session.policy.hides_files()
    }

    /// Whether rules allow this call to read `path`: search tools skip files that it may not.
    #[must_use]
    pub fn may_read(&self, path: &FilePath) -> bool {
        self.session.policy.may_read(path)
    }
}
