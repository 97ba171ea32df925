//! `db_explain`: how a query finds its rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use crate::connection::Database;
use crate::cursors::OpenQueries;
use crate::engine::Kind;
use crate::explain::{PlanNode, plan, push_node, slow_parts, suggestion, tables_for};
use crate::failure::{Failure, Layer};
use crate::guard::Checked;
use crate::parameters::{check_values, timeout, values_schema};
use crate::value::escaped;
use crate::worker::with_engine;

pub(crate) struct DbExplain;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// As in `db_query`.
    #[serde(default)]
    connection: Option<String>,
    /// The query, without EXPLAIN.
    query: String,
    /// Values for its placeholders.
    #[serde(default)]
    #[schemars(schema_with = "values_schema")]
    params: Vec<Value>,
    /// Runs the query to measure its steps; PostgreSQL and MariaDB.
    #[serde(default)]
    analyze: bool,
    /// The time limit in milliseconds; 30,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The plan, from its last step on.
    plan: PlanNode,
    /// What is slow in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    slow: Vec<String>,
    /// The statement that creates the index that it lacks, if that is certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

impl Tool for DbExplain {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "db_explain";
    const DESCRIPTION: &'static str = "Show how a database runs a query: the plan as a tree with costs and rows, what is \
        slow in it, and the index that it lacks, if that is certain.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Network, EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("sql", "query"),
        ("statement", "query"),
        ("database", "connection"),
        ("db", "connection"),
        ("parameters", "params"),
    ];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        let plan: PlanNode = serde_json::from_value(result["plan"].clone()).ok()?;
        push_node(&mut text, &plan, 0);
        for slow in result["slow"].as_array().into_iter().flatten() {
            web::push(
                &mut text,
                format_args!("slow: {}", escaped(slow.as_str().unwrap_or_default())),
            );
        }
        if let Some(index) = result["suggestion"].as_str() {
            web::push(&mut text, format_args!("missing index: {}", escaped(index)));
        }
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms)?;
        let database = Database::find(context, Self::NAME, params.connection.as_deref())?;
        params.check(context, database.kind()).map_err(|failure| failure.of(Self::NAME))?;
        Ok(database.effects(false))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let timeout = timeout(tool, params.timeout_ms)?;
        let database = Database::find(context, tool, params.connection.as_deref())?;
        let kind = database.kind();
        let checked = params.check(context, kind).map_err(|failure| failure.of(tool))?;
        let source = database.source(context, tool)?;
        let output = with_engine(source, timeout, context.interrupt, move |engine| {
            engine.check_functions(&checked.functions)?;
            let plan = plan(engine, kind, &params.query, &params.params, params.analyze)?;
            let tables = tables_for(engine, kind, &plan)?;
            let slow = slow_parts(&plan, &tables);
            let lookup = checked.lookup.as_ref();
            let suggestion = lookup.and_then(|lookup| suggestion(kind, lookup, &plan, &tables));
            Ok(Output { plan, slow, suggestion })
        });
        output.map_err(|failure| failure.of(tool))
    }
}

impl Params {
    fn check(&self, context: &Context<'_>, kind: Kind) -> Result<Checked, Failure> {
        check_values(&self.params)?;
        if self.analyze && kind == Kind::Sqlite {
            return Err(Failure::Unsupported(
                "SQLite does not measure the steps of a plan".to_owned(),
            ));
        }
        let checked = context.session.family::<OpenQueries>().check(kind, &self.query)?;
        if !checked.is_query {
            return Err(Failure::Invalid("`query` must be a query, without EXPLAIN".to_owned()));
        }
        if let Some(change) = &checked.change {
            let why = format!("`{change}` changes the database");
            return Err(Failure::refused(Layer::Statement, why));
        }
        Ok(checked)
    }
}
