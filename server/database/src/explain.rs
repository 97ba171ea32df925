//! Plans of queries as trees, and what is slow in them.

mod suggestion;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::engine::{Collected, Engine, Kind};
use crate::failure::Failure;
use crate::limits::{CATALOG_ROWS, LARGE_TABLE};
use crate::schema::{Table, tables};
use crate::value::escaped;

pub(crate) use self::suggestion::suggestion;

/// A step of a plan, with the steps that it takes its rows from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct PlanNode {
    /// What it does, in the database's words.
    pub(crate) operation: String,
    /// The table that it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) table: Option<String>,
    /// The index that it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<String>,
    /// The condition that rows are checked by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) condition: Option<String>,
    /// What it costs in all, in the database's units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<f64>,
    /// About how many rows it reads or returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rows: Option<f64>,
    /// How long it took in milliseconds, if it was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) actual_ms: Option<f64>,
    /// Whether it reads all of its table.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) full_scan: bool,
    /// Where its rows come from, each a node like this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "nodes_schema")]
    pub(crate) inputs: Vec<PlanNode>,
}

/// Nodes hold nodes; the schema of the first level describes them.
fn nodes_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "array", "items": { "type": "object" } })
}

/// Finds the plan of a statement. `analyze` runs it to measure it; only queries are.
pub(crate) fn plan(
    engine: &mut dyn Engine,
    kind: Kind,
    sql: &str,
    parameters: &[Value],
    analyze: bool,
) -> Result<PlanNode, Failure> {
    let prefix = match (kind, analyze) {
        (Kind::Sqlite, _) => "EXPLAIN QUERY PLAN ",
        (Kind::Postgres, false) => "EXPLAIN (FORMAT JSON) ",
        (Kind::Postgres, true) => "EXPLAIN (ANALYZE, FORMAT JSON) ",
        (Kind::Mysql, false) => "EXPLAIN FORMAT=JSON ",
        (Kind::Mysql, true) => "ANALYZE FORMAT=JSON ",
    };
    let mut rows = Collected::new(CATALOG_ROWS);
    engine.read(&format!("{prefix}{sql}"), parameters, &mut rows)?;
    let odd = || Failure::Unsupported("the plan has a form that is not known".to_owned());
    if kind == Kind::Sqlite {
        return Ok(sqlite_tree(&rows.rows));
    }
    let first = rows.rows.first().and_then(|row| row.first()).ok_or_else(odd)?;
    // A long document, and MariaDB's, is text.
    let document: Value = match first {
        Value::String(text) => serde_json::from_str(text).map_err(|_| odd())?,
        other => other.clone(),
    };
    match kind {
        Kind::Postgres => Ok(postgres_node(&document[0]["Plan"], 0)),
        _ => Ok(PlanNode {
            operation: "query".to_owned(),
            inputs: mysql_nodes(&document, 0),
            ..PlanNode::default()
        }),
    }
}

/// The plan of a change, for the question to a person; `None` if the database has none for it.
pub(crate) fn plan_text(
    engine: &mut dyn Engine,
    kind: Kind,
    sql: &str,
    parameters: &[Value],
) -> Option<String> {
    let plan = plan(engine, kind, sql, parameters, false).ok()?;
    let mut text = String::new();
    push_node(&mut text, &plan, 0);
    (!text.is_empty()).then_some(text)
}

/// Full scans of large tables, in words.
pub(crate) fn slow_parts(plan: &PlanNode, tables: &[Table]) -> Vec<String> {
    let mut slow = Vec::new();
    collect_slow(plan, tables, &mut slow);
    slow
}

fn collect_slow(node: &PlanNode, known: &[Table], slow: &mut Vec<String>) {
    if node.full_scan
        && let Some(name) = &node.table
    {
        let table = known
            .iter()
            .find(|table| table.name == *name || table.name.ends_with(&format!(".{name}")));
        let estimate = table.and_then(|table| table.rows_estimate);
        let rows = estimate.map_or_else(|| node.rows.unwrap_or(0.0), |rows| rows as f64);
        if rows >= LARGE_TABLE {
            let filter = match &node.condition {
                Some(condition) => format!(" to find rows by {condition}"),
                None => String::new(),
            };
            slow.push(format!("reads all of {name}, about {rows} rows{filter}"));
        }
    }
    if node.operation.contains("TEMP B-TREE") || node.operation.contains("filesort") {
        slow.push(format!("sorts: {}", node.operation));
    }
    for input in &node.inputs {
        collect_slow(input, known, slow);
    }
}

/// All tables of the database, if the plan has a full scan: else nobody needs them.
pub(crate) fn tables_for(
    engine: &mut dyn Engine,
    kind: Kind,
    plan: &PlanNode,
) -> Result<Vec<Table>, Failure> {
    fn scans(node: &PlanNode) -> bool {
        node.full_scan || node.inputs.iter().any(scans)
    }
    if scans(plan) { tables(engine, kind) } else { Ok(Vec::new()) }
}

/// How deep plans nest.
const MAX_DEPTH: usize = 100;

