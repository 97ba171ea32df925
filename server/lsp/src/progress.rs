//! `$/progress` of one tool call, if its caller supplied a token.

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

/// Least time between two reports.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// Begins with the first report and ends when dropped.
pub(crate) struct Progress {
    target: ProgressTarget,
    title: String,
    last_report: Mutex<Option<Instant>>,
}

/// The receiver of progress reports.
enum ProgressTarget {
    None,
    Client(Outbox, ProgressToken),
    /// A joined client, and the id of its call.
    JoinedClient(mpsc::Sender<Value>, u64),
}

impl Progress {
    /// Creates progress for a client's call. Without a token nothing is reported.
    pub(crate) fn new(outbox: &Outbox, token: Option<ProgressToken>, title: String) -> Self {
        let target = token
            .map_or(ProgressTarget::None, |token| ProgressTarget::Client(outbox.clone(), token));
        Self { target, title, last_report: Mutex::default() }
    }

    /// Creates progress for call `id` of a joined client.
    pub(crate) fn for_joined_client(outgoing: mpsc::Sender<Value>, id: u64) -> Self {
        Self {
            target: ProgressTarget::JoinedClient(outgoing, id),
            title: String::new(),
            last_report: Mutex::default(),
        }
    }

    /// Reports progress, at most once per interval.
    pub(crate) fn report(&self, message: &str) {
        let mut last_report = self.last_report.lock();
        if last_report.is_some_and(|last| last.elapsed() < MIN_INTERVAL) {
            return;
        }
        if let ProgressTarget::JoinedClient(outgoing, id) = &self.target {
            let is_sent = outgoing.try_send(json!({ "id": id, "progress": message })).is_ok();
            *last_report = is_sent.then(Instant::now).or(*last_report);
            return;
        }
        let message = Some(message.to_owned());
        let value = match *last_report {
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
        *last_report = Some(Instant::now());
    }

    /// Posts to the outbox, in order with responses, so that no progress follows the call's response. A
    /// newer report replaces a queued one.
    fn post(&self, value: WorkDoneProgress) {
        let ProgressTarget::Client(outbox, token) = &self.target else { return };
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
        if self.last_report.get_mut().is_some() {
            self.post(WorkDoneProgress::End(WorkDoneProgressEnd::default()));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn reported(token: Option<ProgressToken>, report: impl FnOnce(&Progress)) -> Vec<Value> {
        let outbox = Outbox::default();
        let progress = Progress::new(&outbox, token, "tool".to_owned());
        report(&progress);
        drop(progress);
        let mut messages = Vec::new();
        while let Some(body) = outbox.try_next() {
            messages.push(serde_json::from_slice(&body).unwrap());
        }
        messages
    }

    #[test]
    fn progress_begins_reports_and_ends() {
        let messages = reported(Some(ProgressToken::Number(7)), |progress| {
            progress.report("first");
            for _ in 0..1_000 {
                progress.report("too soon");
            }
            std::thread::sleep(MIN_INTERVAL);
            progress.report("second");
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
    fn nothing_is_reported_without_a_token_or_message() {
        assert!(reported(None, |progress| progress.report("x")).is_empty());
        assert!(reported(Some(ProgressToken::Number(7)), |_| ()).is_empty());
    }
}
