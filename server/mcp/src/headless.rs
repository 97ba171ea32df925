//! Calls made by this process, on the files of the disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rayon::ThreadPoolBuilder;
use serde_json::Value;
use tokio::sync::{Mutex as Turn, Semaphore, oneshot};
use tools::{Code, Context, Entry, Session, ToolError};
use workspace::{FileChanges, FileWatcher, Root, Wall, Watching, Workspace};

use crate::back::Asked;
use crate::editor::NoEditor;
use crate::waiting::Waiting;

/// Calls at a time: each has a thread.
const CALLS: usize = 64;
/// Deep trees are walked by recursion in places.
const STACK: usize = 16 << 20;

/// The workspace, without an editor.
pub(crate) struct Headless {
    workspace: Workspace,
    session: Session,
    /// Puts the thread that calls it behind the wall.
    enter: Arc<dyn Fn() + Send + Sync>,
    /// The turn of the writing tools.
    turn: Arc<Turn<()>>,
    places: Arc<Semaphore>,
    /// Reports changes of files while it is there: from the first call on.
    watching: Mutex<Option<Watching>>,
    stop: AtomicBool,
}

impl Headless {
    pub(crate) fn new(folder: &Path) -> Result<Self, String> {
        let root = Root::open(folder).map_err(|error| error.to_string())?;
        let wall = Wall::around([&root])
            .inspect_err(|why| tracing::warn!("no wall around the threads of tools: {why}"))
            .ok();
        let enter = Arc::new(move || {
            if let Some(Err(error)) = wall.as_ref().map(Wall::enter) {
                tracing::error!("a thread works without its wall: {error}");
            }
        });
        let workspace = Workspace::new(vec![root]);
        let snapshot = workspace.snapshot();
        // Calls need no index until they ask about names.
        snapshot.index_on_demand();
        let session = Session::new(&snapshot);
        session.audit.set_front_end("mcp");
        Ok(Self {
            workspace,
            session,
            enter,
            turn: Arc::default(),
            places: Arc::new(Semaphore::new(CALLS)),
            watching: Mutex::new(None),
            stop: AtomicBool::new(false),
        })
    }

    /// Finds the guarded places in the background, so that the first call that changes something does not
    /// wait for it.
    pub(crate) fn find_guarded_places(&self) {
        let (snapshot, enter) = (self.workspace.snapshot(), self.enter.clone());
        let find = move || {
            enter();
            drop(snapshot.guarded_entries());
        };
        if let Err(error) = std::thread::Builder::new().name("guarded".to_owned()).spawn(find) {
            tracing::debug!("guarded places are found by the first call: {error}");
        }
    }

    /// The workspace's folder, free of links.
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

    /// Makes the call. Dropping the future cancels it.
    pub(crate) async fn call(self: &Arc<Self>, mut asked: Asked) -> Result<Value, ToolError> {
        self.watch();
        let given_up = Interrupt(Arc::default());
        let interrupt = given_up.0.clone();
        let entry = tools::find(&asked.tool);
        let needs_write_lock = entry.is_some_and(Entry::needs_write_lock);
        let runs_unsandboxed = entry.is_some_and(Entry::runs_unsandboxed);
        let arguments = std::mem::take(&mut asked.arguments);
        let waiting = Waiting::new(self, &asked.caller, &asked.tool, arguments);
        let turn = if needs_write_lock { Some(self.turn.clone().lock_owned().await) } else { None };
        let place = self.places.clone().acquire_owned().await;
        asked.arguments = waiting.over();
        let own = self.clone();
        let (sender, done) = oneshot::channel();
        let work = move || {
            // Kept until the work has ended, also when nobody waits for it any more.
            let _kept = (turn, place);
            // No thread behind the wall could set up a sandbox, or a wall around other places.
            if !runs_unsandboxed {
                (own.enter)();
            }
            let result = catch_unwind(AssertUnwindSafe(|| own.run(asked, interrupt)));
            let _ = sender.send(result);
        };
        std::thread::Builder::new().name("call".to_owned()).stack_size(STACK).spawn(work).map_err(
            |error| ToolError::new(Code::Unavailable, format!("no thread for the call: {error}")),
        )?;
        match done.await {
            Ok(Ok(result)) => result,
            _ => Err(ToolError::new(
                Code::Internal,
                "the call failed inside; this is a bug in tandem. Other calls are not affected",
            )),
        }
    }

    fn run(&self, asked: Asked, interrupt: Arc<AtomicBool>) -> Result<Value, ToolError> {
        let Asked { tool, arguments, caller, progress, person } = asked;
        let editor = NoEditor { person, progress, interrupt: interrupt.clone() };
        let (workspace, snapshot) = (&self.workspace, self.workspace.snapshot());
        let context = Context::new(workspace, snapshot, &editor, &interrupt, &self.session);
        tools::call(&context.by(caller), &tool, arguments)
    }

    /// Watches the workspace's files from now on, so that no call answers what was true before.
    fn watch(self: &Arc<Self>) {
        let mut watching = self.watching.lock();
        if watching.is_some() {
            return;
        }
        // What changed while nobody watched.
        self.workspace.files_may_have_changed();
        let (watcher, own) = FileWatcher::new(&self.workspace.snapshot());
        // Whoever watches does not keep the workspace.
        let weak = Arc::downgrade(self);
        let enter = self.enter.clone();
        let watch = move || {
            enter();
            // Reading again in parallel happens behind the wall too.
            let pool = ThreadPoolBuilder::new()
                .thread_name(|n| format!("background-{n}"))
                .stack_size(STACK)
                .start_handler(move |_| enter())
                .build();
            let Ok(pool) = pool else { return };
            watcher.run(&|changes| {
                let Some(own) = weak.upgrade() else { return };
                match changes {
                    FileChanges::Files(uris) => own.workspace.files_changed(uris),
                    FileChanges::Any => own.workspace.files_may_have_changed(),
                }
                pool.install(|| own.workspace.snapshot().catch_up(&own.stop));
            });
        };
        match std::thread::Builder::new().name("watcher".to_owned()).spawn(watch) {
            Ok(_) => *watching = Some(own),
            Err(error) => tracing::warn!("changes of files are not seen: {error}"),
        }
    }

    /// Others make the calls from now on: nothing is watched meanwhile.
    pub(crate) fn rest(&self) {
        *self.watching.lock() = None;
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.rest();
        self.session.stop();
    }
}

/// Sets its flag when dropped: whoever awaits a call gives it up by dropping it.
struct Interrupt(Arc<AtomicBool>);

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
