//! Tells the client what comes about in the programs that are debugged.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::debug::{Ending, Event, Frame, Patience, Phase, Session as Debugged, Stop};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tower_lsp_server::ls_types::notification::Notification;

use super::output;
use super::show::Shower;
use super::stop::{self, Place};
use crate::session::Session;

/// How long the place of a stop may take that was missed.
const PLACE: Duration = Duration::from_secs(5);

macro_rules! notification {
    ($name:ident, $method:literal) => {
        #[doc = concat!("`", $method, "`")]
        enum $name {}

        impl Notification for $name {
            type Params = Value;
            const METHOD: &'static str = $method;
        }
    };
}

notification!(DidStop, "tandem/didStop");
notification!(DidContinue, "tandem/didContinue");
notification!(DidExit, "tandem/didExit");
notification!(DidOutput, "tandem/didOutput");

/// What is to be said to the client.
enum Message {
    Stop(Value, Option<Place>),
    Continue(Value),
    Exit(Value),
    Output(Value),
}

/// What the client knows of the sessions.
#[derive(Default)]
struct Told(HashMap<u64, Known>);

#[derive(Default)]
struct Known {
    /// How far it has read the output.
    cursor: u64,
    /// The number of the last stop that it was told of.
    stop: u64,
    is_stopped: bool,
    is_over: bool,
}

/// Tells of sessions from the first tool call on, until the session ends.
pub(crate) fn start(session: &Arc<Session>) {
    let Some(begun) = session.debug.begun.lock().take() else { return };
    let weak = Arc::downgrade(session);
    let shower = Shower::start(session);
    session.runtime.spawn(async move {
        let Ok(mut events) = begun.await else { return };
        let mut told = Told::default();
        loop {
            let event = match events.recv().await {
                Ok(event) => Some(event),
                Err(RecvError::Lagged(_)) => None,
                Err(RecvError::Closed) => return,
            };
            let Some(session) = weak.upgrade() else { return };
            if session.stop.load(Ordering::Relaxed) {
                return;
            }
            let own = session.clone();
            // Files are read, and adapters asked, where that keeps nobody.
            let done = tokio::task::spawn_blocking(move || {
                let messages = match event {
                    Some(event) => told.of(&own, event),
                    None => told.caught_up(&own),
                };
                (told, messages)
            });
            let Ok((kept, messages)) = done.await else { return };
            told = kept;
            say(&session, &shower, messages).await;
        }
    });
}

async fn say(session: &Arc<Session>, shower: &Shower, messages: Vec<Message>) {
    let client = &session.client;
    let moved = messages.iter().any(|m| !matches!(m, Message::Output(_)));
    for message in messages {
        match message {
            Message::Stop(told, place) => {
                if session.debug.tells {
                    client.send_notification::<DidStop>(told).await;
                }
                if let Some(place) = place {
                    shower.show(session, &place);
                }
            }
            _ if !session.debug.tells => {}
            Message::Continue(told) => client.send_notification::<DidContinue>(told).await,
            Message::Exit(told) => client.send_notification::<DidExit>(told).await,
            Message::Output(told) => client.send_notification::<DidOutput>(told).await,
        }
    }
    if moved && session.debug.refreshes {
        let session = session.clone();
        tokio::spawn(async move {
            let _ = session.client.inline_value_refresh().await;
        });
    }
}

impl Told {
    fn of(&mut self, client: &Session, event: Event) -> Vec<Message> {
        let find = |id: u64| {
            let all = client.debugger().map(::debug::Debugger::sessions).unwrap_or_default();
            all.into_iter().find(|session| session.id() == id)
        };
        match event {
            Event::Stopped { session, stop, frame } => find(session)
                .map(|session| self.stopped(client, &session, &stop, frame.as_deref()))
                .unwrap_or_default(),
            Event::Continued { session } => self.continued(session),
            Event::Output { session, .. } => {
                find(session).map(|session| self.output(&session)).unwrap_or_default()
            }
            Event::Exited { session, ending } => {
                self.exited(session, find(session).as_deref(), &ending)
            }
            _ => Vec::new(),
        }
    }

    /// What has come about in sessions since some of it was missed.
    fn caught_up(&mut self, client: &Session) -> Vec<Message> {
        let all = client.debugger().map(::debug::Debugger::sessions).unwrap_or_default();
        let mut messages = Vec::new();
        for session in all {
            messages.extend(self.output(&session));
            messages.extend(match session.phase() {
                Phase::Stopped(stop) => {
                    let frame = newest(&session);
                    self.stopped(client, &session, &stop, frame.as_ref())
                }
                Phase::Ended(ending) => self.exited(session.id(), Some(&*session), &ending),
                Phase::Starting | Phase::Running => self.continued(session.id()),
            });
        }
        messages
    }

    fn stopped(
        &mut self,
        client: &Session,
        session: &Debugged,
        stop: &Stop,
        frame: Option<&Frame>,
    ) -> Vec<Message> {
        let known = self.0.entry(session.id()).or_default();
        if known.is_over || stop.number <= known.stop {
            return Vec::new();
        }
        let mut messages = Vec::new();
        if std::mem::replace(&mut known.is_stopped, true) {
            messages.push(Message::Continue(json!({ "session": session.id() })));
        }
        known.stop = stop.number;
        let place = frame.and_then(|frame| stop::place(client, frame));
        messages.push(Message::Stop(stop::described(session, stop, frame, place.as_ref()), place));
        messages
    }

    fn continued(&mut self, session: u64) -> Vec<Message> {
        let known = self.0.entry(session).or_default();
        let was_stopped = std::mem::replace(&mut known.is_stopped, false);
        Vec::from_iter(was_stopped.then(|| Message::Continue(json!({ "session": session }))))
    }

    fn output(&mut self, session: &Debugged) -> Vec<Message> {
        let known = self.0.entry(session.id()).or_default();
        let end = session.output(u64::MAX, 0, None).cursor;
        let (told, cursor) = output::since(session, known.cursor, end);
        known.cursor = cursor;
        told.into_iter().map(Message::Output).collect()
    }

    fn exited(&mut self, id: u64, session: Option<&Debugged>, ending: &Ending) -> Vec<Message> {
        let mut messages = session.map(|session| self.output(session)).unwrap_or_default();
        let known = self.0.entry(id).or_default();
        if !std::mem::replace(&mut known.is_over, true) {
            let mut told = json!({ "session": id, "exitCode": ending.exit_code });
            if let Some(fault) = &ending.fault {
                told["error"] = tools::shown_text(&stop::clipped(fault, 2_000)).into();
            }
            messages.push(Message::Exit(told));
        }
        messages
    }
}

/// The newest frame of the thread that stopped.
fn newest(session: &Debugged) -> Option<Frame> {
    let never = AtomicBool::new(false);
    let patience = Patience { longest: PLACE, interrupt: &never };
    session.stack(None, 0, 1, patience).ok()?.0.into_iter().next()
}
