use expect_test::expect;

use crate::errors::errors_with_spans;
use crate::snapshot::{folds, highlights, outline, well_indented};

pub(crate) const SOURCE: &str = r#"-- users
CREATE TABLE app.users (
  id bigint PRIMARY KEY,
  name varchar(20) NOT NULL DEFAULT 'x'
);
CREATE INDEX users_name ON app.users (name);
CREATE OR REPLACE VIEW v AS
  SELECT u.id, count(*) AS n
  FROM users u
  WHERE u.ok = TRUE AND u.total > 1.5;
CREATE FUNCTION add(a integer, b integer) RETURNS integer
LANGUAGE sql
AS $$
  SELECT a + b;
$$;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TRIGGER t BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION f();
CREATE SCHEMA s;
WITH r AS (
  SELECT NULL
)
SELECT * FROM r;
"#;

#[test]
fn created_objects_are_listed() {
    expect![[r#"
        struct app.users
          field id bigint
          field name varchar(20)
        property users_name
        class v
        function add (a integer, b integer)
        type mood
        method t
        namespace s
        variable r
    "#]]
    .assert_eq(&outline("sql", SOURCE));
}

#[test]
fn highlight_classes() {
    expect![[r#"
        boolean: TRUE
        comment: -- users
        constant.builtin: NULL NULL
        function: count add f
        keyword: CREATE TABLE PRIMARY KEY DEFAULT CREATE INDEX ON CREATE REPLACE VIEW AS SELECT AS FROM WHERE CREATE FUNCTION RETURNS LANGUAGE AS SELECT CREATE TYPE AS CREATE TRIGGER BEFORE INSERT ON FOR EACH ROW EXECUTE FUNCTION CREATE SCHEMA WITH AS SELECT SELECT FROM
        keyword.operator: NOT OR AND
        label: $$ $$
        namespace: app app s
        number: 20 1.5
        operator: * = > + *
        property: id name id ok total a b
        string: 'x' 'sad' 'ok'
        string.special: sql
        type: users users_name users v users mood t users r r
        type.builtin: bigint varchar integer integer integer ENUM
        variable: name u n u u u
        variable.parameter: a b
    "#]].assert_eq(&highlights("sql", SOURCE));
}

#[test]
fn statements_fold() {
    assert_eq!(folds("sql", SOURCE), "2-4 Code, 7-10 Code, 11-15 Code, 13-15 Code, 19-22 Code");
}

#[test]
fn brackets_and_bodies_are_indented_and_clauses_are_left_alone() {
    well_indented("sql", 2, SOURCE);
    well_indented("sql", 2, "SELECT a\n     , b\n  FROM c\n");
}

fn errors(source: &str) -> Vec<String> {
    errors_with_spans("sql", source)
}

#[test]
fn ambiguous_dialects_have_no_errors() {
    for source in [
        SOURCE,
        "SELECT 'it''s (', \"a'b\", `c(`, x[1] -- don't (\n/* nor ( */;\n",
        "CREATE FUNCTION f() AS $a$ it's ( $$ $a$;\nSELECT $1, $2 FROM t$x;\n",
        "COPY t (a, b) FROM stdin;\nit's\t(\n\\.\nSELECT (1);\n",
        "\\echo it's (\nPROMPT don't\n# don't (\n.print it's\nSELECT 1;\n",
        "INSERT INTO a VALUES ('it\\'s (');\n",
        "SELECT q'[it's (]' FROM dual;\n",
        "/* a /* ' */ */\nSELECT '\n';\n",
        "{# it's #}\nSELECT (1\n",
        "SELECT {d '2020-01-01'}\nGO\n",
        "# don't",
    ] {
        assert_eq!(errors(source), [""; 0], "{source}");
    }
}

#[test]
fn unclosed_constructs_are_reported() {
    for (source, expected) in [
        ("SELECT (1;\nSELECT 2;\n", "(: unclosed `(` that opens on line 1"),
        ("SELECT 1);\n", "): `)` has no opening `(`"),
        ("CREATE TABLE a (\n  b int[2,\n);\n", "[: unclosed `[` that opens on line 2"),
        ("SELECT 1;\nSELECT 'a;\n", "': unclosed string that starts on line 2"),
        ("SELECT 'a;\nSELECT 'b', 'c';\n", "': unclosed string that starts on line 1"),
        ("SELECT 1; /* b\n", "/*: unclosed comment that starts on line 1"),
        ("COPY a FROM stdin;\n'\n\\.\nSELECT (\n", "(: unclosed `(` that opens on line 4"),
    ] {
        assert_eq!(errors(source), [expected], "{source}");
    }
}
