//! The border between the wire and the handlers.
//!
//! [`Ingress::take`] is called for each message in the order of the wire. A notification has run
//! to its end when it returns, so a change is in the rope before the next message is looked at,
//! and a cancel needs no free slot. A request leaves with its snapshot, taken here: it sees
//! exactly the changes before it.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};
use tower_service::Service;
use workspace::Snapshot;

use crate::error;

tokio::task_local! {
    /// The workspace as it was when the request being handled came in.
    pub(crate) static SNAPSHOT: Option<Snapshot>;
    /// Whether the request being handled can still be cancelled.
    pub(crate) static GATE: Arc<Gate>;
}

/// Decides between a cancel and a call that is about to do what it cannot take back: whichever
/// comes first holds.
#[derive(Default)]
pub(crate) struct Gate {
    state: AtomicU8,
    /// The request's place among those whose answers are computed, until its answer is posted.
    admitted: Mutex<Option<OwnedSemaphorePermit>>,
}

const OPEN: u8 = 0;
const CANCELLED: u8 = 1;
const COMMITTED: u8 = 2;

impl Gate {
    fn pass(&self, to: u8) -> bool {
        match self.state.compare_exchange(OPEN, to, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => true,
            Err(now) => now == to,
        }
    }

    pub(crate) fn is_admitted(&self) -> bool {
        self.admitted.lock().is_some()
    }

    pub(crate) fn keep(&self, admitted: OwnedSemaphorePermit) {
        *self.admitted.lock() = Some(admitted);
    }

    /// False where the call has gone too far.
    pub(crate) fn cancel(&self) -> bool {
        self.pass(CANCELLED)
    }

    /// False where the call has been cancelled.
    pub(crate) fn commit(&self) -> bool {
        self.pass(COMMITTED)
    }
}

/// The gates of the calls under way.
type Gates = Arc<Mutex<HashMap<Id, Arc<Gate>>>>;

/// Forgets a gate when its call has ended, however it ends.
struct Passage(Gates, Id);

impl Drop for Passage {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

/// What is to be done about a message.
pub(crate) enum Taken {
    /// Nothing more.
    Done,
    /// Its answer is on the way.
    Pending(BoxFuture<'static, Response>),
}

/// Wraps the framework's service; see the module's documentation.
pub(crate) struct Ingress<S, F> {
    service: S,
    snapshot: F,
    gates: Gates,
}

impl<S, F> Ingress<S, F>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    F: Fn() -> Option<Snapshot>,
{
    pub(crate) fn new(service: S, snapshot: F) -> Self {
        Self { service, snapshot, gates: Gates::default() }
    }

    /// Takes one message; never blocks and never panics.
    pub(crate) fn take(&mut self, request: Request) -> Taken {
        let method = request.method().to_owned();
        let id = request.id().cloned();
        if method == "$/cancelRequest" && !self.may_cancel(&request) {
            return Taken::Done;
        }
        if let Some(id) = id.clone().filter(|id| self.gates.lock().contains_key(id)) {
            // Two answers could not be told apart, and a cancel would mean either.
            let message = format!("{method}: a request with this id has not been answered yet");
            let error = Error { message: message.into(), ..Error::invalid_request() };
            let response = Response::from_error(id, error::with_data(error));
            return Taken::Pending(async move { response }.boxed());
        }
        let called = std::panic::catch_unwind(AssertUnwindSafe(|| self.service.call(request)));
        let Ok(future) = called else {
            return match id {
                Some(id) => Taken::Pending(
                    async move { Response::from_error(id, error::panicked(&method)) }.boxed(),
                ),
                None => Taken::Done,
            };
        };
        let future = AssertUnwindSafe(future).catch_unwind();
        let Some(id) = id else {
            match future.now_or_never() {
                Some(Ok(_)) => {}
                Some(Err(_)) => tracing::error!("{method}: the handler panicked"),
                // Its future is gone by now, half done: a handler of a notification must not wait.
                None => {
                    tracing::error!("{method}: the handler waited");
                    debug_assert!(false, "{method}: a notification's handler must not wait");
                }
            }
            return Taken::Done;
        };
        let gate = Arc::<Gate>::default();
        self.gates.lock().insert(id.clone(), gate.clone());
        let passage = Passage(self.gates.clone(), id.clone());
        let answer = async move {
            let _passage = passage;
            match GATE.scope(gate, future).await {
                Ok(Ok(Some(response))) => {
                    let (id, body) = response.into_parts();
                    Response::from_parts(id, body.map_err(error::with_data))
                }
                Ok(_) => Response::from_error(id, error::with_data(Error::method_not_found())),
                Err(_) => Response::from_error(id, error::panicked(&method)),
            }
        };
        Taken::Pending(SNAPSHOT.scope((self.snapshot)(), answer).boxed())
    }

