//! Databases: SQLite files, real PostgreSQL and MariaDB servers, and servers that break their protocol.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "the table of refused statements is a result")]

mod disguised;
mod found;
mod hostile;
mod mariadb;
mod postgres;
mod session;
mod sqlite;
