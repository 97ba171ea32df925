//! What kinds of statements do.

use sqlparser::ast::{
    Delete, FromTable, ObjectType, Statement, TableFactor, TableObject, TableWithJoins,
    UtilityOption,
};

use super::functions::last_name;
use super::pragma::sqlite_pragma_reads;
use crate::engine::Kind;
use crate::failure::{Failure, Layer};

/// What a statement does by itself, without what is inside it.
pub(super) enum TopLevel {
    Read,
    /// What it changes: a transaction can undo it.
    Change(String),
}

/// Finds what a statement does. Everything that is not named here is refused.
pub(super) fn top_level(kind: Kind, statement: &Statement) -> Result<TopLevel, Failure> {
    let change = |what: String| Ok(TopLevel::Change(what));
    match statement {
        Statement::Query(_) => Ok(TopLevel::Read),
        Statement::Explain { statement, options, .. } => {
            let options = options.as_deref().unwrap_or_default();
            if options.iter().any(is_odd_option) {
                return refused(statement, "an option of EXPLAIN is not known to read");
            }
            top_level(kind, statement)
        }
        Statement::ExplainTable { .. } => Ok(TopLevel::Read),
        Statement::ShowVariable { .. } if kind == Kind::Postgres => Ok(TopLevel::Read),
        Statement::ShowStatus { .. }
        | Statement::ShowVariables { .. }
        | Statement::ShowCreate { .. }
        | Statement::ShowColumns { .. }
        | Statement::ShowDatabases { .. }
        | Statement::ShowTables { .. }
        | Statement::ShowCollation { .. }
        | Statement::ShowCharset(_)
            if kind == Kind::Mysql =>
        {
            Ok(TopLevel::Read)
        }
        Statement::Pragma { name, value, is_eq } if kind == Kind::Sqlite => {
            if !is_eq && sqlite_pragma_reads(&last_name(name), value.is_some()) {
                Ok(TopLevel::Read)
            } else {
                refused(statement, "this PRAGMA is not known to only read")
            }
        }
        Statement::Insert(insert) => match &insert.table {
            TableObject::TableName(name) => change(format!("INSERT INTO {name}")),
            _ => refused(statement, "it writes to something that is no table"),
        },
        Statement::Update(update) => change(format!("UPDATE {}", table(&update.table))),
        Statement::Delete(delete) => change(format!("DELETE FROM {}", delete_target(delete))),
        Statement::Merge(_) if kind == Kind::Postgres => change("MERGE".to_owned()),
        // MySQL commits these at once, so nothing could be undone after a look at the plan.
        Statement::CreateTable(create) if kind != Kind::Mysql && create.location.is_none() => {
            change(format!("CREATE TABLE {}", create.name))
        }
        Statement::CreateIndex(create) if kind != Kind::Mysql && !create.concurrently => {
            let name = create.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
            change(format!("CREATE INDEX{name}"))
        }
        Statement::CreateView(create) if kind != Kind::Mysql => {
            change(format!("CREATE VIEW {}", create.name))
        }
        Statement::AlterTable(alter) if kind != Kind::Mysql => {
            change(format!("ALTER TABLE {}", alter.name))
        }
        Statement::Drop { object_type, names, .. }
            if kind != Kind::Mysql
                && matches!(
                    object_type,
                    ObjectType::Table | ObjectType::View | ObjectType::Index
                ) =>
        {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            change(format!("DROP {object_type} {}", names.join(", ")))
        }
        Statement::Truncate(_) if kind == Kind::Postgres => change("TRUNCATE".to_owned()),
        other => refused(other, "it is not known to only read, and no transaction undoes it"),
    }
}

fn refused(statement: &Statement, why: &str) -> Result<TopLevel, Failure> {
    let text = statement.to_string();
    let first: Vec<&str> = text.split_whitespace().take(2).collect();
    let first: String = first.join(" ").chars().take(40).collect();
    Err(Failure::refused(
        Layer::Statement,
        format!("`{}`: {why}", crate::failure::printable(&first)),
    ))
}

/// Options of EXPLAIN that do more than print.
fn is_odd_option(option: &UtilityOption) -> bool {
    const KNOWN: &[&str] = &[
        "analyze",
        "verbose",
        "costs",
        "settings",
        "buffers",
        "wal",
        "timing",
        "summary",
        "format",
        "generic_plan",
        "memory",
    ];
    !KNOWN.iter().any(|known| known.eq_ignore_ascii_case(&option.name.value))
}

/// The table that is changed.
fn table(table: &TableWithJoins) -> String {
    match &table.relation {
        TableFactor::Table { name, .. } => name.to_string(),
        _ => "a table".to_owned(),
    }
}

fn delete_target(delete: &Delete) -> String {
    if let Some(name) = delete.tables.first() {
        return name.to_string();
    }
    let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
    tables.first().map_or_else(|| "a table".to_owned(), table)
}
