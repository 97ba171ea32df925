//! Requests to the client that can be taken back.

use serde_json::json;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::request::Request as Method;
use tower_service::Service;

type Request = tower_lsp_server::jsonrpc::Request;

/// Asks the client for something until `give_up` is ready; then the request is taken back by
/// `$/cancelRequest`, and `None` is the result.
pub(crate) async fn ask<M: Method>(
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
                let message = format!("its answer to {} is none", M::METHOD);
                Error { message: message.into(), ..Error::internal_error() }
            })))
        }
        () = give_up => {
            let cancel = Request::build("$/cancelRequest").params(json!({ "id": id })).finish();
            // Where the client has gone, nothing is open there any more.
            let _ = client.call(cancel).await;
            None
        }
    }
}
