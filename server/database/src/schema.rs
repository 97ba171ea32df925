//! Tables, columns, keys and indexes, from each database's own catalog.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::engine::{Engine, Kind, all_rows};
use crate::failure::Failure;

/// A table or view.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Table {
    /// Its name, with its schema if that is not the usual one.
    pub(crate) name: String,
    /// `table`, `view` or another kind.
    pub(crate) kind: String,
    /// About how many rows it has, if the database knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rows_estimate: Option<u64>,
    pub(crate) columns: Vec<TableColumn>,
    /// The columns of the primary key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) primary_key: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) indexes: Vec<Index>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) foreign_keys: Vec<ForeignKey>,
}

/// A column of a table.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct TableColumn {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Whether it may be NULL.
    pub(crate) nullable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<String>,
}

/// An index. Expressions stand as they are written.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unique: bool,
}

/// A foreign key.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ForeignKey {
    pub(crate) columns: Vec<String>,
    /// `TABLE(COLUMNS)`.
    pub(crate) references: String,
}

/// All tables and views that are not the database's own, by name.
pub(crate) fn tables(engine: &mut dyn Engine, kind: Kind) -> Result<Vec<Table>, Failure> {
    match kind {
        Kind::Sqlite => sqlite(engine),
        Kind::Postgres => postgres(engine),
        Kind::Mysql => mysql(engine),
    }
}

