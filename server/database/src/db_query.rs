//! `db_query`: one SQL statement.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tools::{
    Code, Context, Effect, EffectKind, StoredFile, Tool, ToolError, approve_more, storage_effect,
    storage_path, store_bytes,
};

use crate::connection::Database;
use crate::csv::CsvText;
use crate::cursors::OpenQueries;
use crate::engine::{Collected, Kind};
use crate::explain;
use crate::failure::{Failure, Layer};
use crate::guard::Checked;
use crate::limits::{CELL_BYTES, DEFAULT_ROWS, IDLE_CURSOR, MAX_ROWS, PAGE_BYTES};
use crate::parameters::{check_values, timeout, values_schema};
use crate::source::Source;
use crate::value::{Column, distinct_names, shortened, shown};
use crate::worker::{Ask, Page, PageLimits, Pager, Worker, with_engine};

pub(crate) struct DbQuery;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A database's name in the person's settings, the path of a SQLite file, a URL such as
    /// `postgres://user@localhost/shop`, or a variable in `.env`; may be left out if there is only one.
    #[serde(default)]
    connection: Option<String>,
    /// One SQL statement.
    query: String,
    /// Values for its placeholders: `?` in SQLite and MySQL, `$1` in PostgreSQL.
    #[serde(default)]
    #[schemars(schema_with = "values_schema")]
    params: Vec<Value>,
    /// Allows a change. The person sees its plan and how many rows it changes before it is committed.
    #[serde(default)]
    write: bool,
    /// Most rows of a page; 200 by default.
    #[serde(default)]
    max_rows: Option<usize>,
    /// `next_cursor` of the previous page, with the same `connection` and `query`.
    #[serde(default)]
    cursor: Option<String>,
    /// Stores all rows in this CSV file instead.
    #[serde(default)]
    save_to: Option<String>,
    /// Replaces an existing CSV file.
    #[serde(default)]
    overwrite: bool,
    /// The time limit in milliseconds; 30,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns: Vec<Column>,
    /// The rows, by column name. What a JSON number does not hold exactly is a string.
    rows: Vec<Map<String, Value>>,
    /// How many rows were changed.
    affected_rows: u64,
    /// The cursor of the next page, for two minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Whether rows were left out and cannot be fetched.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// The CSV file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<StoredFile>,
    /// How many rows it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_rows: Option<u64>,
}

impl Tool for DbQuery {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "db_query";
    const DESCRIPTION: &'static str = "Run one SQL statement in SQLite, PostgreSQL, MySQL or MariaDB, with bound \
        `params`; rows come in pages. It can only read, unless `write: true`, which asks a person before the commit. \
        `db_schema` lists tables.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Network, EffectKind::Admin];
    const LOCKS_LATE: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("sql", "query"),
        ("statement", "query"),
        ("database", "connection"),
        ("db", "connection"),
        ("parameters", "params"),
        ("limit", "max_rows"),
    ];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        let rows = result["rows"].as_array()?;
        let columns: Vec<&str> = result["columns"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|column| column["name"].as_str())
            .collect();
        if !columns.is_empty() {
            let names: Vec<String> = columns.iter().map(|name| shown(&json!(name))).collect();
            web::push(&mut text, names.join("\t"));
        }
        for row in rows {
            let cells: Vec<String> = columns.iter().map(|name| shown(&row[*name])).collect();
            web::push(&mut text, cells.join("\t"));
        }
        if let Some(path) = result["file"]["path"].as_str() {
            web::push(&mut text, format_args!("stored {} rows in {path}", result["file_rows"]));
        } else if columns.is_empty() {
            web::push(&mut text, format_args!("{} rows changed", result["affected_rows"]));
        } else if rows.is_empty() {
            web::push(&mut text, "no rows");
        }
        web::push_rest(&mut text, result);
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let tool = Self::NAME;
        timeout(tool, params.timeout_ms)?;
        let database = Database::find(context, tool, params.connection.as_deref())?;
        // Before anything needs approval.
        let checked = params.check(context, database.kind()).map_err(|failure| failure.of(tool))?;
        let mut effects = database.effects(checked.change.is_some());
        effects.extend(storage_effect(context, tool, params.save_to.as_deref(), params.overwrite)?);
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let timeout = timeout(tool, params.timeout_ms)?;
        let database = Database::find(context, tool, params.connection.as_deref())?;
        let checked = params.check(context, database.kind()).map_err(|failure| failure.of(tool))?;
        match &checked.change {
            Some(change) => {
                let effect = database.change_effect(change);
                let source = database.source(context, tool)?;
                change_rows(context, &params, source, checked, effect, timeout)
            }
            None => read_rows(context, &params, database, &checked, timeout),
        }
    }
}

