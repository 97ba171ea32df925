//! `http_request` beside bare reqwest, on loopback, in the same run.
//!
//! `cargo bench -p web`. Every figure is the median of the runs, taken in turns. The tool makes a connection of
//! its own for each request; reqwest is measured with a pooled one and with a new one.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench says what it finds"
)]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpListener;
use tools::{Context, Session};
use workspace::{Headless, Root, Workspace};

/// What a call may cost over a bare request.
const GOAL: Duration = Duration::from_millis(1);

fn main() {
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let runs = if quick { 3 } else { 2_000 };
    tools::add_families(vec![web::family()]);
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(vec![Root::open(folder.path()).unwrap()]);
    let session = Session::new(&workspace.snapshot());
    let interrupt = AtomicBool::new(false);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    println!("{runs} runs each, median in µs\n");
    println!("| body | http_request | reqwest, new connection | reqwest, pooled | over pooled |");
    println!("|---|---|---|---|---|");
    for size in [100, 40_000] {
        let url = format!("http://{}/", serve("x".repeat(size - 1) + "\n"));
        let ours = || {
            let snapshot = workspace.snapshot();
            let editor = Headless { approve_all: true };
            let context = Context::new(&workspace, snapshot, &editor, &interrupt, &session);
            let result = tools::call(&context, "http_request", json!({ "url": url })).unwrap();
            assert_eq!(result["body"].as_str().map(str::len), Some(size), "{result}");
        };
        let pooled = reqwest::Client::builder().no_proxy().build().unwrap();
        let fresh =
            reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap();
        let theirs = |client: &reqwest::Client| {
            runtime.block_on(async {
                let text = client.get(&url).send().await.unwrap().text().await.unwrap();
                assert_eq!(text.len(), size);
            });
        };
        let mut times: [Vec<Duration>; 3] = Default::default();
        for _ in 0..runs {
            times[0].push(timed(&ours));
            times[1].push(timed(&|| theirs(&fresh)));
            times[2].push(timed(&|| theirs(&pooled)));
        }
        let [tool, new, pool] = times.map(median);
        let over = tool.saturating_sub(pool);
        let verdict = if over <= GOAL { "" } else { " (too slow)" };
        println!(
            "| {size} bytes | {} | {} | {} | {}{verdict} |",
            tool.as_micros(),
            new.as_micros(),
            pool.as_micros(),
            over.as_micros()
        );
    }
}

fn timed(work: &dyn Fn()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A server that answers every request with `body`, on a thread of its own.
fn serve(body: String) -> SocketAddr {
    let (sender, address) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            let body = Bytes::from(body);
            while let Ok((stream, _)) = listener.accept().await {
                let body = body.clone();
                let answer = service_fn(move |_: Request<Incoming>| {
                    let response = Response::builder()
                        .header("content-type", "text/plain")
                        .body(Full::new(body.clone()));
                    async move { response }
                });
                let server = hyper::server::conn::http1::Builder::new();
                tokio::spawn(server.serve_connection(TokioIo::new(stream), answer));
            }
        });
    });
    address.recv().unwrap()
}
