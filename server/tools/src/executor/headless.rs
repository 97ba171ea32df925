//! A workspace without an editor: calls work on the files on disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rayon::ThreadPoolBuilder;
use serde_json::Value;
use workspace::{Editor, FileChanges, FileWatcher, Root, WatchHandle, Workspace};

use super::prompts_only::PromptsOnly;
use super::{
    CallControl, CallThreads, ConfineThread, Executor, Host, SharedHost, StepCaller, ToolCall,
    confine_to,
};
use crate::step_calls::StepCalls;
use crate::{Caller, Code, Session, ToolError};

/// Some tree walks recurse deeply.
const STACK_SIZE: usize = 16 << 20;

/// A workspace without an editor.
pub struct HeadlessWorkspace {
    workspace: Workspace,
    session: Session,
    executor: Executor,
    confine: ConfineThread,
    threads: Arc<CallThreads>,
    /// The file watcher, while it runs.
    watching: Mutex<Option<WatchHandle>>,
    is_stopping: AtomicBool,
}

impl Host for HeadlessWorkspace {
    fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn threads(&self) -> Arc<CallThreads> {
        self.threads.clone()
    }
}

impl HeadlessWorkspace {
    /// Opens `folder` for the front end of this name (`mcp`, `cli`), which the audit log shows.
    ///
    /// # Errors
    /// If the folder cannot be opened.
    pub fn open(folder: &Path, front_end: &'static str) -> Result<Self, ToolError> {
        let root = Root::open(folder)
            .map_err(|error| ToolError { code: Code::DirNotFound, ..ToolError::from(error) })?;
        let workspace = Workspace::new(vec![root]);
        let snapshot = workspace.snapshot();
        let (confine, _) = confine_to(snapshot.roots().iter().map(Arc::as_ref));
        // Only calls that need names wait for the index.
        snapshot.index_on_demand();
        let session = Session::new(&snapshot);
        session.audit.set_front_end(front_end);
        Ok(Self {
            workspace,
            session,
            executor: Executor::default(),
            threads: Arc::new(CallThreads::new(confine.clone())),
            confine,
            watching: Mutex::new(None),
            is_stopping: AtomicBool::new(false),
        })
    }

    /// The workspace folder, with symlinks resolved.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        let snapshot = self.workspace.snapshot();
        snapshot.roots().first().map(|root| root.path().to_owned()).unwrap_or_default()
    }

    /// Runs a call. `editor` creates the editor that the tool talks to. Dropping the future cancels it.
    ///
    /// # Errors
    /// The tool's.
    pub async fn call<E: Editor + 'static>(
        self: &Arc<Self>,
        call: ToolCall,
        editor: impl FnOnce(CallControl) -> E + Send + 'static,
    ) -> Result<Value, ToolError> {
        self.executor.accept(self, call).await.run(None, editor).await
    }

    /// Makes calls here for a call of another workspace, whose person is asked.
    pub fn step_calls(self: &Arc<Self>, others: &dyn StepCalls, caller: Caller) -> impl StepCalls {
        let mut surroundings = others.surroundings();
        surroundings.editor = Arc::new(PromptsOnly(surroundings.editor));
        let (host, executor) = (SharedHost::new(self.clone()), self.executor.clone());
        StepCaller { host, executor, surroundings, caller }
    }

    /// Collects the protected paths in the background, so that the first writing call does not wait for
    /// it.
    pub fn collect_guarded_paths(&self) {
        let (snapshot, confine) = (self.workspace.snapshot(), self.confine.clone());
        let find = move || {
            confine();
            drop(snapshot.guarded_entries());
        };
        if let Err(error) = std::thread::Builder::new().name("guarded".to_owned()).spawn(find) {
            tracing::debug!("cannot collect protected paths in the background: {error}");
        }
    }

    /// Starts watching the workspace's files, so that no call answers from stale data. Does nothing if it
    /// has started.
    pub fn watch(self: &Arc<Self>) {
        let mut watching = self.watching.lock();
        if watching.is_some() {
            return;
        }
        // Files may have changed while they were not watched.
        self.workspace.files_may_have_changed();
        let (watcher, watch_handle) = FileWatcher::new(&self.workspace.snapshot());
        // The watcher must not keep the workspace alive.
        let weak = Arc::downgrade(self);
        let confine = self.confine.clone();
        let watch = move || {
            confine();
            // Parallel re-reading is confined, too.
            let pool = ThreadPoolBuilder::new()
                .thread_name(|n| format!("background-{n}"))
                .stack_size(STACK_SIZE)
                .start_handler(move |_| confine())
                .build();
            let Ok(pool) = pool else { return };
            watcher.run(&|changes| {
                let Some(host) = weak.upgrade() else { return };
                match changes {
                    FileChanges::Files(uris) => host.workspace.files_changed(uris),
                    FileChanges::Any => host.workspace.files_may_have_changed(),
                }
                pool.install(|| host.workspace.snapshot().apply_file_changes(&host.is_stopping));
            });
        };
        match std::thread::Builder::new().name("watcher".to_owned()).spawn(watch) {
            Ok(_) => *watching = Some(watch_handle),
            Err(error) => tracing::warn!("cannot watch for file changes: {error}"),
        }
    }

    /// Stops watching files, while another server runs the calls.
    pub fn stop_watching(&self) {
        *self.watching.lock() = None;
    }

    /// Ends running work and debug sessions.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.stop_watching();
        self.session.stop();
    }
}
