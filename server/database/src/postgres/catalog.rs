//! What the server's catalog knows: types, and which functions only compute.

use serde_json::{Value, json};

use super::Postgres;
use crate::engine::{Collected, Engine};
use crate::failure::{Failure, Layer};

/// Functions that PostgreSQL marks as volatile and that change nothing.
const HARMLESS: &[&str] = &[
    "random",
    "clock_timestamp",
    "timeofday",
    "gen_random_uuid",
    "setseed",
    "statement_timestamp",
    "pg_relation_size",
    "pg_table_size",
    "pg_total_relation_size",
    "pg_indexes_size",
    "pg_database_size",
    "pg_tablespace_size",
    "pg_column_size",
    "currval",
    "lastval",
    "pg_is_in_recovery",
    "pg_stat_get_activity",
    "pg_get_keywords",
    "pg_lock_status",
    "pg_blocking_pids",
    "pg_is_other_temp_schema",
    "pg_current_wal_lsn",
    "pg_stat_get_progress_info",
    "has_table_privilege",
    "percentile_cont",
    "percentile_disc",
    "uuid_generate_v4",
    "array_agg",
    "generate_series",
    "unnest",
    "version",
    "pg_options_to_table",
    "pg_show_all_settings",
];

impl Postgres {
    /// Refuses a query that calls a function that is neither immutable nor stable by the catalog.
    pub(super) fn check_volatile(&mut self, names: &[String]) -> Result<(), Failure> {
        let unknown: Vec<&String> =
            names.iter().filter(|name| !HARMLESS.contains(&name.as_str())).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let list = self.rows(
            "SELECT DISTINCT p.proname, n.nspname FROM pg_catalog.pg_proc p \
             JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
             WHERE p.provolatile = 'v' AND p.prokind <> 'a' \
             AND p.proname = ANY (SELECT pg_catalog.json_array_elements_text($1::json))",
            &[json!(unknown)],
        )?;
        let Some(row) = list.first() else { return Ok(()) };
        let shown = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let why = format!(
            "the function `{}.{}` may change something (VOLATILE)",
            shown(&row[1]),
            shown(&row[0])
        );
        Err(Failure::refused(Layer::Catalog, why))
    }

    /// Looks types up.
    pub(super) fn learn(&mut self, oids: &[u32]) -> Result<(), Failure> {
        let rows = self.inner_rows(
            "SELECT t.oid, pg_catalog.format_type(t.oid, NULL), t.typelem, t.typcategory, t.typbasetype \
             FROM pg_catalog.pg_type t WHERE t.oid::int8 = ANY (SELECT pg_catalog.json_array_elements_text($1::json)::int8)",
            &[json!(oids)],
        )?;
        for row in &rows {
            let number =
                |value: &Value| value.as_u64().and_then(|oid| u32::try_from(oid).ok()).unwrap_or(0);
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let element = if text(&row[3]) == "A" { number(&row[2]) } else { 0 };
            self.types.add(number(&row[0]), text(&row[1]), element, number(&row[4]));
        }
        for oid in oids {
            self.types.add_unknown(*oid);
        }
        Ok(())
    }

    fn rows(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Vec<Value>>, Failure> {
        let mut rows = Collected::new(crate::limits::CATALOG_ROWS);
        self.read(sql, parameters, &mut rows)?;
        Ok(rows.rows)
    }

    /// The rows of a query inside the transaction that is open.
    fn inner_rows(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Vec<Value>>, Failure> {
        let mut rows = Collected::new(crate::limits::CATALOG_ROWS);
        self.run(sql, parameters, &mut rows)?;
        Ok(rows.rows)
    }
}
