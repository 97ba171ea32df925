//! What a statement does, found by parsing it: the first of the two layers that keep reading calls from writing.
//!
//! Only what is known to read counts as reading. A statement that does not parse, or that two parsers could read
//! differently, is refused; so is a function that is not known. The second layer is the database itself, which is
//! opened read-only.

mod comments;
mod functions;
mod lookup;
mod pragma;
mod statement;

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, ObjectName, Query, Select, Statement, TableFactor, Visit, Visitor};
use sqlparser::dialect::{Dialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::Parser;

use crate::engine::Kind;
use crate::failure::{Failure, Layer, printable};
use crate::limits::{SQL_BYTES, SQL_DEPTH};

use self::statement::{TopLevel, top_level};

pub(crate) use self::lookup::Lookup;
pub(crate) use self::pragma::sqlite_pragma_reads;

/// What a statement does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checked {
    /// What it changes, as `UPDATE items`; `None`: it reads.
    pub(crate) change: Option<String>,
    /// Whether it is a query, and no `SHOW`, `EXPLAIN` or `PRAGMA`.
    pub(crate) is_query: bool,
    /// Whether it has a plan.
    pub(crate) has_plan: bool,
    /// The functions that it calls, in lower case without schema.
    pub(crate) functions: Vec<String>,
    /// The tables that it names.
    pub(crate) tables: Vec<String>,
    /// What it looks up, if that is simple.
    pub(crate) lookup: Option<Lookup>,
}

/// Bytes of the stack on which a statement is parsed: trees of operators are as deep as they are long, and are walked
/// and freed recursively.
const STACK_BYTES: usize = 192 << 20;

/// Parses one statement and finds what it does.
///
/// # Errors
/// If it does not parse as one statement, or does what neither reads nor can be undone by a transaction.
pub(crate) fn check(kind: Kind, sql: &str) -> Result<Checked, Failure> {
    if sql.len() > SQL_BYTES {
        return Err(Failure::TooLarge(format!("the statement has more than {SQL_BYTES} bytes")));
    }
    let failed = || Failure::Unsupported("no thread to parse the statement".to_owned());
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("sql".to_owned()).stack_size(STACK_BYTES);
        let parsing = thread.spawn_scoped(scope, || analyse(kind, sql)).map_err(|_| failed())?;
        parsing.join().map_err(|_| failed())?
    })
}

fn analyse(kind: Kind, sql: &str) -> Result<Checked, Failure> {
    let statement = parse(kind, sql)?;
    let change = match top_level(kind, &statement)? {
        TopLevel::Read => None,
        TopLevel::Change(what) => Some(what),
    };
    let mut inner =
        Inner { kind, change, depth: 0, why: None, functions: Vec::new(), tables: Vec::new() };
    if statement.visit(&mut inner).is_break()
        && let Some((layer, why)) = inner.why
    {
        return Err(Failure::refused(layer, why));
    }
    let is_query = matches!(statement, Statement::Query(_));
    let has_plan = is_query
        || matches!(
            statement,
            Statement::Insert(_)
                | Statement::Update(_)
                | Statement::Delete(_)
                | Statement::Merge(_)
        );
    let Inner { change, functions, tables, .. } = inner;
    let lookup = lookup::find(&statement);
    Ok(Checked { change, is_query, has_plan, functions, tables, lookup })
}

/// Parses one statement.
fn parse(kind: Kind, sql: &str) -> Result<Statement, Failure> {
    if sql.contains('\0') {
        return Err(Failure::refused(Layer::Syntax, "the statement holds a NUL character"));
    }
    let dialect: &dyn Dialect = match kind {
        Kind::Sqlite => &SQLiteDialect {},
        Kind::Postgres => &PostgreSqlDialect {},
        Kind::Mysql => &MySqlDialect {},
    };
    comments::check(kind, dialect, sql)?;
    let quoted = (kind == Kind::Sqlite).then(|| pragma::with_quoted_value(sql)).flatten();
    let sql = quoted.as_deref().unwrap_or(sql);
    let parser = Parser::new(dialect).with_recursion_limit(SQL_DEPTH).try_with_sql(sql);
    let statements = parser.and_then(|mut parser| parser.parse_statements()).map_err(|error| {
        let why = format!(
            "it does not parse, so what it does is not known: {}",
            printable(&error.to_string())
        );
        Failure::refused(Layer::Syntax, why)
    })?;
    let count = statements.len();
    let mut statements = statements.into_iter();
    match (statements.next(), count) {
        (Some(statement), 1) => Ok(statement),
        (None, _) => Err(Failure::Invalid("`query` holds no statement".to_owned())),
        _ => Err(Failure::refused(
            Layer::Syntax,
            format!("it has {count} statements; send one at a time"),
        )),
    }
}

