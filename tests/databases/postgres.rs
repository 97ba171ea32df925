//! A real PostgreSQL server.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{DATABASE_PASSWORD, DatabaseServer, skip, wait_for};

use crate::disguised::all_are_refused;
use crate::session::{ALLOW, Session};

const SCHEMA: &str = "
SET ROLE app;
CREATE TABLE owners (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE items (id int PRIMARY KEY, name text DEFAULT 'none', price numeric(20, 10), owner int REFERENCES owners);
CREATE INDEX items_name ON items (name);
CREATE MATERIALIZED VIEW named AS SELECT name FROM items;
CREATE SEQUENCE items_seq;
INSERT INTO owners VALUES (1, 'Ann');
INSERT INTO items SELECT i, 'item ' || i, i / 7.0, 1 FROM generate_series(1, 20000) i;
CREATE FUNCTION clear_items() RETURNS int LANGUAGE sql AS 'DELETE FROM items; SELECT 1';
CREATE PROCEDURE clear_all() LANGUAGE sql AS 'DELETE FROM items';
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN small AS int CHECK (VALUE < 10);
ANALYZE;
";

fn server(test: &str) -> Option<DatabaseServer> {
    let server = DatabaseServer::postgres();
    match &server {
        Some(server) => assert!(server.psql("shop", SCHEMA).is_some()),
        None => skip(test, "databases"),
    }
    server
}

/// Everything that could have changed.
fn state(server: &DatabaseServer) -> String {
    let sql = "SELECT md5(string_agg(i::text, ',' ORDER BY id)) FROM items i; SELECT last_value, is_called FROM items_seq; \
               SELECT count(*) FROM pg_class; SELECT count(*) FROM pg_proc; SELECT rolname, rolpassword FROM pg_authid ORDER BY 1; \
               SELECT count(*) FROM pg_largeobject_metadata; SELECT name, setting FROM pg_settings WHERE source = 'database'";
    server.psql("shop", sql).unwrap()
}

#[test]
fn postgres() {
    let Some(server) = server("postgres") else { return };
    let settings = format!("{ALLOW}{}", server.settings());
    let session = Session::start(&settings, |_| "Deny");
    types(&session);
    parameters(&session);
    pages(&session, &server);
    disguised(&session, &server);
    schema_and_plans(&session);
    time_limits(&session, &server);
    cancellation(&session, &server);
    assert!(session.questions().is_empty());
    changes(&server, &settings);
    connections(&server);
    session.keeps_no_password();
}

fn types(session: &Session) {
    for (expression, kind, wanted) in [
        ("true", "boolean", json!(true)),
        ("9223372036854775807::int8", "bigint", json!("9223372036854775807")),
        (
            "123456789012345678901234567890.123456789::numeric",
            "numeric",
            json!("123456789012345678901234567890.123456789"),
        ),
        ("0.1::float8", "double precision", json!(0.1)),
        ("0.1::float4", "real", json!(0.1)),
        ("'NaN'::float8", "double precision", json!("NaN")),
        ("'2024-02-29'::date", "date", json!("2024-02-29")),
        (
            "'2024-02-29 12:00:00.5'::timestamp",
            "timestamp without time zone",
            json!("2024-02-29T12:00:00.5"),
        ),
        (
            "'2024-02-29 12:00+00'::timestamptz at time zone 'UTC'",
            "timestamp without time zone",
            json!("2024-02-29T12:00:00"),
        ),
        ("'1 day 2 hours'::interval", "interval", json!("P1DT2H")),
        ("'{\"a\": [1, 2.5, null]}'::jsonb", "jsonb", json!({ "a": [1, 2.5, null] })),
        (
            "'{\"a\": 12345678901234567890.5}'::jsonb",
            "jsonb",
            json!("{\"a\": 12345678901234567890.5}"),
        ),
        ("'\\x00ff'::bytea", "bytea", json!({ "base64": "AP8=", "bytes": 2 })),
        ("ARRAY[1, NULL, 3]", "integer[]", json!([1, null, 3])),
        ("ARRAY['a,b', 'c\"d', NULL]", "text[]", json!(["a,b", "c\"d", null])),
        ("ARRAY[[1,2],[3,4]]", "integer[]", json!([[1, 2], [3, 4]])),
        ("ARRAY['sad', 'ok']::mood[]", "mood[]", json!(["sad", "ok"])),
        ("'ok'::mood", "mood", json!("ok")),
        ("5::small", "small", json!(5)),
        (
            "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid",
            "uuid",
            json!("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ),
        ("'192.0.2.0/24'::inet", "inet", json!("192.0.2.0/24")),
        ("int4range(1, 5)", "int4range", json!("[1,5)")),
        ("ROW(1, 'a')", "record", json!("(1,a)")),
        ("NULL::int", "integer", Value::Null),
        ("chr(27) || '[2J'", "text", json!("\u{1b}[2J")),
    ] {
        let result = session.call(
            "db_query",
            json!({ "connection": "shop", "query": format!("SELECT {expression} AS x") }),
        );
        assert_eq!(result["rows"], json!([{ "x": wanted }]), "{expression}");
        if kind != "small" {
            assert_eq!(result["columns"], json!([{ "name": "x", "type": kind }]), "{expression}");
        }
    }
}

fn parameters(session: &Session) {
    let query = "SELECT $1::int + 1 AS a, $2::text AS b, $3::int[] AS c, $4::jsonb AS d, $5::numeric AS e, $6::bool AS f, $7::text AS g";
    let params = json!([41, "'; DELETE FROM items --", [1, 2], { "x": 1 }, "0.10", true, null]);
    let result =
        session.call("db_query", json!({ "connection": "shop", "query": query, "params": params }));
    let wanted = json!({ "a": 42, "b": "'; DELETE FROM items --", "c": [1, 2], "d": { "x": 1 }, "e": "0.10", "f": true, "g": null });
    assert_eq!(result["rows"], json!([wanted]));
    let few = json!({ "connection": "shop", "query": "SELECT $1::int, $2::int", "params": [1] });
    session.refused("db_query", few, "E_INVALID_PARAMS");
    let wrong = json!({ "connection": "shop", "query": "SELECT $1::int", "params": ["x"] });
    session.refused("db_query", wrong, "E_UNSUPPORTED");
}

fn pages(session: &Session, server: &DatabaseServer) {
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
    // Four queries stay open; the oldest is closed at the server, too.
    for n in 0..6 {
        let query = format!("SELECT id + {n} FROM items");
        session.call("db_query", json!({ "connection": "shop", "query": query, "max_rows": 1 }));
    }
    session.refused("db_query", params, "E_CONFLICT");
    wait_for("closed queries", || {
        let count = server.psql(
            "shop",
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tandem'",
        );
        (count.unwrap().trim() == "4").then_some(())
    });
}

fn disguised(session: &Session, server: &DatabaseServer) {
    let before = state(server);
    all_are_refused(session, "postgres", "shop");
    assert_eq!(before, state(server));
    // A function that the catalog calls stable, and that lies: the transaction is read-only.
    server
        .psql(
            "shop",
            "SET ROLE app; CREATE FUNCTION liar() RETURNS int STABLE LANGUAGE plpgsql AS \
                         'BEGIN PERFORM clear_items(); RETURN 1; END'; \
                         CREATE VIEW trap AS SELECT liar()",
        )
        .unwrap();
    for query in ["SELECT liar()", "SELECT * FROM trap"] {
        let error = session.refused(
            "db_query",
            json!({ "connection": "shop", "query": query }),
            "E_DENIED",
        );
        assert_eq!(error.data["details"]["layer"], "engine", "{error:?}");
    }
    server.psql("shop", "DROP VIEW trap; DROP FUNCTION liar()").unwrap();
}

fn schema_and_plans(session: &Session) {
    let result = session.call("db_schema", json!({ "connection": "shop", "filter": "items" }));
    let items = &result["tables"].as_array().unwrap()[0];
    assert_eq!((&items["name"], &items["rows_estimate"]), (&json!("items"), &json!(20_000)));
    assert_eq!(
        items["columns"][1],
        json!({ "name": "name", "type": "text", "nullable": true, "default": "'none'::text" })
    );
    assert_eq!(items["columns"][2]["type"], "numeric(20,10)");
    assert_eq!(items["primary_key"], json!(["id"]));
    assert_eq!(items["indexes"][0], json!({ "name": "items_name", "columns": ["name"] }));
    assert_eq!(
        items["foreign_keys"],
        json!([{ "columns": ["owner"], "references": "owners(id)" }])
    );
    let query = json!({ "connection": "shop", "query": "SELECT * FROM items WHERE price = 2" });
    let plan = session.call("db_explain", query);
    assert_eq!(plan["suggestion"], "CREATE INDEX items_price ON items (price)", "{plan}");
    let query = json!({ "connection": "shop", "query": "SELECT * FROM items WHERE name = $1", "params": ["item 7"], "analyze": true });
    let plan = session.call("db_explain", query);
    assert!(
        plan.to_string().contains("items_name") && plan["plan"]["actual_ms"].is_number(),
        "{plan}"
    );
}

fn time_limits(session: &Session, server: &DatabaseServer) {
    let started = Instant::now();
    let query = "SELECT count(*) FROM generate_series(1, 1000000000) a, generate_series(1, 1000) b";
    session.refused(
        "db_query",
        json!({ "connection": "shop", "query": query, "timeout_ms": 400 }),
        "E_TIMEOUT",
    );
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%1000000000%' AND pid <> pg_backend_pid()";
    wait_for("the end of the query", || {
        (server.psql("shop", running).unwrap().trim() == "0").then_some(())
    });
}

/// A cancelled call ends its query at the server.
fn cancellation(session: &Session, server: &DatabaseServer) {
    let query = "SELECT count(*) FROM generate_series(1, 1000000001) a, generate_series(1, 1000) b";
    let params = json!({ "command": "tandem.db_query", "arguments": [{ "connection": "shop", "query": query }] });
    let call = session.client.start_request("workspace/executeCommand", params).unwrap();
    let running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%1000000001%' AND pid <> pg_backend_pid()";
    let count =
        |wanted: &str| (server.psql("shop", running).unwrap().trim() == wanted).then_some(());
    wait_for("the query", || count("1"));
    session.client.cancel(call.id).unwrap();
    let error = call.wait(Duration::from_secs(5)).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32800);
    wait_for("the end of the query", || count("0"));
}

fn changes(server: &DatabaseServer, settings: &str) {
    let update = json!({
        "connection": "shop", "query": "UPDATE items SET price = $1 WHERE id < $2 RETURNING id", "params": ["9.50", 3], "write": true,
    });
    let before = state(server);
    let session = Session::start(settings, |_| "Deny");
    session.refused("db_query", update.clone(), "E_DENIED");
    assert_eq!(before, state(server));
    let question = session.questions().join("\n");
    for part in [
        "UPDATE items SET price = $1",
        "changes 2 rows",
        "Index Scan",
        "database/write/shop/UPDATE items",
    ] {
        assert!(question.contains(part), "{part}: {question}");
    }
    let session = Session::start(settings, |_| "Allow once");
    let result = session.call("db_query", update);
    assert_eq!(
        (&result["affected_rows"], &result["rows"]),
        (&json!(2), &json!([{ "id": 1 }, { "id": 2 }]))
    );
    assert_eq!(session.value("shop", "SELECT price FROM items WHERE id = 1"), "9.5000000000");
    for query in [
        "SELECT pg_read_file('/etc/passwd')",
        "COPY items TO PROGRAM 'id'",
        "DO $$ BEGIN END $$",
        "VACUUM",
    ] {
        session.refused(
            "db_query",
            json!({ "connection": "shop", "query": query, "write": true }),
            "E_DENIED",
        );
    }
    session.keeps_no_password();
}

fn connections(server: &DatabaseServer) {
    // A URL with a password works after approval, and the password is in no record.
    let session = Session::start("", |_| "Allow once");
    let url = format!(
        "postgres://app:{}@127.0.0.1:{}/shop",
        DATABASE_PASSWORD.replace('%', "%25"),
        server.port
    );
    assert_eq!(session.value(&url, "SELECT current_user"), "app");
    let questions = session.questions().join("\n");
    assert!(questions.contains("(loopback)") && questions.contains("log in as app"), "{questions}");
    assert!(!questions.contains("hunter2"), "{questions}");
    let wrong = format!("postgres://app:hunter2-wrong@127.0.0.1:{}/shop", server.port);
    let error = session.refused(
        "db_query",
        json!({ "connection": wrong, "query": "SELECT 1" }),
        "E_UNAVAILABLE",
    );
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    session.keeps_no_password();
    // By the socket.
    let settings = format!(
        "{ALLOW}[databases.s]\nkind = \"postgres\"\nsocket = \"{}\"\nuser = \"app\"\npassword_env = \"SHOP_PASSWORD\"\ndatabase = \"shop\"\n",
        server.socket.display()
    );
    let session = Session::start(&settings, |_| "Deny");
    assert_eq!(session.value("s", "SELECT 1"), 1);
    // Nobody approves.
    let session = Session::start(&server.settings(), |_| "Deny");
    session.refused("db_query", json!({ "connection": "shop", "query": "SELECT 1" }), "E_DENIED");
}
