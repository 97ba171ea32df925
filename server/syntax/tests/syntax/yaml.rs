use expect_test::expect;

use crate::look::{class_of, folds, highlights, links, outline};

pub(crate) const SOURCE: &str = r#"# ci
on: { push: null }
env: &e
  A: 1
  B: true
steps:
  - name: Test it
    uses: ./act/x.yml
    with: *e
  - plain
$ref: "a\n.json"
"#;

#[test]
fn keys_and_named_items_are_listed() {
    expect![[r#"
        property on
          property push
        property env
          property A
          property B
        property steps
          struct Test it
            property name
            property uses
            property with
        property $ref
    "#]]
    .assert_eq(&outline("yaml", SOURCE));
}

#[test]
fn keys_values_and_anchors_differ() {
    expect![[r#"
        boolean: true
        comment: # ci
        constant.builtin: null
        escape: \n
        label: e e
        number: 1
        property: on push env A B steps name uses with $ref
        string: Test it ./act/x.yml plain "a .json"
    "#]]
    .assert_eq(&highlights("yaml", SOURCE));
}

#[test]
fn mappings_and_items_fold() {
    assert_eq!(folds("yaml", SOURCE), "3-5 Code, 6-10 Code, 7-9 Code");
    assert_eq!(folds("yaml", "# a\n# b\na: |\n  b\n  c\n"), "1-2 Comment, 3-5 Code");
    assert_eq!(folds("yaml", "---\na: b\n---\nc: d\n"), "1-2 Code, 3-4 Code");
}

#[test]
fn files_are_linked() {
    assert_eq!(links("yaml", SOURCE), ["./act/x.yml", "a\\n.json"]);
    assert_eq!(links("yaml", "include:\n  - local: 'b/c.yml'\n  - d.yml\n"), ["b/c.yml", "d.yml"]);
}

#[test]
fn a_comment_says_what_a_text_is() {
    assert_eq!(class_of("yaml", "a: | # toml\n  b = true\n", "true"), "boolean");
    assert_eq!(class_of("yaml", "a: | # whatever\n  b = true\n", "true"), "string");
}