/// A column of a catalog's row, as text.
fn text(row: &[Value], index: usize) -> String {
    match row.get(index) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

fn optional(row: &[Value], index: usize) -> Option<String> {
    (!row.get(index)?.is_null()).then(|| text(row, index))
}

fn is_true(row: &[Value], index: usize) -> bool {
    matches!(text(row, index).as_str(), "1" | "true" | "YES")
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn sqlite(engine: &mut dyn Engine) -> Result<Vec<Table>, Failure> {
    let listed = all_rows(
        engine,
        "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' \
         ESCAPE '\\' ORDER BY name",
        &[],
    )?;
    let has_statistics =
        all_rows(engine, "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'", &[])?;
    let mut estimates = BTreeMap::new();
    if !has_statistics.is_empty() {
        for row in all_rows(engine, "SELECT tbl, stat FROM sqlite_stat1", &[])? {
            let count = text(&row, 1).split(' ').next().and_then(|count| count.parse::<u64>().ok());
            estimates.entry(text(&row, 0)).or_insert(count);
        }
    }
    let mut tables = Vec::new();
    for row in &listed {
        let name = text(row, 0);
        let mut table = Table { kind: text(row, 1), ..Table::default() };
        table.rows_estimate = match estimates.get(&name) {
            Some(estimate) => *estimate,
            None if table.kind == "table" => last_rowid(engine, &name),
            None => None,
        };
        let own = [json!(name)];
        // A view over a table that is gone has no columns.
        let columns = all_rows(
            engine,
            "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1",
            &own,
        )
        .unwrap_or_default();
        let mut keys: Vec<(u64, String)> = Vec::new();
        for column in &columns {
            if let Some(place) = column[4].as_u64().filter(|place| *place > 0) {
                keys.push((place, text(column, 0)));
            }
            table.columns.push(TableColumn {
                name: text(column, 0),
                kind: text(column, 1),
                nullable: !is_true(column, 2),
                default: optional(column, 3),
            });
        }
        keys.sort();
        table.primary_key = keys.into_iter().map(|(_, name)| name).collect();
        let indexes = all_rows(
            engine,
            "SELECT l.name, l.\"unique\", json_group_array(coalesce(i.name, '(expression)')) FROM pragma_index_list(?) l, \
             pragma_index_info(l.name) i GROUP BY l.name, l.\"unique\" ORDER BY l.name",
            &own,
        )?;
        for index in &indexes {
            let columns = serde_json::from_str(&text(index, 2)).unwrap_or_default();
            table.indexes.push(Index { name: text(index, 0), columns, unique: is_true(index, 1) });
        }
        let keys = all_rows(
            engine,
            "SELECT id, \"table\", json_group_array(\"from\"), json_group_array(coalesce(\"to\", '')) \
             FROM pragma_foreign_key_list(?) GROUP BY id, \"table\" ORDER BY id",
            &own,
        )?;
        for key in &keys {
            let columns = serde_json::from_str(&text(key, 2)).unwrap_or_default();
            let to: Vec<String> = serde_json::from_str(&text(key, 3)).unwrap_or_default();
            let references = format!("{}({})", text(key, 1), to.join(", "));
            table.foreign_keys.push(ForeignKey { columns, references });
        }
        table.name = name;
        tables.push(table);
    }
    Ok(tables)
}

/// The highest row number, which is about the number of rows and costs nothing to find.
fn last_rowid(engine: &mut dyn Engine, table: &str) -> Option<u64> {
    let quoted = table.replace('"', "\"\"");
    let rows = all_rows(engine, &format!("SELECT max(rowid) FROM \"{quoted}\""), &[]).ok()?;
    Some(rows.first()?.first()?.as_u64().unwrap_or(0))
}

fn postgres(engine: &mut dyn Engine) -> Result<Vec<Table>, Failure> {
    let own = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_toast'";
    let name = "CASE WHEN n.nspname = 'public' THEN c.relname::text ELSE n.nspname || '.' || c.relname END";
    let listed = all_rows(
        engine,
        &format!(
            "SELECT {name}, CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' \
             ELSE 'table' END, CASE WHEN c.reltuples >= 0 THEN c.reltuples::int8 END, c.oid \
             FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND {own} ORDER BY 1"
        ),
        &[],
    )?;
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    for row in &listed {
        let table = Table {
            name: text(row, 0),
            kind: text(row, 1),
            rows_estimate: row[2].as_u64(),
            ..Table::default()
        };
        tables.insert(text(row, 3), table);
    }
    let columns = all_rows(
        engine,
        &format!(
            "SELECT c.oid, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, \
             pg_catalog.pg_get_expr(d.adbin, d.adrelid) FROM pg_catalog.pg_attribute a \
             JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
             WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND {own} \
             ORDER BY c.oid, a.attnum"
        ),
        &[],
    )?;
    add_columns(&mut tables, &columns);
    let indexes = all_rows(
        engine,
        &format!(
            "SELECT i.indrelid, x.relname, i.indisunique, i.indisprimary, ARRAY(SELECT pg_catalog.pg_get_indexdef(i.indexrelid, \
             k + 1, true) FROM generate_series(0, i.indnkeyatts - 1) k) FROM pg_catalog.pg_index i \
             JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid JOIN pg_catalog.pg_class c ON c.oid = i.indrelid \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE {own} ORDER BY x.relname"
        ),
        &[],
    )?;
    for row in &indexes {
        let Some(table) = tables.get_mut(&text(row, 0)) else { continue };
        let columns = texts(row.get(4));
        if is_true(row, 3) {
            table.primary_key.clone_from(&columns);
        }
        table.indexes.push(Index { name: text(row, 1), columns, unique: is_true(row, 2) });
    }
    let keys = all_rows(
        engine,
        &format!(
            "SELECT k.conrelid, ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u(n, o) \
             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.o), \
             pg_catalog.pg_get_constraintdef(k.oid) FROM pg_catalog.pg_constraint k \
             JOIN pg_catalog.pg_class c ON c.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE k.contype = 'f' AND {own} ORDER BY k.conname"
        ),
        &[],
    )?;
    for row in &keys {
        let Some(table) = tables.get_mut(&text(row, 0)) else { continue };
        let definition = text(row, 2);
        let references = definition.split(" REFERENCES ").nth(1).unwrap_or_default().to_owned();
        table.foreign_keys.push(ForeignKey { columns: texts(row.get(1)), references });
    }
    let mut tables: Vec<Table> = tables.into_values().collect();
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tables)
}

/// Adds columns to their tables; a row has the table's key, then name, type, whether it may be null, default.
fn add_columns(tables: &mut BTreeMap<String, Table>, columns: &[Vec<Value>]) {
    for row in columns {
        let Some(table) = tables.get_mut(&text(row, 0)) else { continue };
        table.columns.push(TableColumn {
            name: text(row, 1),
            kind: text(row, 2),
            nullable: is_true(row, 3),
            default: optional(row, 4),
        });
    }
}

fn mysql(engine: &mut dyn Engine) -> Result<Vec<Table>, Failure> {
    let listed = all_rows(
        engine,
        "SELECT TABLE_NAME, TABLE_TYPE, TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() \
         ORDER BY TABLE_NAME",
        &[],
    )?;
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    for row in &listed {
        let kind = match text(row, 1).as_str() {
            "BASE TABLE" => "table".to_owned(),
            other => other.to_lowercase(),
        };
        let (name, rows_estimate) = (text(row, 0), row[2].as_u64());
        tables.insert(name.clone(), Table { name, kind, rows_estimate, ..Table::default() });
    }
    let columns = all_rows(
        engine,
        "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT FROM information_schema.COLUMNS \
         WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, ORDINAL_POSITION",
        &[],
    )?;
    add_columns(&mut tables, &columns);
    let indexes = all_rows(
        engine,
        "SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME FROM information_schema.STATISTICS \
         WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX",
        &[],
    )?;
    for row in &indexes {
        let Some(table) = tables.get_mut(&text(row, 0)) else { continue };
        let (name, column) = (text(row, 1), text(row, 3));
        if name == "PRIMARY" {
            table.primary_key.push(column.clone());
        }
        match table.indexes.last_mut().filter(|index| index.name == name) {
            Some(index) => index.columns.push(column),
            None => {
                let unique = !is_true(row, 2);
                table.indexes.push(Index { name, columns: vec![column], unique });
            }
        }
    }
    let keys = all_rows(
        engine,
        "SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME \
         FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME IS NOT NULL \
         ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION",
        &[],
    )?;
    let mut last = (String::new(), String::new());
    for row in &keys {
        let own = (text(row, 0), text(row, 1));
        let Some(table) = tables.get_mut(&own.0) else { continue };
        let reference = format!("{}({})", text(row, 3), text(row, 4));
        match table.foreign_keys.last_mut().filter(|_| last == own) {
            Some(key) => {
                key.columns.push(text(row, 2));
                key.references.pop();
                key.references.push_str(&format!(", {})", text(row, 4)));
            }
            None => table
                .foreign_keys
                .push(ForeignKey { columns: vec![text(row, 2)], references: reference }),
        }
        last = own;
    }
    Ok(tables.into_values().collect())
}
