//! `$/progress` of one tool call, if its caller supplied a token.

use std::sync::atomic::{AtomicBool, Ordering};

use live::JoinedClient;
use serde_json::json;
use tools::Throttle;
use tower_lsp_server::jsonrpc::Request;
use tower_lsp_server::ls_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

use crate::outbox::Outbox;

/// Begins with the first report and ends when dropped.
pub(crate) struct Progress {
    target: ProgressTarget,
    title: String,
    throttle: Throttle,
    has_begun: AtomicBool,
}

/// The receiver of progress reports.
enum ProgressTarget {
    None,
    Client(Outbox, ProgressToken),
    JoinedClient(JoinedClient),
}

impl Progress {
    /// Creates progress for a client's call. Without a token nothing is reported.
    pub(crate) fn new(outbox: &Outbox, token: Option<ProgressToken>, title: String) -> Self {
        let target = token
            .map_or(ProgressTarget::None, |token| ProgressTarget::Client(outbox.clone(), token));
        Self { target, title, throttle: Throttle::default(), has_begun: AtomicBool::new(false) }
    }

    /// Creates progress for a call of a joined client.
    pub(crate) fn for_joined_client(client: JoinedClient) -> Self {
        Self {
            target: ProgressTarget::JoinedClient(client),
            title: String::new(),
            throttle: Throttle::default(),
            has_begun: AtomicBool::new(false),
        }
    }

    /// Reports progress, at most once per interval.
    pub(crate) fn report(&self, message: &str) {
        self.throttle.admit(|| self.send(message));
    }

    /// False if the joined client does not read.
    fn send(&self, message: &str) -> bool {
        if let ProgressTarget::JoinedClient(client) = &self.target {
            return client.try_progress(message);
        }
        let message = Some(message.to_owned());
        let value = if self.has_begun.swap(true, Ordering::Relaxed) {
            WorkDoneProgress::Report(WorkDoneProgressReport {
                message,
                ..WorkDoneProgressReport::default()
            })
        } else {
            WorkDoneProgress::Begin(WorkDoneProgressBegin {
                title: self.title.clone(),
                message,
                ..WorkDoneProgressBegin::default()
            })
        };
        self.post(value);
        true
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
        if *self.has_begun.get_mut() {
            self.post(WorkDoneProgress::End(WorkDoneProgressEnd::default()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
            std::thread::sleep(Duration::from_millis(100));
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