    /// Whether the request that a cancel names has not gone too far.
    fn may_cancel(&self, cancel: &Request) -> bool {
        let id = cancel.params().and_then(|p| serde_json::from_value(p.get("id")?.clone()).ok());
        let gate = id.and_then(|id: Id| self.gates.lock().get(&id).cloned());
        gate.is_none_or(|gate| gate.cancel())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::{Value, json};
    use tower_lsp_server::LspService;
    use tower_lsp_server::jsonrpc::Result;
    use tower_lsp_server::ls_types::*;
    use workspace::Workspace;

    use super::*;

    /// A server whose hovers never end, and whose other handlers panic.
    #[derive(Default)]
    struct Stuck {
        versions: Arc<Mutex<Vec<i32>>>,
    }

    impl tower_lsp_server::LanguageServer for Stuck {
        async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
            Ok(InitializeResult::default())
        }

        async fn shutdown(&self) -> Result<()> {
            Ok(())
        }

        async fn did_change(&self, params: DidChangeTextDocumentParams) {
            self.versions.lock().unwrap().push(params.text_document.version);
        }

        async fn did_close(&self, _: DidCloseTextDocumentParams) {
            panic!("a bug in a notification");
        }

        async fn hover(&self, _: HoverParams) -> Result<Option<Hover>> {
            std::future::pending().await
        }

        async fn goto_definition(
            &self,
            _: GotoDefinitionParams,
        ) -> Result<Option<GotoDefinitionResponse>> {
            panic!("a bug in a request");
        }

        async fn execute_command(&self, _: ExecuteCommandParams) -> Result<Option<Value>> {
            Ok(Some(json!(SNAPSHOT.with(|s| s.as_ref().map(Snapshot::revision)))))
        }
    }

    const PLACE: &str =
        r#"{"textDocument": {"uri": "file:///a"}, "position": {"line": 0, "character": 0}}"#;

    fn request(id: i64, method: &'static str, params: &str) -> Request {
        let params: Value = serde_json::from_str(params).unwrap();
        Request::build(method).id(id).params(params).finish()
    }

    fn notification(method: &'static str, params: Value) -> Request {
        Request::build(method).params(params).finish()
    }

    type StuckIngress = Ingress<LspService<Stuck>, Box<dyn Fn() -> Option<Snapshot>>>;

