//! Dispatches incoming messages to the handlers, in wire order.
//!
//! A notification's handler has finished when [`Ingress::dispatch`] returns, so a change is in the
//! document before the next message is read, and a cancellation needs no free thread. A request gets
//! its workspace snapshot here: it sees exactly the changes that came before it on the wire.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;
use tools::CancelGate;
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};
use tower_service::Service;
use workspace::Snapshot;

use crate::error;

tokio::task_local! {
    /// The workspace when the current request came in.
    pub(crate) static REQUEST_SNAPSHOT: Option<Snapshot>;
    /// The gate of the current request.
    pub(crate) static GATE: Arc<RequestGate>;
}

/// The cancellation of a request, and its place among the admitted ones.
#[derive(Default)]
pub(crate) struct RequestGate {
    /// Of its tool call, if it makes one.
    pub(crate) call: Arc<CancelGate>,
    /// The request's admission permit, until its response is posted.
    admission_permit: Mutex<Option<OwnedSemaphorePermit>>,
}

impl RequestGate {
    pub(crate) fn is_admitted(&self) -> bool {
        self.admission_permit.lock().is_some()
    }

    pub(crate) fn hold_permit(&self, permit: OwnedSemaphorePermit) {
        *self.admission_permit.lock() = Some(permit);
    }
}

/// The gates of the running requests, by request id.
type RequestGates = Arc<Mutex<HashMap<Id, Arc<RequestGate>>>>;

/// Removes a request's gate when the request ends.
struct GateGuard(RequestGates, Id);

impl Drop for GateGuard {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

/// The result of dispatching a message.
pub(crate) enum Dispatched {
    /// Fully handled.
    Done,
    /// A request, with its future response.
    Pending(BoxFuture<'static, Response>),
}

/// Wraps the framework's service. See the module documentation.
pub(crate) struct Ingress<S, F> {
    service: S,
    snapshot: F,
    gates: RequestGates,
}

impl<S, F> Ingress<S, F>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    F: Fn() -> Option<Snapshot>,
{
    pub(crate) fn new(service: S, snapshot: F) -> Self {
        Self { service, snapshot, gates: RequestGates::default() }
    }

    /// Dispatches one message. Never blocks and never panics.
    pub(crate) fn dispatch(&mut self, request: Request) -> Dispatched {
        let method = request.method().to_owned();
        let id = request.id().cloned();
        if method == "$/cancelRequest" && !self.may_cancel(&request) {
            return Dispatched::Done;
        }
        if let Some(id) = id.clone().filter(|id| self.gates.lock().contains_key(id)) {
            // Two responses with one id are ambiguous, and so is a cancellation.
            let message = format!("{method}: a request with this id has not been answered yet");
            let error = Error { message: message.into(), ..Error::invalid_request() };
            let response = Response::from_error(id, error::with_data(error));
            return Dispatched::Pending(async move { response }.boxed());
        }
        let called = std::panic::catch_unwind(AssertUnwindSafe(|| self.service.call(request)));
        let Ok(future) = called else {
            return match id {
                Some(id) => Dispatched::Pending(
                    async move { Response::from_error(id, error::panicked(&method)) }.boxed(),
                ),
                None => Dispatched::Done,
            };
        };
        let future = AssertUnwindSafe(future).catch_unwind();
        let Some(id) = id else {
            match future.now_or_never() {
                Some(Ok(_)) => {}
                Some(Err(_)) => tracing::error!("{method}: the handler panicked"),
                // The future was dropped half way: a notification handler must not await.
                None => {
                    tracing::error!("{method}: the handler waited");
                    debug_assert!(false, "{method}: a notification's handler must not wait");
                }
            }
            return Dispatched::Done;
        };
        let gate = Arc::<RequestGate>::default();
        self.gates.lock().insert(id.clone(), gate.clone());
        let guard = GateGuard(self.gates.clone(), id.clone());
        let answer = async move {
            let _guard = guard;
            match GATE.scope(gate, future).await {
                Ok(Ok(Some(response))) => {
                    let (id, body) = response.into_parts();
                    Response::from_parts(id, body.map_err(error::with_data))
                }
                Ok(_) => Response::from_error(id, error::with_data(Error::method_not_found())),
                Err(_) => Response::from_error(id, error::panicked(&method)),
            }
        };
        Dispatched::Pending(REQUEST_SNAPSHOT.scope((self.snapshot)(), answer).boxed())
    }

    /// Whether the request that `cancel` names can still be cancelled.
    fn may_cancel(&self, cancel: &Request) -> bool {
        let id = cancel.params().and_then(|p| serde_json::from_value(p.get("id")?.clone()).ok());
        let gate = id.and_then(|id: Id| self.gates.lock().get(&id).cloned());
        gate.is_none_or(|gate| gate.call.cancel())
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

    /// A server whose hovers never finish and whose other handlers panic.
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
            Ok(Some(json!(REQUEST_SNAPSHOT.with(|s| s.as_ref().map(Snapshot::revision)))))
        }
    }