impl Params {
    fn check(&self, context: &Context<'_>, kind: Kind) -> Result<Checked, Failure> {
        check_values(&self.params)?;
        if self.max_rows.is_some_and(|rows| rows == 0 || rows > MAX_ROWS) {
            return Err(Failure::Invalid(format!("`max_rows` must be from 1 to {MAX_ROWS}")));
        }
        let checked = context.session.family::<OpenQueries>().check(kind, &self.query)?;
        if let Some(change) = checked.change.as_ref().filter(|_| !self.write) {
            let why = format!("`{change}` changes the database, and the call only reads");
            return Err(Failure::refused(Layer::Statement, why));
        }
        Ok(checked)
    }

    fn limits(&self) -> PageLimits {
        PageLimits { rows: self.max_rows.unwrap_or(DEFAULT_ROWS), bytes: PAGE_BYTES }
    }
}

fn read_rows(
    context: &Context<'_>,
    params: &Params,
    database: Database,
    checked: &Checked,
    timeout: Duration,
) -> Result<Output, ToolError> {
    let tool = DbQuery::NAME;
    let functions = checked.functions.clone();
    let (query, values) = (params.query.clone(), params.params.clone());
    if let Some(path) = &params.save_to {
        let source = database.source(context, tool)?;
        return store_csv(context, params, source, functions, path, timeout);
    }
    let call = format!("{} {} {}", database.name, params.query, json!(params.params));
    let open = context.session.family::<OpenQueries>();
    let worker = match &params.cursor {
        Some(cursor) => {
            let worker = open.take(cursor, &call).ok_or_else(|| {
                let message = format!("{tool}: the cursor is closed, or belongs to another query");
                ToolError::new(Code::Conflict, message).hint("run the query again without `cursor`")
            })?;
            worker.ask(Ask::Page(params.limits()));
            worker
        }
        None => {
            let source = database.source(context, tool)?;
            let limits = params.limits();
            Worker::start(source, false, timeout, move |engine, caller| {
                engine.check_functions(&functions)?;
                let mut pager = Pager::new(caller, limits);
                engine.read(&query, &values, &mut pager)?;
                pager.finish();
                Ok(())
            })
            .map_err(|failure| failure.of(tool))?
        }
    };
    let Page { columns, rows, has_more } =
        worker.wait(context.interrupt).map_err(|failure| failure.of(tool))?;
    let next_cursor = if has_more { open.keep(call, worker) } else { None };
    let truncated = has_more && next_cursor.is_none();
    Ok(Output {
        columns,
        rows,
        affected_rows: 0,
        next_cursor,
        truncated,
        file: None,
        file_rows: None,
    })
}

fn store_csv(
    context: &Context<'_>,
    params: &Params,
    source: Source,
    functions: Vec<String>,
    path: &str,
    timeout: Duration,
) -> Result<Output, ToolError> {
    let tool = DbQuery::NAME;
    let (query, values) = (params.query.clone(), params.params.clone());
    let csv = with_engine(source, timeout, context.interrupt, move |engine| {
        engine.check_functions(&functions)?;
        let mut csv = CsvText::default();
        engine.read(&query, &values, &mut csv)?;
        Ok(csv)
    });
    let csv = csv.map_err(|failure| failure.of(tool))?;
    let path = storage_path(context, tool, path, params.overwrite)?;
    let file = store_bytes(context, tool, &path, csv.text.into_bytes(), params.overwrite)?;
    Ok(Output {
        columns: csv.columns,
        rows: Vec::new(),
        affected_rows: 0,
        next_cursor: None,
        truncated: false,
        file: Some(file),
        file_rows: Some(csv.rows),
    })
}

