//! `$/progress` of one call, for whoever gave it a token.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tower_lsp_server::jsonrpc::Request;
use tower_lsp_server::ls_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

use crate::outbox::Outbox;

/// The least time between two reports.
const PAUSE: Duration = Duration::from_millis(100);

/// Begun by the first message, ended when dropped.
pub(crate) struct Progress {
    to: To,
    title: String,
    told: Mutex<Option<Instant>>,
}

/// Who wants to know.
enum To {
    Nobody,
    Client(Outbox, ProgressToken),
    /// Somebody who has joined the server, of the call with this number.
    Guest(mpsc::Sender<Value>, u64),
}

impl Progress {
    /// Without a token nobody wants to know.
    pub(crate) fn new(outbox: &Outbox, token: Option<ProgressToken>, title: String) -> Self {
        let to = token.map_or(To::Nobody, |token| To::Client(outbox.clone(), token));
        Self { to, title, told: Mutex::default() }
    }

    /// Tells a guest how far its call `id` is, while it listens.
    pub(crate) fn to_guest(outgoing: mpsc::Sender<Value>, id: u64) -> Self {
        Self { to: To::Guest(outgoing, id), title: String::new(), told: Mutex::default() }
    }

    /// Tells how far the call is; too soon after the last time, nothing is told.
    pub(crate) fn tell(&self, message: &str) {
        let mut told = self.told.lock();
        if told.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        if let To::Guest(outgoing, id) = &self.to {
            let told_now = outgoing.try_send(json!({ "id": id, "progress": message })).is_ok();
            *told = told_now.then(Instant::now).or(*told);
            return;
        }
        let message = Some(message.to_owned());
        let value = match *told {
            None => WorkDoneProgress::Begin(WorkDoneProgressBegin {
                title: self.title.clone(),
                message,
                ..WorkDoneProgressBegin::default()
            }),
            Some(_) => WorkDoneProgress::Report(WorkDoneProgressReport {
                message,
                ..WorkDoneProgressReport::default()
            }),
        };
        self.post(value);
        *told = Some(Instant::now());
    }

    /// Posts to the outbox that answers go to, so no progress of a call follows its answer. A newer report
    /// replaces one that has not been written yet.
    fn post(&self, value: WorkDoneProgress) {
        let To::Client(outbox, token) = &self.to else { return };
        let is_report = matches!(value, WorkDoneProgress::Report(_));
        let value = ProgressParamsValue::WorkDone(value);
        let params = json!(ProgressParams { token: token.clone(), value });
        let key = is_report.then(|| format!("$/progress {}", params["token"]));
        let message = Request::build("$/progress").params(params).finish();
        match key {
            Some(key) => outbox.post_newest(key, &message),
            None => outbox.post(&message),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.told.get_mut().is_some() {
            self.post(WorkDoneProgress::End(WorkDoneProgressEnd::default()));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn told(token: Option<ProgressToken>, tell: impl FnOnce(&Progress)) -> Vec<Value> {
        let outbox = Outbox::default();
        let progress = Progress::new(&outbox, token, "tool".to_owned());
        tell(&progress);
        drop(progress);
        let mut messages = Vec::new();
        while let Some(body) = outbox.try_next() {
            messages.push(serde_json::from_slice(&body).unwrap());
        }
        messages
    }

    #[test]
    fn progress_begins_goes_on_and_ends() {
        let messages = told(Some(ProgressToken::Number(7)), |progress| {
            progress.tell("first");
            for _ in 0..1_000 {
                progress.tell("too soon");
            }
            std::thread::sleep(PAUSE);
            progress.tell("second");
        });
        let values: Vec<_> = messages.iter().map(|message| &message["params"]["value"]).collect();
        let kinds: Vec<_> = values.iter().map(|value| value["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["begin", "report", "end"]);
        assert_eq!((&values[0]["title"], &values[0]["message"]), (&json!("tool"), &json!("first")));
        assert_eq!(values[1]["message"], "second");
        for message in &messages {
            assert_eq!(
                (&message["method"], &message["params"]["token"]),
                (&json!("$/progress"), &json!(7))
            );
            assert!(message.get("id").is_none());
        }
    }

    #[test]
    fn nothing_is_told_unasked() {
        assert!(told(None, |progress| progress.tell("x")).is_empty());
        assert!(told(Some(ProgressToken::Number(7)), |_| ()).is_empty());
    }
}
