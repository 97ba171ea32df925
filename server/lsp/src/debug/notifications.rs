//! Notifies the client of debug session events.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::debug::{
    DebugEvent, Session as Debugged, SessionEnd, SessionPhase, StackFrame, StopInfo, WaitLimits,
};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tower_lsp_server::ls_types::notification::Notification;

use super::output;
use super::show_location::LocationViewer;
use super::stop::{self, StopLocation};
use crate::session::Session;

/// How long a query for the location of a missed stop may take.
const STACK_TIMEOUT: Duration = Duration::from_secs(5);

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

/// A notification to the client.
enum DebugNotification {
    Stop(Value, Option<StopLocation>),
    Continue(Value),
    Exit(Value),
    Output(Value),
}

/// What the client knows of each session.
#[derive(Default)]
struct SentState(HashMap<u64, SentSession>);

#[derive(Default)]
struct SentSession {
    /// The output cursor.
    cursor: u64,
    /// The number of the last stop sent.
    stop: u64,
    is_stopped: bool,
    is_over: bool,
}

/// Sends events from the first tool call until the session ends.
pub(crate) fn start(session: &Arc<Session>) {
    let Some(events) = session.debug.events.lock().take() else { return };
    let weak = Arc::downgrade(session);
    let viewer = LocationViewer::start(session);
    session.runtime.spawn(async move {
        let Ok(mut events) = events.await else { return };
        let mut state = SentState::default();
        loop {
            let event = match events.recv().await {
                Ok(event) => Some(event),
                Err(RecvError::Lagged(_)) => None,
                Err(RecvError::Closed) => return,
            };
            let Some(session) = weak.upgrade() else { return };
            if session.is_stopping.load(Ordering::Relaxed) {
                return;
            }
            let task_session = session.clone();
            // Reading files and querying adapters may block.
            let done = tokio::task::spawn_blocking(move || {
                let messages = match event {
                    Some(event) => state.messages_for(&task_session, event),
                    None => state.messages_for_all(&task_session),
                };
                (state, messages)
            });
            let Ok((kept, messages)) = done.await else { return };
            state = kept;
            send(&session, &viewer, messages).await;
        }
    });
}

async fn send(session: &Arc<Session>, viewer: &LocationViewer, messages: Vec<DebugNotification>) {
    let client = &session.client;
    let state_changed = messages.iter().any(|m| !matches!(m, DebugNotification::Output(_)));
    for message in messages {
        match message {
            DebugNotification::Stop(params, location) => {
                if session.debug.sends_events {
                    client.send_notification::<DidStop>(params).await;
                }
                if let Some(location) = location {
                    viewer.show(session, &location);
                }
            }
            _ if !session.debug.sends_events => {}
            DebugNotification::Continue(params) => {
                client.send_notification::<DidContinue>(params).await
            }
            DebugNotification::Exit(params) => client.send_notification::<DidExit>(params).await,
            DebugNotification::Output(params) => {
                client.send_notification::<DidOutput>(params).await
            }
        }
    }
    if state_changed && session.debug.refreshes_inline_values {
        let session = session.clone();
        tokio::spawn(async move {
            let _ = session.client.inline_value_refresh().await;
        });
    }
}

impl SentState {
    fn messages_for(&mut self, client: &Session, event: DebugEvent) -> Vec<DebugNotification> {
        let find = |id: u64| {
            let all = client.debugger().map(::debug::Debugger::sessions).unwrap_or_default();
            all.into_iter().find(|session| session.id() == id)
        };
        match event {
            DebugEvent::Stopped { session, stop, frame } => find(session)
                .map(|session| self.stopped(client, &session, &stop, frame.as_deref()))
                .unwrap_or_default(),
            DebugEvent::Continued { session } => self.continued(session),
            DebugEvent::Output { session, .. } => {
                find(session).map(|session| self.output(&session)).unwrap_or_default()
            }
            DebugEvent::Exited { session, ending } => {
                self.exited(session, find(session).as_deref(), &ending)
            }
            _ => Vec::new(),
        }
    }

    /// The messages for all sessions after events were missed.
    fn messages_for_all(&mut self, client: &Session) -> Vec<DebugNotification> {
        let all = client.debugger().map(::debug::Debugger::sessions).unwrap_or_default();
        let mut messages = Vec::new();
        for session in all {
            messages.extend(self.output(&session));
            messages.extend(match session.phase() {
                SessionPhase::Stopped(stop) => {
                    let frame = top_frame(&session);
                    self.stopped(client, &session, &stop, frame.as_ref())
                }
                SessionPhase::Ended(ending) => self.exited(session.id(), Some(&*session), &ending),
                SessionPhase::Starting | SessionPhase::Running => self.continued(session.id()),
            });
        }
        messages
    }

    fn stopped(
        &mut self,
        client: &Session,
        session: &Debugged,
        stop: &StopInfo,
        frame: Option<&StackFrame>,
    ) -> Vec<DebugNotification> {
        let sent = self.0.entry(session.id()).or_default();
        if sent.is_over || stop.number <= sent.stop {
            return Vec::new();
        }
        let mut messages = Vec::new();
        if std::mem::replace(&mut sent.is_stopped, true) {
            messages.push(DebugNotification::Continue(json!({ "session": session.id() })));
        }
        sent.stop = stop.number;
        let location = frame.and_then(|frame| stop::location(client, frame));
        messages.push(DebugNotification::Stop(
            stop::stop_params(session, stop, frame, location.as_ref()),
            location,
        ));
        messages
    }

    fn continued(&mut self, session: u64) -> Vec<DebugNotification> {
        let sent = self.0.entry(session).or_default();
        let was_stopped = std::mem::replace(&mut sent.is_stopped, false);
        Vec::from_iter(
            was_stopped.then(|| DebugNotification::Continue(json!({ "session": session }))),
        )
    }

    fn output(&mut self, session: &Debugged) -> Vec<DebugNotification> {
        let sent = self.0.entry(session.id()).or_default();
        let end = session.output(u64::MAX, 0, None).cursor;
        let (params, cursor) = output::output_since(session, sent.cursor, end);
        sent.cursor = cursor;
        params.into_iter().map(DebugNotification::Output).collect()
    }

    fn exited(
        &mut self,
        id: u64,
        session: Option<&Debugged>,
        ending: &SessionEnd,
    ) -> Vec<DebugNotification> {
        let mut messages = session.map(|session| self.output(session)).unwrap_or_default();
        let sent = self.0.entry(id).or_default();
        if !std::mem::replace(&mut sent.is_over, true) {
            let mut params = json!({ "session": id, "exitCode": ending.exit_code });
            if let Some(fault) = &ending.fault {
                params["error"] = debug_tools::shown_text(&stop::truncate(fault, 2_000)).into();
            }
            messages.push(DebugNotification::Exit(params));
        }
        messages
    }
}

/// The top frame of the stopped thread.
fn top_frame(session: &Debugged) -> Option<StackFrame> {
    let never = AtomicBool::new(false);
    let patience = WaitLimits { timeout: STACK_TIMEOUT, interrupt: &never };
    session.stack(None, 0, 1, patience).ok()?.0.into_iter().next()
}