/// Looks at everything inside a statement.
struct Inner {
    kind: Kind,
    change: Option<String>,
    depth: usize,
    why: Option<(Layer, String)>,
    functions: Vec<String>,
    tables: Vec<String>,
}

impl Inner {
    fn refuse(&mut self, layer: Layer, why: impl Into<String>) -> ControlFlow<()> {
        self.why = Some((layer, why.into()));
        ControlFlow::Break(())
    }

    fn function(&mut self, name: &ObjectName) -> ControlFlow<()> {
        let last = functions::last_name(name);
        if !self.functions.contains(&last) {
            self.functions.push(last);
        }
        match functions::refusal(self.kind, name) {
            Some(why) => self.refuse(Layer::Function, why),
            None => ControlFlow::Continue(()),
        }
    }
}

impl Visitor for Inner {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        self.depth += 1;
        if self.depth == 1 {
            return ControlFlow::Continue(());
        }
        match top_level(self.kind, statement) {
            Ok(TopLevel::Read) => ControlFlow::Continue(()),
            Ok(TopLevel::Change(what)) => {
                self.change.get_or_insert(what);
                ControlFlow::Continue(())
            }
            Err(Failure::Refused { layer, why }) => self.refuse(layer, why),
            Err(_) => self.refuse(Layer::Statement, "a statement inside it is not known to read"),
        }
    }

    fn post_visit_statement(&mut self, _: &Statement) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if !query.locks.is_empty() || query.for_clause.is_some() {
            return self.refuse(Layer::Statement, "`FOR UPDATE` and its kin lock rows");
        }
        if query.settings.is_some() || query.format_clause.is_some() {
            return self.refuse(Layer::Syntax, "it has a clause of another database");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        if select.into.is_some() {
            return self.refuse(Layer::Statement, "`SELECT … INTO` writes a table or a file");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        self.tables.push(relation.to_string());
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { name, args: Some(_), .. } | TableFactor::Function { name, .. } => {
                self.function(name)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(function) => self.function(&function.name),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(kind: Kind, sql: &str) -> Option<String> {
        check(kind, sql).unwrap_or_else(|why| panic!("{sql}: {why:?}")).change
    }

    #[test]
    fn what_reads_is_let_through() {
        for sql in include_str!("reads.txt").lines().filter(|line| !line.trim().is_empty()) {
            let (engines, sql) = sql.split_once(": ").unwrap();
            for engine in engines.split(' ') {
                let kind = match engine {
                    "sqlite" => Kind::Sqlite,
                    "postgres" => Kind::Postgres,
                    "mysql" => Kind::Mysql,
                    other => panic!("{other}"),
                };
                assert_eq!(change(kind, sql), None, "{engine}: {sql}");
            }
        }
    }

    #[test]
    fn changes_are_named() {
        for (kind, sql, wanted) in [
            (Kind::Sqlite, "update items set a = 1", "UPDATE items"),
            (Kind::Postgres, "insert into s.items values (1) returning a", "INSERT INTO s.items"),
            (Kind::Mysql, "delete from items where a = ?", "DELETE FROM items"),
            (Kind::Sqlite, "create index i on items (a)", "CREATE INDEX i"),
            (
                Kind::Postgres,
                "with x as (delete from items returning 1) select * from x",
                "DELETE FROM items",
            ),
            (Kind::Postgres, "explain analyze delete from items", "DELETE FROM items"),
        ] {
            assert_eq!(change(kind, sql).as_deref(), Some(wanted), "{sql}");
        }
    }

    #[test]
    fn deep_and_long_statements_end_well() {
        let deep = format!("select {}1{}", "(".repeat(5_000), ")".repeat(5_000));
        let chain = format!("select 1{}", " is null".repeat(20_000));
        let sum = format!("select 1{}", "+1".repeat(100_000));
        let list = format!("select 1 in (1{})", ",1".repeat(100_000));
        for kind in [Kind::Sqlite, Kind::Postgres, Kind::Mysql] {
            assert!(matches!(check(kind, &deep), Err(Failure::Refused { .. })));
            assert!(matches!(check(kind, &chain), Err(Failure::TooLarge(_))));
            assert!(matches!(check(kind, &sum), Err(Failure::TooLarge(_))));
            assert_eq!(change(kind, &list), None);
            assert_eq!(change(kind, &format!("select 1{}", "+1".repeat(2_000))), None);
        }
    }
}
