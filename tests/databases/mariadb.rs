//! A real MariaDB server.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{DATABASE_PASSWORD, DatabaseServer, skip, wait_for};

use crate::disguised::all_are_refused;
use crate::session::{ALLOW, Session};

/// Statements that set the database up; each is run by itself.
const SCHEMA: &[&str] = &[
    "CREATE TABLE owners (id int PRIMARY KEY, name varchar(50) NOT NULL)",
    "CREATE TABLE items (id int PRIMARY KEY, name varchar(50) DEFAULT 'none', price decimal(30, 10), owner int, \
     FOREIGN KEY (owner) REFERENCES owners (id), KEY items_name (name))",
    "CREATE TABLE plain (a int) ENGINE = MyISAM",
    "CREATE SEQUENCE items_seq",
    "INSERT INTO owners VALUES (1, 'Ann')",
    "INSERT INTO items SELECT seq, concat('item ', seq), seq / 7, 1 FROM seq_1_to_20000",
    "CREATE FUNCTION clear_items() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM items; RETURN 1; END",
    "CREATE PROCEDURE clear_all() DELETE FROM items",
    "ANALYZE TABLE items",
];

#[test]
fn mariadb() {
    let Some(server) = DatabaseServer::mariadb(SCHEMA) else { return skip("mariadb", "databases") };
    let settings = format!("{ALLOW}{}", server.settings());
    let session = Session::start(&settings, |_| "Deny");
    types(&session);
    parameters(&session);
    pages(&session);
    disguised(&session);
    schema_and_plans(&session);
    time_limits(&session);
    assert!(session.questions().is_empty());
    changes(&settings);
    connections(&server);
    session.keeps_no_password();
}

fn types(session: &Session) {
    for (expression, wanted) in [
        ("9223372036854775807", json!("9223372036854775807")),
        ("cast(18446744073709551615 as unsigned)", json!("18446744073709551615")),
        ("-5", json!(-5)),
        (
            "cast('12345678901234567890.123456789' as decimal(40, 9))",
            json!("12345678901234567890.123456789"),
        ),
        ("1e0 / 3", json!(1.0 / 3.0)),
        ("cast('2024-02-29' as date)", json!("2024-02-29")),
        ("cast('2024-02-29 12:00:00.5' as datetime(1))", json!("2024-02-29T12:00:00.500000")),
        ("cast('-26:03:04' as time)", json!("-26:03:04")),
        ("x'00ff'", json!({ "base64": "AP8=", "bytes": 2 })),
        ("'\u{e4}\u{1f600}'", json!("\u{e4}\u{1f600}")),
        ("b'101'", json!({ "base64": "BQ==", "bytes": 1 })),
        ("NULL", Value::Null),
        ("json_extract('{\"a\": 1}', '$.a')", json!("1")),
    ] {
        assert_eq!(
            session.value("shop", &format!("SELECT {expression} AS x")),
            wanted,
            "{expression}"
        );
    }
}

fn parameters(session: &Session) {
    let query = "SELECT ? + 1 AS a, ? AS b, ? AS c, ? AS d, ? AS e";
    let params = json!([41, "'; DELETE FROM items -- \\", null, true, 0.5]);
    let result =
        session.call("db_query", json!({ "connection": "shop", "query": query, "params": params }));
    let wanted = json!({ "a": 42, "b": "'; DELETE FROM items -- \\", "c": null, "d": 1, "e": 0.5 });
    assert_eq!(result["rows"], json!([wanted]));
    let few = json!({ "connection": "shop", "query": "SELECT ?, ?", "params": [1] });
    session.refused("db_query", few, "E_INVALID_PARAMS");
}

fn pages(session: &Session) {
    let mut params = json!({ "connection": "shop", "query": "SELECT id FROM items ORDER BY id", "max_rows": 1_500 });
    let mut seen = Vec::new();
    while seen.len() < 4_500 {
        let result = session.call("db_query", params.clone());
        seen.extend(
            result["rows"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()),
        );
        params["cursor"] = result["next_cursor"].clone();
    }
    assert_eq!(seen, (1..=4_500).collect::<Vec<i64>>());
}

