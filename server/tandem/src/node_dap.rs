//! `tandem node-dap`: the debug adapter for Node.

use std::process::ExitCode;

use crate::cli::NodeDapArgs;

#[cfg(feature = "node")]
pub(crate) fn run(args: NodeDapArgs) -> ExitCode {
    if let Some(group) = args.guard {
        node_dap::guard(group);
        return ExitCode::SUCCESS;
    }
    let options =
        node_dap::Options { node: args.node, socket: args.socket, is_contained: args.contained };
    let code = match node_dap::serve(&options) {
        Ok(()) => 0,
        Err(error) => {
            anstream::eprintln!("tandem node-dap: {error}");
            1
        }
    };
    // Exits explicitly: a thread may be blocked on input.
    std::process::exit(code)
}

#[cfg(not(feature = "node"))]
pub(crate) fn run(args: NodeDapArgs) -> ExitCode {
    drop(args);
    anstream::eprintln!(
        "tandem node-dap: this build has no debugger for Node; install it with `--features full`"
    );
    ExitCode::FAILURE
}
