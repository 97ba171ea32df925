//! Databases: `db_query`, `db_schema`, `db_explain`, for SQLite, PostgreSQL, MySQL and MariaDB.
//!
//! Start reading with [`guard`], which finds out what a statement does, then [`worker`]: each connection has a thread,
//! and the call's thread ends it when its time is up. This crate does not know LSP, MCP or languages. It opens no file
//! but databases that policy has decided on.

mod connection;
mod csv;
mod cursors;
mod db_explain;
mod db_query;
mod db_schema;
mod engine;
mod explain;
mod failure;
mod guard;
mod limits;
mod login;
mod mysql;
mod parameters;
mod postgres;
mod project;
mod schema;
#[cfg(test)]
mod second_layer;
mod source;
mod sqlite;
mod value;
mod wire;
mod worker;

use std::any::TypeId;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

use crate::cursors::OpenQueries;

/// The family, for the binary.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("database"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<db_query::DbQuery>(),
        Entry::new::<db_schema::DbSchema>(),
        Entry::new::<db_explain::DbExplain>(),
    ]
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<OpenQueries>(), Box::<OpenQueries>::default());
}
