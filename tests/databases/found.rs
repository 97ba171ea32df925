//! Databases that the project's files name.

use rusqlite::Connection;
use serde_json::json;

use crate::session::Session;

#[test]
fn what_the_project_names_is_approved_first() {
    let session = Session::start("", |_| "Deny");
    let root = session.home.root();
    Connection::open(root.join("app.db"))
        .unwrap()
        .execute_batch("CREATE TABLE a (b); INSERT INTO a VALUES (1)")
        .unwrap();
    std::fs::write(
        root.join(".env"),
        "LOCAL=sqlite:///app.db\nSHOP=postgres://app:hunter2@127.0.0.1:1/shop\n",
    )
    .unwrap();
    let query = |connection: &str| json!({ "connection": connection, "query": "SELECT count(*) AS n FROM a" });
    assert_eq!(session.call("db_query", query("LOCAL"))["rows"], json!([{ "n": 1 }]));
    assert!(session.questions().is_empty(), "a file of the workspace may be read");
    let error = session.refused("db_query", query("SHOP"), "E_DENIED");
    let questions = session.questions().join("\n");
    assert!(
        questions.contains("127.0.0.1:1 (loopback)")
            && questions.contains("database/read/app@127.0.0.1:1/shop"),
        "{questions}"
    );
    for text in [questions, format!("{error:?}")] {
        assert!(!text.contains("hunter2"), "{text}");
    }
    let error = session.refused("db_query", json!({ "query": "SELECT 1" }), "E_INVALID_PARAMS");
    assert!(format!("{error:?}").contains("LOCAL, SHOP"), "{error:?}");
    session.keeps_no_password();
}

#[test]
fn a_rule_against_reading_the_file_hides_what_it_names() {
    let session = Session::start("[policy.deny]\nread = [\".env\"]\n", |_| "Allow once");
    std::fs::write(
        session.home.root().join(".env"),
        "SHOP=postgres://app:hunter2@127.0.0.1:1/shop\n",
    )
    .unwrap();
    let error = session.refused(
        "db_query",
        json!({ "connection": "SHOP", "query": "SELECT 1" }),
        "E_FILE_NOT_FOUND",
    );
    assert!(!format!("{error:?}").contains("127.0.0.1"), "{error:?}");
}
