//! `tandem mcp`

use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;
use std::sync::Arc;

use tools::Dialect;

use crate::cli::McpArgs;
use crate::serve;

/// Sets the address, as `--addr` does, unless another transport is chosen or a client has started this
/// process: then its standard input is a pipe.
const ADDRESS_VARIABLE: &str = "MCP_ADDR";

pub(crate) fn run(args: McpArgs) -> ExitCode {
    let dialect = match args.dialect.as_deref().map(tools::dialect).transpose() {
        Ok(dialect) => dialect,
        Err(error) => {
            crate::tools_list::report(&error);
            return ExitCode::from(2);
        }
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let served = match &runtime {
        Ok(runtime) => runtime.block_on(serve_clients(args, dialect)),
        Err(error) => Err(error.to_string()),
    };
    let code = match served {
        Ok(()) => 0,
        Err(error) => {
            anstream::eprintln!("tandem mcp: {error}");
            1
        }
    };
    // Exits explicitly: a thread may be blocked on input.
    std::process::exit(code)
}

async fn serve_clients(args: McpArgs, dialect: Option<Arc<Dialect>>) -> Result<(), String> {
    let mut options = mcp::Options {
        folder: args.workspace.clone().unwrap_or_else(|| ".".into()),
        is_default_folder: args.workspace.is_none(),
        headless: args.headless,
        dialect,
        profile: args.profile.clone(),
        text_only: args.text_only,
    };
    if let Some(path) = &args.socket {
        options.is_default_folder = false;
        let (listener, _lock) = serve::bind(path).map_err(|error| error.to_string())?;
        anstream::eprintln!("tandem mcp: listening on {}", path.display());
        return mcp::serve_socket(options, listener).await;
    }
    let from_environment = || {
        let set = std::env::var(ADDRESS_VARIABLE).ok().filter(|text| !text.is_empty());
        set.filter(|_| !is_input_of_client())
    };
    let address = if args.stdio { None } else { args.addr.or_else(from_environment) };
    let Some(address) = address else {
        return mcp::serve(options, tokio::io::stdin(), tokio::io::stdout()).await;
    };
    options.is_default_folder = false;
    mcp::serve_tcp(options, parse_address(&address)?, |address, token_file| {
        anstream::eprintln!(
            "tandem mcp: http://{address}/mcp, with the token in {}",
            token_file.display()
        );
    })
    .await
}

/// Whether standard input is a pipe or a socket.
fn is_input_of_client() -> bool {
    let kind = rustix::fs::fstat(std::io::stdin())
        .map(|found| rustix::fs::FileType::from_raw_mode(found.st_mode));
    matches!(kind, Ok(rustix::fs::FileType::Fifo | rustix::fs::FileType::Socket))
}

/// The address; one without a host, such as `:9000`, is of the loopback interface.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let whole = if text.starts_with(':') { format!("127.0.0.1{text}") } else { text.to_owned() };
    let found = whole.to_socket_addrs().map_err(|error| format!("{text}: {error}"))?;
    let first = found.into_iter().next();
    first.ok_or_else(|| format!("{text}: not an address; write HOST:PORT"))
}
