//! Which index a query lacks, if that is certain.

use super::PlanNode;
use crate::engine::Kind;
use crate::guard::Lookup;
use crate::limits::LARGE_TABLE;
use crate::schema::Table;

/// The statement that creates the missing index. It is certain for a query of one large table that is read
/// completely to find rows whose columns equal values, if no index begins with any of these columns.
pub(crate) fn suggestion(
    kind: Kind,
    lookup: &Lookup,
    plan: &PlanNode,
    tables: &[Table],
) -> Option<String> {
    let Lookup { table: written, columns: compared } = lookup;
    let table = tables.iter().find(|table| {
        table.kind == "table"
            && table.name.rsplit('.').next().is_some_and(|own| own.eq_ignore_ascii_case(written))
    })?;
    let is_scanned = |node: &PlanNode| node.full_scan;
    if !any(plan, &is_scanned) || (table.rows_estimate? as f64) < LARGE_TABLE {
        return None;
    }
    let mut columns: Vec<&str> = Vec::new();
    for name in compared {
        let column = table.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))?;
        if !columns.contains(&column.name.as_str()) {
            columns.push(&column.name);
        }
    }
    let begins = |column: &&str| {
        table.indexes.iter().any(|index| index.columns.first().is_some_and(|first| first == column))
            || table.primary_key.first().is_some_and(|first| first == column)
    };
    if columns.is_empty() || columns.iter().any(begins) {
        return None;
    }
    let quote = if kind == Kind::Mysql { '`' } else { '"' };
    let quoted = |name: &str| {
        let is_plain =
            name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if is_plain {
            name.to_owned()
        } else {
            format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")))
        }
    };
    let list: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
    let index = format!("{}_{}", table.name.rsplit('.').next()?, columns.join("_"));
    let index: String = index.chars().take(60).collect();
    let of: Vec<String> = table.name.split('.').map(quoted).collect();
    Some(format!("CREATE INDEX {} ON {} ({})", quoted(&index), of.join("."), list.join(", ")))
}

fn any(node: &PlanNode, is: &dyn Fn(&PlanNode) -> bool) -> bool {
    is(node) || node.inputs.iter().any(|input| any(input, is))
}
