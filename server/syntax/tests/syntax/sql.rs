use expect_test::expect;

use crate::look::{folds, highlights, outline, well_indented};

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
fn what_is_created_is_listed() {
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
fn classes() {
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
fn brackets_and_bodies_are_indented_and_clauses_are_left() {
    well_indented("sql", 2, SOURCE);
    well_indented("sql", 2, "SELECT a\n     , b\n  FROM c\n");
}
