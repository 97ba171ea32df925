//! The MCP front end: all tools, for agents outside of editors.
//!
//! If an editor's server has the workspace open, calls run there: they see unsaved text, and edits land
//! in the editor, with undo. Otherwise calls run in this process, on the files on disk. This may change
//! between calls, as editors start and end. Start reading from [`serve`] and `CallRouter`. The crate
//! knows nothing of LSP.

mod approval_rounds;
mod batches;
mod bounded_transport;
mod call_router;
mod client_log;
mod clients;
mod completion;
mod editor;
mod handler;
mod host;
mod line_transport;
mod listener;
mod pages;
mod progress;
mod prompts;
mod resources;
mod roots;
mod sent_tools;
mod shared_state;
mod shared_workspace;
mod subscriptions;
mod tasks;
mod tool_list;
mod tool_result;

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::ServiceExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tools::Dialect;

pub use self::host::HostedWorkspace;
pub use self::listener::{serve_socket, serve_tcp};

use self::bounded_transport::BoundedTransport;
use self::handler::Handler;
use self::line_transport::LineTransport;
use self::shared_state::Server;

/// Longest message of a client, in bytes. A longer one is skipped and answered with an error.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// What to serve.
#[derive(Clone)]
pub struct Options {
    /// The workspace folder.
    pub folder: PathBuf,
    /// Whether nobody chose the folder, so that the client's roots may. For a single client only.
    pub is_default_folder: bool,
    /// Whether to work on the files on disk even if a live server exists.
    pub headless: bool,
    /// The dialect to speak; by default the tools have their canonical names.
    pub dialect: Option<Arc<Dialect>>,
    /// The profile: which tools are listed. `None`: the user's setting, or `core`.
    pub profile: Option<String>,
    /// Whether results have no structured content, whatever the client's name.
    pub text_only: bool,
}

/// Serves one client until it disconnects.
///
/// # Errors
/// A message, if the folder cannot be opened or the input is not MCP.
pub async fn serve(
    options: Options,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), String> {
    serve_one(options, Box::new(input), Box::new(output)).await
}

fn serve_one(options: Options, input: Input, output: Output) -> Serving {
    Box::pin(async move {
        let server = Server::new(options)?;
        let ended = serve_connection(&server, input, output).await;
        server.stop().await;
        ended
    })
}

/// A running server. Boxed by functions that are neither generic nor `async`, so that the server is compiled once
/// and in this crate, not in its callers for every kind of connection.
type Serving = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

type Input = Box<dyn AsyncRead + Send + Unpin>;
type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Serves one client of a server.
async fn serve_connection(
    server: &Arc<Server>,
    input: Input,
    output: Output,
) -> Result<(), String> {
    let transport = LineTransport::new(input, output);
    let served = Handler::with_roots(server).serve(BoundedTransport::new(transport)).await;
    let running = served.map_err(|error| error.to_string())?;
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}

/// The tools that unit tests name.
#[cfg(test)]
fn add_families() {
    tools::add_families(vec![
        code_tools::family(),
        debug_tools::family(),
        search_tools::family(),
        git_tools::family(),
    ]);
}
