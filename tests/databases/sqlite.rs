//! SQLite files.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use tests::{Agent, Home};

use crate::disguised::all_are_refused;
use crate::session::{ALLOW, Session};

const SCHEMA: &str = "
CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'none', price REAL, owner INTEGER REFERENCES owners (id));
CREATE UNIQUE INDEX items_name ON items (name);
CREATE VIEW named AS SELECT name FROM items;
INSERT INTO owners VALUES (1, 'Ann');
INSERT INTO items VALUES (1, 'pen', 1.5, 1), (2, 'cup', 3, 1), (3, 'hat', NULL, NULL);
";

fn create(home: &Home, name: &str, sql: &str) {
    let database = Connection::open(home.root().join(name)).unwrap();
    database.execute_batch(sql).unwrap();
}

fn shop(answer: &'static str) -> Session {
    let session = Session::start(ALLOW, move |_| answer);
    create(&session.home, "shop.db", SCHEMA);
    session
}

#[test]
fn rows_come_as_objects() {
    let session = shop("Deny");
    let result = session.call(
        "db_query",
        json!({ "connection": "shop.db", "query": "SELECT id, name, price FROM items WHERE price > ? ORDER BY id", "params": [1] }),
    );
    assert_eq!(
        result["rows"],
        json!([{ "id": 1, "name": "pen", "price": 1.5 }, { "id": 2, "name": "cup", "price": 3.0 }])
    );
    assert_eq!(result["affected_rows"], 0);
    assert_eq!(result["columns"][0], json!({ "name": "id", "type": "INTEGER" }));
    for connection in ["sqlite:shop.db", "sqlite:///shop.db", "file:shop.db", "./shop.db"] {
        assert_eq!(session.value(connection, "SELECT count(*) FROM items"), 3, "{connection}");
    }
    assert!(session.questions().is_empty());
    session.refused(
        "db_query",
        json!({ "connection": "gone.db", "query": "SELECT 1" }),
        "E_FILE_NOT_FOUND",
    );
    session.refused(
        "db_query",
        json!({ "connection": "../x.db", "query": "SELECT 1" }),
        "E_PATH_FORBIDDEN",
    );
    session.refused(
        "db_query",
        json!({ "connection": "shop.db", "query": "SELECT ?", "params": [] }),
        "E_INVALID_PARAMS",
    );
    session.refused(
        "db_query",
        json!({ "connection": "shop.db", "query": "SELECT nothing FROM items" }),
        "E_UNSUPPORTED",
    );
    std::fs::write(
        session.home.root().join("text.db"),
        "no database, but long enough to be read as one, or so it seems",
    )
    .unwrap();
    session.refused(
        "db_query",
        json!({ "connection": "text.db", "query": "SELECT * FROM x" }),
        "E_INVALID_PARAMS",
    );
    std::os::unix::fs::symlink("shop.db", session.home.root().join("link.db")).unwrap();
    assert_eq!(session.value("link.db", "SELECT count(*) FROM items"), 3);
    std::os::unix::fs::symlink("/etc/passwd", session.home.root().join("out.db")).unwrap();
    session.refused(
        "db_query",
        json!({ "connection": "out.db", "query": "SELECT 1" }),
        "E_PATH_FORBIDDEN",
    );
}

#[test]
fn values_are_exact() {
    let session = shop("Deny");
    for (expression, wanted) in [
        ("9007199254740991", json!(9_007_199_254_740_991_i64)),
        ("9223372036854775807", json!("9223372036854775807")),
        ("0.1", json!(0.1)),
        ("9e999", json!("inf")),
        ("NULL", Value::Null),
        ("x'00ff'", json!({ "base64": "AP8=", "bytes": 2 })),
        ("'2024-01-02'", json!("2024-01-02")),
        ("char(27) || '[2J'", json!("\u{1b}[2J")),
        ("cast(x'ff' as text)", json!({ "base64": "/w==", "bytes": 1 })),
    ] {
        assert_eq!(
            session.value("shop.db", &format!("SELECT {expression}")),
            wanted,
            "{expression}"
        );
    }
    let row = &session.rows("shop.db", "SELECT 1 AS a, 2 AS a")[0];
    assert_eq!(row, &json!({ "a": 1, "a_2": 2 }));
    let long = session.value("shop.db", "SELECT hex(zeroblob(10000))");
    assert_eq!((&long["bytes"], &long["truncated"]), (&json!(20_000), &json!(true)));
    let params = json!({ "connection": "shop.db", "query": "SELECT zeroblob(500000000)" });
    session.refused("db_query", params, "E_TOO_LARGE");
}

