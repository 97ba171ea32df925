//! Simple queries: the rows of one table whose columns equal values.

use sqlparser::ast::{BinaryOperator, Expr, SetExpr, Statement, TableFactor};

/// What such a query looks up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lookup {
    /// The table, without its schema.
    pub(crate) table: String,
    /// The columns that are compared.
    pub(crate) columns: Vec<String>,
}

/// What a query looks up; `None` if it is not that simple.
pub(super) fn find(statement: &Statement) -> Option<Lookup> {
    let Statement::Query(query) = statement else { return None };
    let SetExpr::Select(select) = &*query.body else { return None };
    let [from] = select.from.as_slice() else { return None };
    let TableFactor::Table { name, args: None, .. } = &from.relation else { return None };
    if !from.joins.is_empty() || query.with.is_some() {
        return None;
    }
    let table = name.0.last()?.as_ident()?.value.clone();
    let mut columns = Vec::new();
    equal_columns(select.selection.as_ref()?, &mut columns)?;
    Some(Lookup { table, columns })
}

/// The columns that a condition compares with values by `=` and joins by AND; `None` if it has other parts
/// by which the database may find rows as well.
fn equal_columns(condition: &Expr, columns: &mut Vec<String>) -> Option<()> {
    match condition {
        Expr::Nested(inner) => equal_columns(inner, columns),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            equal_columns(left, columns)?;
            equal_columns(right, columns)
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            let column = match (&**left, &**right) {
                (column, Expr::Value(_)) | (Expr::Value(_), column) => column,
                _ => return None,
            };
            match column {
                Expr::Identifier(name) => columns.push(name.value.clone()),
                Expr::CompoundIdentifier(names) => columns.push(names.last()?.value.clone()),
                _ => return None,
            }
            Some(())
        }
        _ => None,
    }
}
