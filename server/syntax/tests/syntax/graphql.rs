use expect_test::expect;

use crate::snapshot::{folds, highlights, outline, well_indented};

pub(crate) const SOURCE: &str = r##"# c
"""Doc"""
type A implements B & C @key(fields: "id") {
  "d"
  id: ID!
  list(first: Int = 10, x: [String!]): [A!]! @deprecated(reason: "x")
}
interface B { id: ID! }
enum E { X Y }
input I { a: Float = 1.5, b: E = X }
union U = A | B
scalar Date
directive @foo(a: Int) on FIELD | OBJECT
schema { query: Query mutation: M }
extend type A { z: Int }
query Q($id: ID!, $b: Boolean = true) @x {
  alias: user(id: $id, o: {a: 1, b: null}) {
    ...F
    ... on A { id }
    name @include(if: $b)
  }
}
fragment F on A { id }
mutation M { x }
{ a }
"##;

#[test]
fn declarations_are_listed() {
    expect![[r#"
        class A
          field id ID!
          field list [A!]!
        interface B
          field id ID!
        enum E
          enum_member X
          enum_member Y
        struct I
          field a Float
          field b E
        type U
        type Date
        macro foo (a: Int)
        module schema
          field query Query
          field mutation M
        class extend A
          field z Int
        function query Q ($id: ID!, $b: Boolean = true)
        function F on A
        function mutation M
    "#]]
    .assert_eq(&outline("graphql", SOURCE));
}

#[test]
fn identifiers_keywords_and_literals_are_highlighted() {
    expect![[r#"
        attribute: @ key @ deprecated @ foo @ x @ include
        boolean: true
        comment: # c
        comment.documentation: """Doc""" "d"
        constant: FIELD OBJECT
        constant.builtin: null
        constant.member: X Y X
        function: Q F F M
        keyword: type implements interface enum input union scalar directive on schema query mutation extend type query on fragment on mutation
        label: alias
        number: 10 1.5 1
        operator: & ! = ! ! ! ! = = = | | ! = ... ...
        property: id list id z user a b id name id x a
        string: "id" "x"
        type: B C A E U A B Date Query M A A
        type.builtin: ID Int String ID Float Int Int ID Boolean
        type.class: A A
        type.enum: E
        type.interface: B
        type.struct: I
        variable: $ id $ b $ id $ b
        variable.parameter: fields first x reason a b a id o if
    "#]].assert_eq(&highlights("graphql", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["3-6 Code, 16-21 Code, 17-20 Code"].assert_eq(&folds("graphql", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("graphql", 2, SOURCE);
}
