//! Functions that only compute, and those that do more.
//!
//! MySQL has no catalog of what its functions do, so a query may call only functions that `mysql_functions.txt` lists.
//! PostgreSQL's catalog knows, and is queried (`crate::postgres::catalog`); here are those that it takes for harmless,
//! and those that must not even be sent. SQLite has few, and its authorizer sees each call.

use std::collections::HashSet;
use std::sync::OnceLock;

use sqlparser::ast::{ObjectName, ObjectNamePart};

use crate::engine::Kind;

/// Functions of SQLite that reach files or code.
const SQLITE_DENIED: &[&str] = &[
    "load_extension",
    "fts3_tokenizer",
    "readfile",
    "writefile",
    "edit",
    "lsmode",
    "fsdir",
    "zipfile",
    "sqlar_compress",
    "sqlite_dbpage",
    "sqlite_dbdata",
    "eval",
    "system",
    "shell",
    "generate_series_write",
];

/// How the names of functions of PostgreSQL begin that reach files, other servers, sessions or settings.
const POSTGRES_DENIED: &[&str] = &[
    "pg_read_",
    "pg_ls_",
    "pg_stat_file",
    "pg_file_",
    "pg_logdir_",
    "lo_",
    "loread",
    "lowrite",
    "dblink",
    "pg_terminate_",
    "pg_cancel_",
    "pg_reload_",
    "pg_rotate_",
    "pg_promote",
    "pg_switch_",
    "pg_create_",
    "pg_drop_",
    "pg_backup_",
    "pg_start_backup",
    "pg_stop_backup",
    "pg_wal_replay_",
    "pg_logical_",
    "pg_replication_",
    "pg_copy_",
    "pg_sync_",
    "pg_advisory_",
    "pg_try_advisory_",
    "pg_notify",
    "pg_sleep",
    "pg_stat_reset",
    "pg_log_",
    "pg_import_",
    "pg_export_",
    "pg_extension_config",
    "pg_prewarm",
    "pg_buffercache_evict",
    "pg_set_",
    "pg_clear_",
    "pg_restore_",
    "set_config",
    "setval",
    "nextval",
    "query_to_xml",
    "cursor_to_xml",
    "table_to_xml",
    "schema_to_xml",
    "database_to_xml",
    "xpath_table",
    "crosstab",
    "connectby",
    "adminpack",
    "txid_current",
    "pg_current_xact_id",
    "brin_summarize_",
    "brin_desummarize_",
    "gin_clean_",
    "pg_execute_server_program",
    "plpgsql_",
    "plpython",
    "plperl",
    "http_",
    "ts_stat",
    "ts_rewrite",
    "binary_upgrade_",
    "currtid",
    "pg_relation_filepath",
    "pg_nextoid",
    "pg_force_",
];

/// Why a function must not be called; `None` if it may be.
pub(super) fn refusal(kind: Kind, name: &ObjectName) -> Option<String> {
    let last = last_name(name);
    let refused =
        |why: &str| Some(format!("the function `{}` {why}", crate::failure::printable(&last)));
    match kind {
        Kind::Sqlite if SQLITE_DENIED.contains(&last.as_str()) => refused("reaches files or code"),
        Kind::Postgres if POSTGRES_DENIED.iter().any(|start| last.starts_with(start)) => {
            refused("reaches files, other servers, sessions or settings")
        }
        Kind::Mysql if name.0.len() > 1 => refused("is a stored one, which may write"),
        Kind::Mysql if !mysql_functions().contains(last.as_str()) => {
            refused("is not known to only compute")
        }
        _ => None,
    }
}

/// The last part of a name, in lower case.
pub(super) fn last_name(name: &ObjectName) -> String {
    match name.0.last() {
        Some(ObjectNamePart::Identifier(part)) => part.value.to_lowercase(),
        Some(other) => other.to_string().to_lowercase(),
        None => String::new(),
    }
}

fn mysql_functions() -> &'static HashSet<&'static str> {
    static NAMES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| include_str!("mysql_functions.txt").split_whitespace().collect())
}
