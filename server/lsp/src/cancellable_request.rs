//! Requests to the client that can be cancelled.

use serde_json::json;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::request::Request as Method;
use tower_service::Service;

type Request = tower_lsp_server::jsonrpc::Request;

/// Sends a request to the client. Once `give_up` is ready, cancels it with `$/cancelRequest` and
/// returns `None`.
pub(crate) async fn send<M: Method>(
    client: &Client,
    params: M::Params,
    give_up: impl Future<Output = ()>,
) -> Option<Result<M::Result>> {
    let id = client.next_request_id();
    let request = Request::build(M::METHOD).id(id.clone()).params(json!(params)).finish();
    let mut client = client.clone();
    tokio::select! {
        answer = client.call(request) => {
            let Ok(Some(answer)) = answer else { return Some(Err(Error::internal_error())) };
            let (_, body) = answer.into_parts();
            Some(body.and_then(|value| serde_json::from_value(value).map_err(|_| {
                let message = format!("invalid response to {}", M::METHOD);
                Error { message: message.into(), ..Error::internal_error() }
            })))
        }
        () = give_up => {
            let cancel = Request::build("$/cancelRequest").params(json!({ "id": id })).finish();
            // If the client is gone, there is nothing to cancel.
            let _ = client.call(cancel).await;
            None
        }
    }
}