#[test]
fn text_for_models_has_no_terminal_codes() {
    let session = shop("Deny");
    let mut agent = Agent::start(
        session.home.command(),
        &["--workspace", "workspace", "--profile", "full"],
        None,
    );
    let query = "SELECT char(27) || ']0;x' || char(7) AS \"a\u{1b}b\", 'x\ny' AS c";
    let (text, _) = agent.text("db_query", json!({ "connection": "shop.db", "query": query }));
    assert_eq!(text.trim_end(), "a\\u{1b}b\tc\n\\u{1b}]0;x\\u{7}\tx\\ny");
}

#[test]
fn disguised_writes_are_refused() {
    let session = shop("Deny");
    std::fs::write(session.home.root().join("other.db"), "").unwrap();
    let before = std::fs::read(session.home.root().join("shop.db")).unwrap();
    let files = |session: &Session| {
        let names = std::fs::read_dir(session.home.root()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let names = files(&session);
    all_are_refused(&session, "sqlite", "shop.db");
    assert!(before == std::fs::read(session.home.root().join("shop.db")).unwrap());
    assert_eq!(names, files(&session));
    assert!(session.questions().is_empty(), "what only claims to read needs no question");
}

#[test]
fn pages_follow_each_other() {
    let session = shop("Deny");
    let query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n";
    let mut params = json!({ "connection": "shop.db", "query": query, "max_rows": 300 });
    let mut seen = Vec::new();
    for page in 0..4 {
        let result = session.call("db_query", params.clone());
        seen.extend(
            result["rows"].as_array().unwrap().iter().map(|row| row["i"].as_i64().unwrap()),
        );
        let cursor = &result["next_cursor"];
        assert_eq!(cursor.is_string(), page < 3, "{page}");
        params["cursor"] = cursor.clone();
    }
    assert_eq!(seen, (1..=1000).collect::<Vec<i64>>());
    // A cursor is for its own query, and for one page.
    params["cursor"] = json!(null);
    params.as_object_mut().unwrap().remove("cursor");
    let first = session.call("db_query", params.clone());
    params["cursor"] = first["next_cursor"].clone();
    let mut other = params.clone();
    other["query"] = json!("SELECT 1");
    session.refused("db_query", other, "E_CONFLICT");
    session.call("db_query", params.clone());
    session.refused("db_query", params, "E_CONFLICT");
    // A page has a limit in bytes, too.
    let wide = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i, hex(zeroblob(1000)) FROM n";
    let result = session.call("db_query", json!({ "connection": "shop.db", "query": wide }));
    assert!(result["rows"].as_array().unwrap().len() < 25 && result["next_cursor"].is_string());
}

#[test]
fn a_query_ends_when_its_time_is_up() {
    let session = shop("Deny");
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let started = Instant::now();
    let params = json!({ "connection": "shop.db", "query": endless, "timeout_ms": 300 });
    session.refused("db_query", params, "E_TIMEOUT");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[test]
fn a_change_is_shown_before_it_is_committed() {
    let session = shop("Allow once");
    let params = json!({
        "connection": "shop.db", "query": "UPDATE items SET price = ? WHERE owner = 1", "params": [9.5], "write": true,
    });
    let result = session.call("db_query", params.clone());
    assert_eq!(result["affected_rows"], 2);
    let questions = session.questions();
    assert_eq!(questions.len(), 1, "{questions:?}");
    for part in ["UPDATE items SET price = ?", "[9.5]", "changes 2 rows", "SCAN items", "shop.db"] {
        assert!(questions[0].contains(part), "{part}: {}", questions[0]);
    }
    assert_eq!(session.value("shop.db", "SELECT sum(price) FROM items"), 19.0);
    let result = session.call(
        "db_query",
        json!({ "connection": "shop.db", "query": "DELETE FROM items WHERE id = 3 RETURNING name", "write": true }),
    );
    assert_eq!(result["rows"], json!([{ "name": "hat" }]));
    // What no transaction can undo is refused, and no approval allows it.
    for query in [
        "VACUUM",
        "ATTACH 'other.db' AS x",
        "PRAGMA journal_mode = WAL",
        "SELECT load_extension('x')",
    ] {
        let params = json!({ "connection": "shop.db", "query": query, "write": true });
        session.refused("db_query", params, "E_DENIED");
    }

    let session = shop("Deny");
    let before = std::fs::read(session.home.root().join("shop.db")).unwrap();
    session.refused("db_query", params, "E_DENIED");
    assert_eq!(session.questions().len(), 1);
    assert!(before == std::fs::read(session.home.root().join("shop.db")).unwrap());
    // Nobody to ask.
    let mut command = session.home.command();
    let call =
        json!({ "connection": "shop.db", "query": "DELETE FROM items", "write": true }).to_string();
    let output = command
        .args(["call", "db_query", &call, "--workspace"])
        .arg(session.home.root())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("E_DENIED"), "{output:?}");
    assert_eq!(session.value("shop.db", "SELECT count(*) FROM items"), 3);
}

#[test]
fn tables_are_described() {
    let session = shop("Deny");
    let result = session.call("db_schema", json!({ "connection": "shop.db" }));
    let tables = result["tables"].as_array().unwrap();
    let names: Vec<_> = tables.iter().map(|table| table["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["items", "named", "owners"]);
    let items = &tables[0];
    assert_eq!(items["rows_estimate"], 3);
    assert_eq!(
        items["columns"][1],
        json!({ "name": "name", "type": "TEXT", "nullable": true, "default": "'none'" })
    );
    assert_eq!(items["primary_key"], json!(["id"]));
    assert_eq!(
        items["indexes"],
        json!([{ "name": "items_name", "columns": ["name"], "unique": true }])
    );
    assert_eq!(
        items["foreign_keys"],
        json!([{ "columns": ["owner"], "references": "owners(id)" }])
    );
    let result = session.call("db_schema", json!({ "connection": "shop.db", "filter": "OWNERS" }));
    assert_eq!(result["total"], 1);
}

#[test]
fn a_slow_query_gets_its_index() {
    let session = Session::start(ALLOW, |_| "Allow once");
    create(
        &session.home,
        "log.db",
        "CREATE TABLE log (id INTEGER PRIMARY KEY, kind TEXT, at INTEGER);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
         INSERT INTO log SELECT i, 'k' || (i % 100), i FROM n;",
    );
    let query = json!({ "connection": "log.db", "query": "SELECT * FROM log WHERE kind = ? AND at = 5", "params": ["k5"] });
    let plan = session.call("db_explain", query.clone());
    assert_eq!(plan["plan"]["full_scan"], true, "{plan}");
    assert!(plan["slow"][0].as_str().unwrap().contains("about 200000 rows"), "{plan}");
    let index = plan["suggestion"].as_str().unwrap();
    assert_eq!(index, "CREATE INDEX log_kind_at ON log (kind, at)");
    session.call("db_query", json!({ "connection": "log.db", "query": index, "write": true }));
    let plan = session.call("db_explain", query);
    assert_eq!(plan["plan"]["index"], "log_kind_at", "{plan}");
    assert!(plan.get("slow").is_none() && plan.get("suggestion").is_none(), "{plan}");
    // Uncertain: another condition, a join, a small table.
    for query in [
        "SELECT * FROM log WHERE at > 5",
        "SELECT * FROM log WHERE at = 5 OR at = 6",
        "SELECT * FROM log a JOIN log b ON a.at = b.at WHERE a.at = 1",
    ] {
        let plan = session.call("db_explain", json!({ "connection": "log.db", "query": query }));
        assert!(plan.get("suggestion").is_none(), "{query}: {plan}");
    }
    let change = json!({ "connection": "log.db", "query": "DELETE FROM log" });
    session.refused("db_explain", change, "E_INVALID_PARAMS");
}

#[test]
fn rows_are_stored_as_csv() {
    let session = shop("Deny");
    let params = json!({ "connection": "shop.db", "query": "SELECT name, price FROM items", "save_to": "out/items.csv" });
    let result = session.call("db_query", params.clone());
    assert_eq!(
        (&result["file_rows"], &result["file"]["path"]),
        (&json!(3), &json!("out/items.csv"))
    );
    let text = std::fs::read_to_string(session.home.root().join("out/items.csv")).unwrap();
    assert_eq!(text, "name,price\r\npen,1.5\r\ncup,3.0\r\nhat,\r\n");
    session.refused("db_query", params, "E_EXISTS");
    let params = json!({ "connection": "shop.db", "query": "SELECT 1", "save_to": "/tmp/x.csv" });
    session.refused("db_query", params, "E_PATH_FORBIDDEN");
}

#[test]
fn rules_against_reading_count() {
    let session = Session::start("[policy.deny]\nread = [\"shop.db\"]\n", |_| "Allow once");
    create(&session.home, "shop.db", SCHEMA);
    for tool in ["db_query", "db_explain"] {
        session.refused(tool, json!({ "connection": "shop.db", "query": "SELECT 1" }), "E_DENIED");
    }
    session.refused("db_schema", json!({ "connection": "shop.db" }), "E_DENIED");
}
