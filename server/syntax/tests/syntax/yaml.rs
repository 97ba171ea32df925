use expect_test::expect;

use crate::errors::errors_by_line;
use crate::snapshot::{class_of, folds, highlights, links, outline};

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
fn keys_values_and_anchors_are_highlighted() {
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
fn a_comment_names_the_embedded_language() {
    assert_eq!(class_of("yaml", "a: | # toml\n  b = true\n", "true"), "boolean");
    assert_eq!(class_of("yaml", "a: | # whatever\n  b = true\n", "true"), "string");
}

/// Each mistake gives one message, on its line.
#[test]
fn a_mistake_is_reported_on_its_line() {
    for (source, wanted) in [
        ("a: 1\nb:\n  c: 2\n  c: 3\n", "4: duplicate key `c`, first on line 3"),
        ("a:\n  b: \"1.9\n  c: d\n  e: f\n", "2: unclosed string that starts on line 2"),
        ("a: 1\nb: ['c', 'd]\ne: 'f'\ng: 'h'\n", "2: unclosed string that starts on line 2"),
        ("a:\n  - b\n  - > c'\nd: 1\n", "3: expected `'` before `>`"),
        ("a:\n  b: 1\n  c d\n  e: 2\n", "3: expected `:` after `c`"),
        ("a\n  b: 1\nc: 2\n", "1: expected `:` after `a`"),
        ("a: b: c\nd: 1\n", "1: unexpected `:` in a value: it needs quotes around it"),
        ("a:\n  - b: 1\n  c: 2\n    d: 3\n  - e: 4\n", "3: expected `-` before `c:`"),
        (
            "a:\n  b: 1\n   c: 2\nd: 3\n",
            "3: wrong indentation: expected 2 spaces as on line 2, found 3",
        ),
        (
            "a:\n  b:\n    c: 1\n   d: 2\n  e: 3\n",
            "4: wrong indentation: expected 4 spaces as on line 3, found 3",
        ),
        ("a: [b, c\nd: [e]\n", "1: unclosed `[` that opens on line 1"),
    ] {
        assert_eq!(errors_by_line("yaml", source), [wanted], "{source}");
    }
}

#[test]
fn keys_that_may_be_repeated_are_no_error() {
    for source in [
        "a: &b\n  c: 1\nd:\n  <<: *b\n  <<: *e\n",
        "a: 1\n---\na: 1\n",
        "- a: 1\n- a: 1\n- [a, a]\n",
        "? [a]\n: 1\n? [a]\n: 2\n",
        "1: a\n\"1\": b\n",
        "a:\n  ${{ if eq(b, c) }}:\n    d: 1\n  ${{ if eq(b, c) }}:\n    d: 1\n",
        "{{- if .Values.a }}\nb: 1\n{{- else }}\nb: 2\n{{- end }}\n",
        "a: *b\nc: a\nd: c\n",
    ] {
        assert_eq!(errors_by_line("yaml", source), [""; 0], "{source}");
    }
}

#[test]
fn block_scalars_are_no_templates() {
    let source = "a: |\n  {% if b %}\n  c: {{ d }}\n  {% endif %}\ne: 1\ne: 2\n";
    assert_eq!(errors_by_line("yaml", source), ["6: duplicate key `e`, first on line 5"]);
}
