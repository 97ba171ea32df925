//! A debug session for the user interface of an editor's own debugger, which takes this server for a
//! debug adapter: to watch a session that somebody else started, to take it over, or to start one that
//! others can join.
//!
//! What only looks goes to the session's own adapter and comes back as it is. What changes how the
//! program fares is done by the tools, with the same rules and on the same record as for an agent.

mod answers;
mod breakpoints;
mod events;
mod tool;

use std::sync::Arc;

use ::debug::{Asked, Event, Session as Debugged, Voice, next_request};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc};

use self::breakpoints::Shown;
use crate::session::Session;

/// Requests that wait for the one before them.
const WAITING: usize = 256;
/// Questions that the adapter is asked at a time.
const QUESTIONS: usize = 32;

/// What a user interface wants.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// The session to join; without one, what the interface launches.
    #[serde(default)]
    session: Option<u64>,
    /// To take it over, not only to watch.
    #[serde(default)]
    full: bool,
}

/// Whether what is wanted may be had. To take a session over, the person is asked.
pub(crate) async fn admitted(session: &Arc<Session>, wanted: &Wanted) -> Result<(), String> {
    let Some(id) = wanted.session else { return Ok(()) };
    if find(session, id).is_none() {
        return Err(format!("there is no debug session {id}: `debug_sessions` lists them"));
    }
    if wanted.full { tool::take_over(session, id).await } else { Ok(()) }
}

/// The session with this number.
fn find(session: &Session, id: u64) -> Option<Arc<Debugged>> {
    let all = session.tools().debugger().sessions();
    all.into_iter().find(|one| one.id() == id)
}

/// One user interface, and the session that it shows.
struct View {
    client: Arc<Session>,
    voice: Voice,
    debugged: Option<Arc<Debugged>>,
    /// Whether it may change how the program fares.
    is_full: bool,
    /// What it wants to launch, once it has said where to stop.
    launch: Option<Asked>,
    /// Whether the session is its own, which ends with it.
    is_own: bool,
    /// Whether it has been told how the session is.
    is_attached: bool,
    /// How far it has read the output.
    cursor: u64,
    /// The thread that stopped last.
    thread: i64,
    shown: Shown,
    questions: Arc<Semaphore>,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    On,
    /// The interface has gone, or all is over.
    Over,
}

pub(crate) async fn serve(
    client: Arc<Session>,
    mut reader: BufReader<OwnedReadHalf>,
    mut writer: OwnedWriteHalf,
    wanted: Wanted,
) {
    let (voice, mut frames) = Voice::new();
    let writing = tokio::spawn(async move {
        while let Some(frame) = frames.recv().await {
            if writer.write_all(&frame).await.is_err() {
                return;
            }
        }
    });
    let (sender, mut requests) = mpsc::channel(WAITING);
    let reading = tokio::spawn(async move {
        while let Ok(Some(asked)) = next_request(&mut reader).await {
            if sender.send(asked).await.is_err() {
                return;
            }
        }
    });
    let debugged = wanted.session.and_then(|id| find(&client, id));
    let mut stopped = client.live_until.subscribe();
    let mut events = client.tools().debugger().watch();
    let mut view = View {
        is_full: wanted.full || wanted.session.is_none(),
        client,
        voice,
        debugged,
        launch: None,
        is_own: false,
        is_attached: false,
        cursor: 0,
        thread: 0,
        shown: Shown::default(),
        questions: Arc::new(Semaphore::new(QUESTIONS)),
    };
    let mut next = Next::On;
    while next == Next::On {
        next = tokio::select! {
            biased;
            asked = requests.recv() => match asked {
                Some(asked) => view.asked(asked).await,
                None => Next::Over,
            },
            event = events.recv(), if view.is_attached => match event {
                Ok(event) => view.came_about(&event),
                // What was missed is told as it is now.
                Err(RecvError::Lagged(_)) => view.catch_up(),
                Err(RecvError::Closed) => Next::Over,
            },
            _ = stopped.changed() => Next::Over,
        };
    }
    reading.abort();
    view.leave().await;
    // What was said last is still written.
    drop(view);
    let _ = tokio::time::timeout(std::time::Duration::from_secs(2), writing).await;
}

impl View {
    /// An adapter ends with its user interface, and with it what the interface launched.
    async fn leave(&mut self) {
        if let (true, Some(session)) = (self.is_own, self.debugged.take()) {
            let _ =
                tool::call(&self.client, "debug_stop", json!({ "session": session.id() })).await;
        }
    }

    fn answer(&self, asked: &Asked, result: Result<Value, String>) -> Next {
        if self.voice.answer(asked, result) { Next::On } else { Next::Over }
    }

    fn tell(&self, event: &str, body: Value) -> Next {
        if self.voice.tell(event, body) { Next::On } else { Next::Over }
    }

    /// Tells how the session is, to whoever has just come to it.
    fn catch_up(&mut self) -> Next {
        let Some(session) = self.debugged.clone() else { return Next::On };
        self.output(&session);
        self.tell_breakpoints(&session);
        self.tell_phase(&session)
    }

    fn came_about(&mut self, event: &Event) -> Next {
        let Some(session) = self.debugged.clone() else { return Next::On };
        let own = session.id();
        match event {
            Event::Stopped { session: id, stop, .. } if *id == own => self.tell_stop(stop),
            Event::Continued { session: id } if *id == own => self.tell_continued(),
            Event::Output { session: id, .. } if *id == own => self.output(&session),
            Event::Exited { session: id, ending } if *id == own => {
                self.output(&session);
                self.tell_ending(ending)
            }
            Event::Breakpoints => self.tell_breakpoints(&session),
            _ => Next::On,
        }
    }
}