/// Everything that could have changed.
fn state(session: &Session) -> String {
    let queries = [
        "SELECT count(*), sum(crc32(concat(id, name, price))) FROM items",
        "SELECT count(*) FROM information_schema.TABLES",
        "SELECT count(*) FROM information_schema.ROUTINES",
        "SELECT next_not_cached_value FROM items_seq",
    ];
    queries.map(|query| json!(session.rows("shop", query)).to_string()).join("\n")
}

fn disguised(session: &Session) {
    let before = state(session);
    all_are_refused(session, "mysql", "shop");
    assert_eq!(before, state(session));
    assert!(!std::path::Path::new("/tmp/x").exists());
}

fn schema_and_plans(session: &Session) {
    let result = session.call("db_schema", json!({ "connection": "shop", "filter": "items" }));
    let items = &result["tables"].as_array().unwrap()[0];
    assert_eq!(items["name"], "items");
    assert!(items["rows_estimate"].as_u64().unwrap() > 15_000, "{items}");
    assert_eq!(
        items["columns"][2],
        json!({ "name": "price", "type": "decimal(30,10)", "nullable": true, "default": "NULL" })
    );
    assert_eq!(items["primary_key"], json!(["id"]));
    assert_eq!(
        items["foreign_keys"],
        json!([{ "columns": ["owner"], "references": "owners(id)" }])
    );
    let plan = session.call(
        "db_explain",
        json!({ "connection": "shop", "query": "SELECT * FROM items WHERE price = 2" }),
    );
    assert_eq!(plan["suggestion"], "CREATE INDEX items_price ON items (price)", "{plan}");
    let query = json!({ "connection": "shop", "query": "SELECT * FROM items WHERE name = ?", "params": ["item 7"], "analyze": true });
    let plan = session.call("db_explain", query);
    assert!(plan.to_string().contains("items_name"), "{plan}");
}

fn time_limits(session: &Session) {
    let started = Instant::now();
    let query = "SELECT count(*) FROM items a, items b, items c WHERE a.name < b.name";
    session.refused(
        "db_query",
        json!({ "connection": "shop", "query": query, "timeout_ms": 400 }),
        "E_TIMEOUT",
    );
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let running = "SELECT count(*) AS n FROM information_schema.PROCESSLIST WHERE INFO LIKE '%a.name < b.name' AND ID <> connection_id()";
    wait_for("the end of the query", || (session.value("shop", running) == 0).then_some(()));
}

fn changes(settings: &str) {
    let update = json!({
        "connection": "shop", "query": "UPDATE items SET price = ? WHERE id < ?", "params": ["9.50", 3], "write": true,
    });
    let session = Session::start(settings, |_| "Deny");
    let before = state(&session);
    session.refused("db_query", update.clone(), "E_DENIED");
    assert_eq!(before, state(&session));
    let question = session.questions().join("\n");
    for part in ["UPDATE items SET price = ?", "changes 2 rows", "database/write/shop/UPDATE items"]
    {
        assert!(question.contains(part), "{part}: {question}");
    }
    let session = Session::start(settings, |_| "Allow once");
    assert_eq!(session.call("db_query", update)["affected_rows"], 2);
    assert_eq!(session.value("shop", "SELECT price FROM items WHERE id = 1"), "9.5000000000");
    let plain =
        json!({ "connection": "shop", "query": "INSERT INTO plain VALUES (1)", "write": true });
    session.refused("db_query", plain, "E_UNSUPPORTED");
    assert_eq!(session.value("shop", "SELECT count(*) FROM plain"), 0);
    for query in
        ["DROP TABLE plain", "SELECT load_file('/etc/passwd')", "SELECT 1 INTO OUTFILE '/tmp/x'"]
    {
        session.refused(
            "db_query",
            json!({ "connection": "shop", "query": query, "write": true }),
            "E_DENIED",
        );
    }
}

fn connections(server: &DatabaseServer) {
    let session = Session::start("", |_| "Allow once");
    let password = DATABASE_PASSWORD.replace('%', "%25");
    let url = format!("mysql://app:{password}@127.0.0.1:{}/shop", server.port);
    assert_eq!(session.value(&url, "SELECT database()"), "shop");
    let wrong = format!("mysql://app:hunter2-wrong@127.0.0.1:{}/shop", server.port);
    let error = session.refused(
        "db_query",
        json!({ "connection": wrong, "query": "SELECT 1" }),
        "E_UNAVAILABLE",
    );
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    session.keeps_no_password();
}