    const POSITION_PARAMS: &str =
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
        let answer = answer(ingress.dispatch(request(0, "initialize", r#"{"capabilities": {}}"#)));
        assert!(answer.await.is_ok());
        (ingress, versions)
    }

    async fn answer(dispatched: Dispatched) -> Response {
        match dispatched {
            Dispatched::Pending(answer) => answer.await,
            Dispatched::Done => panic!("a request must be answered"),
        }
    }

    #[tokio::test]
    async fn with_500_requests_open_changes_stay_in_order_and_cancels_work_at_once() {
        let (mut ingress, versions) = start(Arc::new(Workspace::new(Vec::new()))).await;
        let mut hovers = Vec::new();
        for id in 1..=500 {
            let dispatched = ingress.dispatch(request(id, "textDocument/hover", POSITION_PARAMS));
            hovers.push(tokio::spawn(answer(dispatched)));
        }
        tokio::task::yield_now().await;
        for version in 1..=200 {
            let params = json!({
                "textDocument": { "uri": "file:///a", "version": version },
                "contentChanges": [{ "text": "x" }],
            });
            ingress.dispatch(notification("textDocument/didChange", params));
            // Applied when `dispatch` returns.
            assert_eq!(versions.lock().unwrap().len(), version);
        }
        assert!(versions.lock().unwrap().is_sorted());
        for id in 1..=500 {
            ingress.dispatch(notification("$/cancelRequest", json!({ "id": id })));
        }
        for hover in hovers {
            let answer = hover.await.unwrap();
            let error = answer.error().unwrap();
            assert_eq!(error.code.code(), -32800);
            assert_eq!(error.data.as_ref().unwrap()["code"], "E_CANCELLED");
        }
    }

    #[tokio::test]
    async fn a_request_with_an_id_in_use_is_rejected_and_the_first_continues() {
        let (mut ingress, _) = start(Arc::new(Workspace::new(Vec::new()))).await;
        let first = ingress.dispatch(request(1, "textDocument/hover", POSITION_PARAMS));
        for _ in 0..200 {
            let refused =
                answer(ingress.dispatch(request(1, "textDocument/hover", POSITION_PARAMS))).await;
            assert_eq!(refused.error().unwrap().code.code(), -32600);
        }
        // The cancel still finds the first one.
        let first = tokio::spawn(answer(first));
        tokio::task::yield_now().await;
        ingress.dispatch(notification("$/cancelRequest", json!({ "id": 1 })));
        assert_eq!(first.await.unwrap().error().unwrap().code.code(), -32800);
        // Once answered, the id is free again.
        let again = answer(ingress.dispatch(request(1, "no/such", "{}"))).await;
        assert_eq!(again.error().unwrap().code.code(), -32601);
    }

    #[tokio::test]
    async fn a_panicking_handler_ends_one_request() {
        let (mut ingress, versions) = start(Arc::new(Workspace::new(Vec::new()))).await;
        let failed =
            answer(ingress.dispatch(request(1, "textDocument/definition", POSITION_PARAMS))).await;
        let error = failed.error().unwrap();
        assert_eq!(error.code.code(), -32803);
        assert_eq!(error.data.as_ref().unwrap()["code"], "E_INTERNAL");

        let close = json!({ "textDocument": { "uri": "file:///a" } });
        ingress.dispatch(notification("textDocument/didClose", close));
        let change = json!({
            "textDocument": { "uri": "file:///a", "version": 7 }, "contentChanges": [],
        });
        ingress.dispatch(notification("textDocument/didChange", change));
        assert_eq!(*versions.lock().unwrap(), [7]);
    }

    #[tokio::test]
    async fn a_request_sees_exactly_the_changes_before_it_on_the_wire() {
        let workspace = Arc::new(Workspace::new(Vec::new()));
        let (mut ingress, _) = start(workspace.clone()).await;
        let ask = r#"{"command": "revision", "arguments": []}"#;
        let before = ingress.dispatch(request(1, "workspace/executeCommand", ask));
        workspace.open("file:///a", "rust", 1, "");
        let after = ingress.dispatch(request(2, "workspace/executeCommand", ask));
        // Awaited in the other order, each still sees its own state.
        assert_eq!(answer(after).await.result(), Some(&json!(1)));
        assert_eq!(answer(before).await.result(), Some(&json!(0)));
    }

    #[tokio::test]
    async fn unknown_requests_get_method_not_found() {
        let (mut ingress, _) = start(Arc::new(Workspace::new(Vec::new()))).await;
        for (id, method) in [(1, "no/such"), (2, "$/noSuch")] {
            let answer = answer(ingress.dispatch(request(id, method, "{}"))).await;
            assert_eq!(answer.error().unwrap().code.code(), -32601, "{method}");
        }
    }
}