/// Adds a node and its inputs as indented lines.
pub(crate) fn push_node(text: &mut String, node: &PlanNode, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    let mut line = format!("{}{}", "  ".repeat(depth), escaped(&node.operation));
    if let Some(table) =
        node.table.as_ref().filter(|table| !node.operation.contains(table.as_str()))
    {
        line.push_str(&format!(" on {}", escaped(table)));
    }
    if let Some(index) =
        node.index.as_ref().filter(|index| !node.operation.contains(index.as_str()))
    {
        line.push_str(&format!(" by {}", escaped(index)));
    }
    if let Some(rows) = node.rows {
        line.push_str(&format!(", about {rows} rows"));
    }
    if let Some(cost) = node.cost {
        line.push_str(&format!(", cost {cost}"));
    }
    if let Some(time) = node.actual_ms {
        line.push_str(&format!(", {time} ms"));
    }
    if let Some(condition) = &node.condition {
        line.push_str(&format!(", where {}", escaped(condition)));
    }
    text.push_str(&line);
    text.push('\n');
    for input in &node.inputs {
        push_node(text, input, depth + 1);
    }
}

/// Rows `id, parent, notused, detail`.
fn sqlite_tree(rows: &[Vec<Value>]) -> PlanNode {
    fn children(rows: &[Vec<Value>], parent: i64, depth: usize) -> Vec<PlanNode> {
        if depth > MAX_DEPTH {
            return Vec::new();
        }
        let own = rows.iter().filter(|row| row[1].as_i64() == Some(parent));
        own.map(|row| {
            let operation = row[3].as_str().unwrap_or_default().to_owned();
            let mut words = operation.split(' ');
            let first = words.next().unwrap_or_default();
            let table = matches!(first, "SCAN" | "SEARCH").then(|| words.next()).flatten();
            let table = table.filter(|table| !table.starts_with('(') && *table != "CONSTANT");
            let index = operation.split(" USING ").nth(1).map(|index| {
                index
                    .trim_start_matches("COVERING ")
                    .trim_start_matches("INDEX ")
                    .split(" (")
                    .next()
                    .unwrap_or_default()
            });
            PlanNode {
                table: table.map(str::to_owned),
                index: index.map(str::to_owned),
                full_scan: first == "SCAN" && table.is_some() && index.is_none(),
                // Zero marks the top; no step is its own parent.
                inputs: match row[0].as_i64() {
                    Some(id) if id != parent => children(rows, id, depth + 1),
                    _ => Vec::new(),
                },
                operation,
                ..PlanNode::default()
            }
        })
        .collect()
    }
    let mut top = children(rows, 0, 0);
    if top.len() == 1 {
        return top.remove(0);
    }
    PlanNode { operation: "query".to_owned(), inputs: top, ..PlanNode::default() }
}

fn postgres_node(plan: &Value, depth: usize) -> PlanNode {
    let text = |key: &str| plan[key].as_str().map(str::to_owned);
    let operation = text("Node Type").unwrap_or_else(|| "query".to_owned());
    let condition =
        ["Filter", "Index Cond", "Hash Cond", "Recheck Cond", "Merge Cond", "Join Filter"]
            .iter()
            .find_map(|key| text(key));
    let inputs = plan["Plans"].as_array().filter(|_| depth < MAX_DEPTH);
    let inputs: Vec<PlanNode> =
        inputs.into_iter().flatten().map(|input| postgres_node(input, depth + 1)).collect();
    PlanNode {
        table: text("Relation Name"),
        index: text("Index Name"),
        condition,
        cost: plan["Total Cost"].as_f64(),
        rows: plan["Actual Rows"].as_f64().or_else(|| plan["Plan Rows"].as_f64()),
        actual_ms: plan["Actual Total Time"].as_f64(),
        full_scan: operation == "Seq Scan",
        inputs,
        operation,
    }
}

/// The tables in MySQL's and MariaDB's plan, wherever they are.
fn mysql_nodes(plan: &Value, depth: usize) -> Vec<PlanNode> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    let mut nodes = Vec::new();
    match plan {
        Value::Object(fields) => {
            if let Some(access) = fields.get("access_type").and_then(Value::as_str) {
                let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
                let number = |key: &str| {
                    let value = fields.get(key)?;
                    value.as_f64().or_else(|| value.as_str()?.parse().ok())
                };
                let inner = fields.values().flat_map(|value| mysql_nodes(value, depth + 1));
                nodes.push(PlanNode {
                    operation: format!("access {access}"),
                    table: text("table_name"),
                    index: text("key"),
                    condition: text("attached_condition"),
                    cost: number("cost"),
                    rows: number("r_rows")
                        .or_else(|| number("rows"))
                        .or_else(|| number("rows_examined_per_scan")),
                    actual_ms: number("r_total_time_ms"),
                    full_scan: access == "ALL",
                    inputs: inner.collect(),
                });
                return nodes;
            }
            for (name, value) in fields {
                let inner = mysql_nodes(value, depth + 1);
                if matches!(
                    name.as_str(),
                    "filesort" | "temporary_table" | "grouping_operation" | "ordering_operation"
                ) && !inner.is_empty()
                {
                    nodes.push(PlanNode {
                        operation: name.clone(),
                        inputs: inner,
                        ..PlanNode::default()
                    });
                } else {
                    nodes.extend(inner);
                }
            }
        }
        Value::Array(values) => {
            nodes.extend(values.iter().flat_map(|value| mysql_nodes(value, depth + 1)))
        }
        _ => {}
    }
    nodes
}
