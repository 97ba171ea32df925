//! `db_schema`: the tables of a database.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use crate::connection::Database;
use crate::limits::DEFAULT_TABLES;
use crate::parameters::timeout;
use crate::schema::{Table, tables};
use crate::value::escaped;
use crate::worker::with_engine;

pub(crate) struct DbSchema;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// As in `db_query`.
    #[serde(default)]
    connection: Option<String>,
    /// A part of the names of tables or columns, in any case.
    #[serde(default)]
    filter: Option<String>,
    /// Most tables; 50 by default.
    #[serde(default)]
    max_tables: Option<usize>,
    /// The time limit in milliseconds; 30,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The tables and views, by name.
    tables: Vec<Table>,
    /// How many there are, with those that are left out.
    total: usize,
    /// Whether tables are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl Tool for DbSchema {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "db_schema";
    const DESCRIPTION: &'static str = "List the tables and views of a database: columns, types, keys, indexes, and about \
        how many rows they have. `filter` finds tables by a part of a name.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Network, EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("database", "connection"), ("db", "connection"), ("table", "filter")];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        let shown = |value: &Value| escaped(value.as_str().unwrap_or_default());
        let list = |value: &Value| {
            let names = value.as_array().into_iter().flatten().map(shown);
            names.collect::<Vec<_>>().join(", ")
        };
        for table in result["tables"].as_array()? {
            let rows = table["rows_estimate"].as_u64();
            let rows = rows.map(|rows| format!(", about {rows} rows")).unwrap_or_default();
            web::push(
                &mut text,
                format_args!("{} ({}{rows})", shown(&table["name"]), shown(&table["kind"])),
            );
            for column in table["columns"].as_array().into_iter().flatten() {
                let null = if column["nullable"] == true { "" } else { " not null" };
                let default = &column["default"];
                let default = match default.as_str() {
                    Some(_) => format!(" default {}", shown(default)),
                    None => String::new(),
                };
                let (name, kind) = (shown(&column["name"]), shown(&column["type"]));
                web::push(&mut text, format_args!("  {name} {kind}{null}{default}"));
            }
            let key = list(&table["primary_key"]);
            if !key.is_empty() {
                web::push(&mut text, format_args!("  primary key ({key})"));
            }
            for index in table["indexes"].as_array().into_iter().flatten() {
                let unique = if index["unique"] == true { "unique " } else { "" };
                let (name, columns) = (shown(&index["name"]), list(&index["columns"]));
                web::push(&mut text, format_args!("  {unique}index {name} ({columns})"));
            }
            for key in table["foreign_keys"].as_array().into_iter().flatten() {
                let (columns, to) = (list(&key["columns"]), shown(&key["references"]));
                web::push(&mut text, format_args!("  ({columns}) references {to}"));
            }
        }
        if text.is_empty() {
            web::push(&mut text, "no tables");
        }
        if result["truncated"] == true {
            web::push(&mut text, format_args!("[of {} tables; use `filter`]", result["total"]));
        }
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms)?;
        Ok(Database::find(context, Self::NAME, params.connection.as_deref())?.effects(false))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let timeout = timeout(tool, params.timeout_ms)?;
        let database = Database::find(context, tool, params.connection.as_deref())?;
        let kind = database.kind();
        let source = database.source(context, tool)?;
        let found =
            with_engine(source, timeout, context.interrupt, move |engine| tables(engine, kind));
        let mut tables = found.map_err(|failure| failure.of(tool))?;
        if let Some(filter) = &params.filter {
            let filter = filter.to_lowercase();
            let has = |name: &str| name.to_lowercase().contains(&filter);
            tables.retain(|table| {
                has(&table.name) || table.columns.iter().any(|column| has(&column.name))
            });
        }
        let total = tables.len();
        tables.truncate(params.max_tables.unwrap_or(DEFAULT_TABLES));
        Ok(Output { truncated: tables.len() < total, tables, total })
    }
}