    async fn start(workspace: Arc<Workspace>) -> (StuckIngress, Arc<Mutex<Vec<i32>>>) {
        let (service, _socket) = LspService::new(|_| Stuck::default());
        let versions = service.inner().versions.clone();
        let mut ingress = Ingress::new(
            service,
            Box::new(move || Some(workspace.snapshot())) as Box<dyn Fn() -> Option<Snapshot>>,
        );
        let answer = answer(ingress.take(request(0, "initialize", r#"{"capabilities": {}}"#)));
        assert!(answer.await.is_ok());
        (ingress, versions)
    }

    async fn answer(taken: Taken) -> Response {
        match taken {
            Taken::Pending(answer) => answer.await,
            Taken::Done => panic!("a request must be answered"),
        }
    }

    #[tokio::test]
    async fn with_every_slot_taken_changes_stay_in_order_and_cancels_work_at_once() {
        let (mut ingress, versions) = start(Arc::new(Workspace::new(Vec::new()))).await;
        let mut hovers = Vec::new();
        for id in 1..=500 {
            let taken = ingress.take(request(id, "textDocument/hover", PLACE));
            hovers.push(tokio::spawn(answer(taken)));
        }
        tokio::task::yield_now().await;
        for version in 1..=200 {
            let params = json!({
                "textDocument": { "uri": "file:///a", "version": version },
                "contentChanges": [{ "text": "x" }],
            });
            ingress.take(notification("textDocument/didChange", params));
            // Applied when `take` returns, not some time later.
            assert_eq!(versions.lock().unwrap().len(), version);
        }
        assert!(versions.lock().unwrap().is_sorted());
        for id in 1..=500 {
            ingress.take(notification("$/cancelRequest", json!({ "id": id })));
        }
        for hover in hovers {
            let answer = hover.await.unwrap();
            let error = answer.error().unwrap();
            assert_eq!(error.code.code(), -32800);
            assert_eq!(error.data.as_ref().unwrap()["code"], "E_CANCELLED");
        }
    }

    #[tokio::test]
    async fn a_request_whose_id_is_in_use_is_refused_and_the_first_goes_on() {
        let (mut ingress, _) = start(Arc::new(Workspace::new(Vec::new()))).await;
        let first = ingress.take(request(1, "textDocument/hover", PLACE));
        for _ in 0..200 {
            let refused = answer(ingress.take(request(1, "textDocument/hover", PLACE))).await;
            assert_eq!(refused.error().unwrap().code.code(), -32600);
        }
        // The cancel still finds the first one.
        let first = tokio::spawn(answer(first));
        tokio::task::yield_now().await;
        ingress.take(notification("$/cancelRequest", json!({ "id": 1 })));
        assert_eq!(first.await.unwrap().error().unwrap().code.code(), -32800);
        // Answered, the id is free again.
        let again = answer(ingress.take(request(1, "no/such", "{}"))).await;
        assert_eq!(again.error().unwrap().code.code(), -32601);
    }

    #[test]
    fn a_cancel_and_a_commit_exclude_each_other() {
        let first = Gate::default();
        assert!(first.cancel() && first.cancel() && !first.commit());
        let second = Gate::default();
        assert!(second.commit() && second.commit() && !second.cancel());
    }

    #[tokio::test]
    async fn a_panicking_handler_ends_one_request() {
        let (mut ingress, versions) = start(Arc::new(Workspace::new(Vec::new()))).await;
        let failed = answer(ingress.take(request(1, "textDocument/definition", PLACE))).await;
        let error = failed.error().unwrap();
        assert_eq!(error.code.code(), -32803);
        assert_eq!(error.data.as_ref().unwrap()["code"], "E_INTERNAL");

        let close = json!({ "textDocument": { "uri": "file:///a" } });
        ingress.take(notification("textDocument/didClose", close));
        let change = json!({
            "textDocument": { "uri": "file:///a", "version": 7 }, "contentChanges": [],
        });
        ingress.take(notification("textDocument/didChange", change));
        assert_eq!(*versions.lock().unwrap(), [7]);
    }

    #[tokio::test]
    async fn a_request_sees_what_was_before_it_on_the_wire_and_no_more() {
        let workspace = Arc::new(Workspace::new(Vec::new()));
        let (mut ingress, _) = start(workspace.clone()).await;
        let ask = r#"{"command": "revision", "arguments": []}"#;
        let before = ingress.take(request(1, "workspace/executeCommand", ask));
        workspace.open("file:///a", "rust", 1, "");
        let after = ingress.take(request(2, "workspace/executeCommand", ask));
        // Answered in the other order, each still sees its own state.
        assert_eq!(answer(after).await.result(), Some(&json!(1)));
        assert_eq!(answer(before).await.result(), Some(&json!(0)));
    }

    #[tokio::test]
    async fn unknown_requests_are_answered_whatever_they_are_called() {
        let (mut ingress, _) = start(Arc::new(Workspace::new(Vec::new()))).await;
        for (id, method) in [(1, "no/such"), (2, "$/noSuch")] {
            let answer = answer(ingress.take(request(id, method, "{}"))).await;
            assert_eq!(answer.error().unwrap().code.code(), -32601, "{method}");
        }
    }
}
