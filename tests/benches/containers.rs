//! The container tools beside the bare API of a real daemon, and a long output in flat memory.
//!
//! `cargo bench -p tests --bench containers`, with `TANDEM_BIN` naming a release build.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints, and fails by panicking"
)]

use std::time::{Duration, Instant};

use client::{Answer, Client};
use serde_json::json;
use tests::{ContainerDaemon, Server};

const CALLS: u32 = 200;
/// Bytes of the output that is searched.
const OUTPUT: u32 = 60_000_000;

fn main() {
    let Some(daemon) = ContainerDaemon::start() else {
        println!("the component `containers` is not here");
        return;
    };
    let builder = Server::builder("//- /a.txt\n").capability("window/showMessage", json!({}));
    let mut command = builder.home().command();
    command.env("DOCKER_HOST", daemon.host());
    let client = Client::spawn(command.arg("lsp")).unwrap();
    let server = builder.with_client(client).initialize();
    server.answer_requests(|request, _| match request.method.as_str() {
        "window/showMessageRequest" => Answer::Result(json!({ "title": "Allow once" })),
        _ => Answer::Default,
    });
    server.write(
        "Dockerfile",
        "FROM scratch\nCOPY busybox /bin/\nRUN [\"/bin/busybox\", \"--install\", \"-s\", \"/bin\"]\n",
    );
    server.write("busybox", std::fs::read(&daemon.busybox).unwrap());
    server.must("docker_build", json!({ "tag": "base" }));
    let list = |_| drop(daemon.api("GET", "/containers/json?all=1", ""));
    let (bare, tool) = (median(list), median(|_| drop(server.must("docker_ps", json!({})))));
    println!("a list of containers: bare {bare:?}, docker_ps {tool:?}");
    let line = format!("yes 0123456789abcdef | head -c {OUTPUT}; echo the end");
    server.must(
        "docker_run",
        json!({ "image": "base", "name": "long", "detach": true, "command": ["sh", "-c", line],
            "ready": { "pattern": "the end", "timeout_ms": 300_000 } }),
    );
    let logs = "/containers/long/logs?stdout=1&timestamps=1&tail=100";
    let bare = median(|_| drop(daemon.api("GET", logs, "")));
    let tool = median(|_| drop(server.must("docker_logs", json!({ "container": "long" }))));
    println!("the last 100 lines: bare {bare:?}, docker_logs {tool:?}");
    let before = memory(&server);
    let started = Instant::now();
    let whole = daemon.api("GET", "/containers/long/logs?stdout=1&timestamps=1", "").len();
    let bare = started.elapsed();
    let started = Instant::now();
    let wait = json!({ "container": "long", "wait_for": "nothing like this", "wait_ms": 300_000 });
    server.must("docker_logs", wait);
    let took = started.elapsed();
    let after = memory(&server);
    println!(
        "{whole} bytes searched: the bare API sends them in {bare:?}, docker_logs searches them in {took:?}; \
         memory {before} KiB before, {after} KiB at most"
    );
}

fn median(mut act: impl FnMut(u32)) -> Duration {
    let mut times: Vec<Duration> = (1..=CALLS)
        .map(|n| {
            let started = Instant::now();
            act(n);
            started.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

/// The peak memory of the server's process in KiB.
fn memory(server: &Server) -> u64 {
    let status = format!("/proc/{}/status", server.process().unwrap().id());
    let status = std::fs::read_to_string(status).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
