//! `tandem mcp`

use std::process::ExitCode;

use crate::cli::McpArgs;

pub(crate) fn run(args: McpArgs) -> ExitCode {
    let options = mcp::Options { folder: args.workspace, headless: args.headless };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let served = match &runtime {
        Ok(runtime) => {
            runtime.block_on(mcp::serve(options, tokio::io::stdin(), tokio::io::stdout()))
        }
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
