//! Every tool, called through the official MCP SDKs of Python and TypeScript.
//!
//! Both hold each result against the `outputSchema` that `tools/list` gave and reject what does
//! not fit, so a result that its schema does not describe is of no use to their users. The calls
//! join a live server with an editor, a repository and a debugger, so that every tool has
//! something to answer, and each of the larger results is also had at its emptiest.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod calls;
mod conformance;
mod delegate;
#[allow(dead_code, reason = "these calls need less of it than the protocol's tests")]
#[path = "../protocol/network/dns_server.rs"]
mod dns_server;
#[allow(dead_code, reason = "these calls need less of it than the protocol's tests")]
#[path = "../protocol/network/http_server.rs"]
mod http_server;
mod inspector;
#[allow(dead_code, reason = "these calls need less of it than the protocol's tests")]
#[path = "../protocol/models/model_server.rs"]
mod model_server;
mod sdk;
mod sessions;
mod transports;
mod workspace;

use std::process::Command;

use sdk::Sdk;
use workspace::LiveWorkspace;

/// Runs all calls through one SDK's bridge and checks that no tool was left out.
fn every_tool(test: &str, bridge: impl FnOnce(&LiveWorkspace) -> Option<Command>) {
    let Some(mut live) = LiveWorkspace::start(test) else { return };
    let Some(command) = bridge(&live) else { return };
    let mut sdk = Sdk::start(command);
    calls::all(&mut live, &mut sdk);
    let missing = sdk.uncalled();
    assert!(missing.is_empty(), "no result of {missing:?} was held against its schema");
}

#[test]
fn the_python_sdk_accepts_every_result() {
    let test = "the_python_sdk";
    every_tool(test, |live| {
        let Some(python) = tests::component("mcp-python") else {
            tests::skip(test, "mcp-python");
            return None;
        };
        let mut command = live.bridge(&python);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/sdk/bridge.py"));
        Some(live.server(command))
    });
}

#[test]
fn the_typescript_sdk_accepts_every_result() {
    let test = "the_typescript_sdk";
    every_tool(test, |live| {
        let (Some(node), Some(package)) =
            (tests::component("node"), tests::component("mcp-typescript"))
        else {
            tests::skip(test, "mcp-typescript");
            return None;
        };
        let mut command = live.bridge(&node);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/sdk/bridge.mjs"));
        command.arg(package.parent().unwrap());
        Some(live.server(command))
    });
}
