//! `db_query` beside the bare driver, and a million rows through its cursor.
//!
//! `cargo bench -p tests --bench databases`, with `TANDEM_BIN` naming a release build.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints, and fails by panicking"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use tests::Server;

const CALLS: u32 = 300;
const ROWS: u64 = 1_000_000;

fn main() {
    let server = Server::start("//- /a.txt\n");
    let path = server.path("bench.db");
    let fill = format!(
        "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, price REAL);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
         INSERT INTO items SELECT i, 'item ' || i, i / 7.0 FROM n"
    );
    Connection::open(&path).unwrap().execute_batch(&fill).unwrap();
    let query = "SELECT id, name, price FROM items WHERE id = ?";
    let bare = median(|n| bare(&path, query, n));
    let tool = median(|n| {
        server.must("db_query", json!({ "connection": "bench.db", "query": query, "params": [n] }));
    });
    let other = median(|_| {
        server.must("file_exists", json!({ "path": "bench.db" }));
    });
    println!(
        "one row, opening the file each time: rusqlite {bare:?}, db_query {tool:?}, file_exists {other:?}"
    );
    let before = memory(&server);
    let (mut seen, mut peak, started) = (0, 0, Instant::now());
    let mut params = json!({ "connection": "bench.db", "query": "SELECT id, name, price FROM items", "max_rows": 2_000 });
    loop {
        let page = server.must("db_query", params.clone());
        seen += page["rows"].as_array().unwrap().len() as u64;
        peak = peak.max(memory(&server));
        match &page["next_cursor"] {
            Value::Null => break,
            cursor => params["cursor"] = cursor.clone(),
        }
    }
    assert_eq!(seen, ROWS);
    println!(
        "{ROWS} rows in pages: {:?}; memory {before} KiB before, {peak} KiB at most",
        started.elapsed()
    );
}

fn bare(path: &Path, query: &str, id: u32) {
    let database = Connection::open(path).unwrap();
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let found: (i64, String, f64) = database.query_row(query, [id], row).unwrap();
    assert_eq!(found.0, i64::from(id));
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

/// The memory of the server's process in KiB.
fn memory(server: &Server) -> u64 {
    let status = format!("/proc/{}/status", server.process().unwrap().id());
    let status = std::fs::read_to_string(status).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
