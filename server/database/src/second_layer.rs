//! What servers do with disguised writes that no parser has stopped: the second layer by itself.

#![allow(clippy::print_stdout, reason = "what each server refuses is a result")]

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tests::{DATABASE_PASSWORD, DatabaseServer, skip};

use crate::engine::{Collected, Engine};
use crate::login::Login;
use crate::source::Source;
use crate::wire::{Address, Dial, Stop};

/// Time for a statement.
const TIME: Duration = Duration::from_secs(2);

fn source(server: &DatabaseServer) -> (Dial, Login) {
    let addresses = vec![std::net::Ipv4Addr::LOCALHOST.into()];
    let address = Address::Tcp { host: "127.0.0.1".to_owned(), port: server.port, addresses };
    let (user, database) = ("app".to_owned(), "shop".to_owned());
    (
        Dial { address, tls: None },
        Login { user, password: Some(DATABASE_PASSWORD.to_owned()), database },
    )
}

/// Sends all statements of an engine as if they read, and counts those that fail.
fn refused(engine: &str, source: &Source) -> (usize, Vec<String>) {
    let lists: BTreeMap<String, Vec<String>> =
        toml::from_str(include_str!("../../../tests/databases/disguised.toml")).unwrap();
    let mut accepted = Vec::new();
    for statement in &lists[engine] {
        let mut open = open(source);
        // Some would wait for minutes.
        let (ended, end) = channel::<()>();
        let canceller = open.canceller();
        std::thread::spawn(move || {
            if end.recv_timeout(TIME) == Err(RecvTimeoutError::Timeout) {
                canceller.cancel();
            }
        });
        let result = open.read(statement, &[], &mut Collected::new(10));
        drop(ended);
        if result.is_ok() {
            accepted.push(statement.clone());
        }
    }
    (lists[engine].len() - accepted.len(), accepted)
}

fn open(source: &Source) -> Box<dyn Engine> {
    source.open(false, TIME, &Stop::default()).unwrap()
}

fn value(source: &Source, sql: &str) -> String {
    let mut rows = Collected::new(1_000);
    open(source).read(sql, &[], &mut rows).unwrap();
    format!("{:?}", rows.rows)
}

#[test]
fn postgres_changes_nothing_by_itself() {
    let Some(server) = DatabaseServer::postgres() else {
        return skip("postgres_changes_nothing_by_itself", "databases");
    };
    let schema = "SET ROLE app; CREATE TABLE items (id int PRIMARY KEY, name text, price numeric); \
                  INSERT INTO items VALUES (1, 'pen', 1.5); CREATE SEQUENCE items_seq; \
                  CREATE MATERIALIZED VIEW named AS SELECT name FROM items; \
                  CREATE FUNCTION clear_items() RETURNS int LANGUAGE sql AS 'DELETE FROM items; SELECT 1'";
    server.psql("shop", schema).unwrap();
    let (dial, login) = source(&server);
    let source = Source::Postgres(dial, login);
    let state = "SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc), \
                 (SELECT last_value FROM items_seq), (SELECT count(*) FROM pg_roles)";
    let before = value(&source, state);
    let (count, accepted) = refused("postgres", &source);
    assert_eq!(before, value(&source, state));
    println!("PostgreSQL alone fails {count}; the others change nothing: {accepted:#?}");
}

#[test]
fn mariadb_changes_nothing_by_itself() {
    let schema = [
        "REVOKE FILE ON *.* FROM app@'%'",
        "CREATE TABLE items (id int PRIMARY KEY, name varchar(50), price decimal(30, 10))",
        "INSERT INTO items VALUES (1, 'pen', 1.5)",
        "CREATE SEQUENCE items_seq",
        "CREATE FUNCTION clear_items() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM items; RETURN 1; END",
        "CREATE PROCEDURE clear_all() DELETE FROM items",
    ];
    let Some(server) = DatabaseServer::mariadb(&schema) else {
        return skip("mariadb_changes_nothing_by_itself", "databases");
    };
    let (dial, login) = source(&server);
    let source = Source::Mysql(dial, login);
    let state = "SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM information_schema.TABLES), \
                 (SELECT count(*) FROM information_schema.ROUTINES)";
    let before = value(&source, state);
    let (count, accepted) = refused("mysql", &source);
    assert_eq!(before, value(&source, state));
    println!("MariaDB alone fails {count}; the others change nothing there: {accepted:#?}");
}
