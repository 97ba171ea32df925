//! Tool calls in this process, on the files on disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rayon::ThreadPoolBuilder;
use serde_json::Value;
use tokio::sync::{Mutex as AsyncMutex, Semaphore, oneshot};
use tools::{Code, Context, Entry, Session, ToolError};
use workspace::{FileChanges, FileWatcher, FilesystemSandbox, Root, WatchHandle, Workspace};

use crate::call_router::ToolRequest;
use crate::editor::HeadlessEditor;
use crate::queued_call::QueuedCall;

/// Concurrent calls; each has a thread.
const MAX_CALLS: usize = 64;
/// Some tree walks recurse deeply.
const STACK_SIZE: usize = 16 << 20;

/// A workspace without an editor.
pub(crate) struct Headless {
    workspace: Workspace,
    session: Session,
    /// Confines the calling thread by Landlock.
    confine: Arc<dyn Fn() + Send + Sync>,
    /// Held by writing tools.
    write_lock: Arc<AsyncMutex<()>>,
    permits: Arc<Semaphore>,
    /// The file watcher, from the first call on.
    watching: Mutex<Option<WatchHandle>>,
    stop: AtomicBool,
}

impl Headless {
    pub(crate) fn new(folder: &Path) -> Result<Self, String> {
        let root = Root::open(folder).map_err(|error| error.to_string())?;
        let ruleset = FilesystemSandbox::for_roots([&root])
            .inspect_err(|why| tracing::warn!("cannot confine the tool threads by Landlock: {why}"))
            .ok();
        let confine = Arc::new(move || {
            if let Some(Err(error)) = ruleset.as_ref().map(FilesystemSandbox::restrict_thread) {
                tracing::error!("a thread runs without Landlock confinement: {error}");
            }
        });
        let workspace = Workspace::new(vec![root]);
        let snapshot = workspace.snapshot();
        // Only calls that need names wait for the index.
        snapshot.index_on_demand();
        let session = Session::new(&snapshot);
        session.audit.set_front_end("mcp");
        Ok(Self {
            workspace,
            session,
            confine,
            write_lock: Arc::default(),
            permits: Arc::new(Semaphore::new(MAX_CALLS)),
            watching: Mutex::new(None),
            stop: AtomicBool::new(false),
        })
    }

    /// Collects the protected paths in the background, so that the first writing call does not wait for it.
    pub(crate) fn collect_guarded_paths(&self) {
        let (snapshot, confine) = (self.workspace.snapshot(), self.confine.clone());
        let find = move || {
            confine();
            drop(snapshot.guarded_entries());
        };
        if let Err(error) = std::thread::Builder::new().name("guarded".to_owned()).spawn(find) {
            tracing::debug!("cannot collect protected paths in the background: {error}");
        }
    }

    /// The workspace folder, with symlinks resolved.
    pub(crate) fn folder(&self) -> PathBuf {
        let snapshot = self.workspace.snapshot();
        snapshot.roots().first().map(|root| root.path().to_owned()).unwrap_or_default()
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    pub(crate) fn is_debugging(&self) -> bool {
        self.session.debugger().is_debugging()
    }

    /// Runs the call. Dropping the future cancels it.
    pub(crate) async fn call(
        self: &Arc<Self>,
        mut request: ToolRequest,
    ) -> Result<Value, ToolError> {
        self.watch();
        let interrupt_guard = Interrupt(Arc::default());
        let interrupt = interrupt_guard.0.clone();
        let entry = tools::find(&request.tool);
        let needs_write_lock = entry.is_some_and(Entry::needs_write_lock);
        let runs_unconfined = entry.is_some_and(Entry::runs_unsandboxed);
        let arguments = std::mem::take(&mut request.arguments);
        let queued = QueuedCall::new(self, &request.caller, &request.tool, arguments);
        let write_lock =
            if needs_write_lock { Some(self.write_lock.clone().lock_owned().await) } else { None };
        let permit = self.permits.clone().acquire_owned().await;
        request.arguments = queued.start();
        let headless = self.clone();
        let (sender, done) = oneshot::channel();
        let work = move || {
            // Held until the work has ended, even if the future was dropped.
            let _kept = (write_lock, permit);
            // A thread confined by Landlock cannot set up a sandbox or another ruleset.
            if !runs_unconfined {
                (headless.confine)();
            }
            let result = catch_unwind(AssertUnwindSafe(|| headless.run(request, interrupt)));
            let _ = sender.send(result);
        };
        std::thread::Builder::new()
            .name("call".to_owned())
            .stack_size(STACK_SIZE)
            .spawn(work)
            .map_err(|error| {
                ToolError::new(Code::Unavailable, format!("cannot start a thread: {error}"))
            })?;
        match done.await {
            Ok(Ok(result)) => result,
            _ => Err(ToolError::new(
                Code::Internal,
                "internal error; this is a bug in tandem. Other calls are not affected",
            )),
        }
    }

    fn run(&self, request: ToolRequest, interrupt: Arc<AtomicBool>) -> Result<Value, ToolError> {
        let ToolRequest { tool, arguments, caller, progress, user } = request;
        let editor = HeadlessEditor { user, progress, interrupt: interrupt.clone() };
        let (workspace, snapshot) = (&self.workspace, self.workspace.snapshot());
        let context = Context::new(workspace, snapshot, &editor, &interrupt, &self.session);
        tools::call(&context.by(caller), &tool, arguments)
    }

    /// Starts watching the workspace's files, so that no call answers from stale data.
    fn watch(self: &Arc<Self>) {
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
                let Some(headless) = weak.upgrade() else { return };
                match changes {
                    FileChanges::Files(uris) => headless.workspace.files_changed(uris),
                    FileChanges::Any => headless.workspace.files_may_have_changed(),
                }
                pool.install(|| headless.workspace.snapshot().apply_file_changes(&headless.stop));
            });
        };
        match std::thread::Builder::new().name("watcher".to_owned()).spawn(watch) {
            Ok(_) => *watching = Some(watch_handle),
            Err(error) => tracing::warn!("cannot watch for file changes: {error}"),
        }
    }

    /// Stops watching files while a live server runs the calls.
    pub(crate) fn stop_watching(&self) {
        *self.watching.lock() = None;
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stop_watching();
        self.session.stop();
    }
}

/// Sets its flag when dropped, so dropping a call's future cancels it.
struct Interrupt(Arc<AtomicBool>);

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
