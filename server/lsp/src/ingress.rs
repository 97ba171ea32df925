//! The border between the wire and the handlers.
//!
//! [`Ingress::take`] is called for each message in the order of the wire. A notification has run
//! to its end when it returns, so a change is in the rope before the next message is looked at,
//! and a cancel needs no free slot. A request leaves with its snapshot, taken here: it sees
//! exactly the changes before it.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tower_lsp_server::jsonrpc::{Error, Request, Response};
use tower_service::Service;
use workspace::Snapshot;

use crate::error;

tokio::task_local! {
    /// The workspace as it was when the request being handled came in.
    pub(crate) static SNAPSHOT: Option<Snapshot>;
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
}

impl<S, F> Ingress<S, F>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    F: Fn() -> Option<Snapshot>,
{
    pub(crate) fn new(service: S, snapshot: F) -> Self {
        Self { service, snapshot }
    }

    /// Takes one message; never blocks and never panics.
    pub(crate) fn take(&mut self, request: Request) -> Taken {
        let method = request.method().to_owned();
        let id = request.id().cloned();
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
        let answer = async move {
            match future.await {
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
}