/// What a change did, before it is committed.
enum Step {
    Changed { rows: Collected, affected: u64, plan: Option<String> },
    Committed,
}

/// Runs a change in a transaction, shows it to a person, and commits it if they approve.
fn change_rows(
    context: &Context<'_>,
    params: &Params,
    source: Source,
    checked: Checked,
    effect: Effect,
    timeout: Duration,
) -> Result<Output, ToolError> {
    let tool = DbQuery::NAME;
    let failed = |failure: Failure| failure.of(tool);
    let (query, values) = (params.query.clone(), params.params.clone());
    let (kind, max_rows) = (source.kind(), params.limits().rows);
    let worker = Worker::start(source, true, timeout, move |engine, caller| {
        engine.check_functions(&checked.functions)?;
        engine.check_tables(&checked.tables)?;
        let plan = checked.has_plan.then(|| explain::plan_text(engine, kind, &query, &values));
        let mut rows = Collected::new(max_rows);
        let changed = engine.write(&query, &values, &mut rows);
        let affected = match changed {
            Ok(affected) => affected,
            Err(failure) => {
                // The connection ends now, and the transaction with it.
                let _ = engine.rollback();
                return Err(failure);
            }
        };
        caller.reply(Step::Changed { rows, affected, plan: plan.flatten() });
        // The person has their time, which policy limits; a call that has ended asks for nothing.
        match caller.asks.recv() {
            Ok(Ask::Commit) => engine.commit()?,
            _ => return engine.rollback(),
        }
        caller.reply(Step::Committed);
        Ok(())
    })
    .map_err(failed)?;
    let Step::Changed { rows, affected, plan } = worker.wait(context.interrupt).map_err(failed)?
    else {
        return Err(failed(Failure::Protocol("it committed too early".to_owned())));
    };
    let mut detail = params.query.trim().to_owned();
    if !params.params.is_empty() {
        detail.push_str(&format!("\nwith {}", json!(params.params)));
    }
    detail.push_str(&format!("\nchanges {affected} rows; not committed yet"));
    if let Some(plan) = plan {
        detail.push_str(&format!("\nplan:\n{}", plan.trim_end()));
    }
    let record =
        json!({ "query": params.query, "params": params.params, "affected_rows": affected });
    let approved = approve_more(context, tool, &record, &[effect.with_detail(detail)]);
    if let Err(error) = approved {
        worker.ask(Ask::Rollback);
        return Err(error);
    }
    context.check_interrupt(tool).inspect_err(|_| worker.ask(Ask::Rollback))?;
    worker.ask(Ask::Commit);
    // Nothing takes a commit back, so a cancellation comes too late.
    worker.wait(&AtomicBool::new(false)).map_err(|failure| match failure {
        Failure::Timeout(_) | Failure::Connect(_) | Failure::Protocol(_) => {
            let why = "the commit was not confirmed; look whether it happened".to_owned();
            failed(Failure::Connect(why))
        }
        failure => failed(failure),
    })?;
    let mut columns = rows.columns;
    distinct_names(&mut columns);
    let names = || columns.iter().map(|column| column.name.clone());
    let row = |row: Vec<Value>| {
        names().zip(row.into_iter().map(|value| shortened(value, CELL_BYTES))).collect()
    };
    let found = rows.rows.into_iter().map(row).collect();
    Ok(Output {
        rows: found,
        columns,
        affected_rows: affected,
        next_cursor: None,
        truncated: rows.is_cut,
        file: None,
        file_rows: None,
    })
}

const _: () = assert!(IDLE_CURSOR.as_secs() == 120, "the text of `next_cursor` has two minutes");
