use expect_test::expect;

use crate::errors::errors_by_line;
use crate::snapshot::{folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r#"// settings
{
  "extends": "./base.json",
  "tasks": [
    { "name": "build", "deep": { "n": 1.5 } },
    [true, null]
  ],
  "k\n": ""
}
"#;

#[test]
fn keys_and_named_items_are_listed() {
    expect![[r#"
        property extends
        property tasks
          struct build
            property name
            property deep
              property n
        property k
    "#]]
    .assert_eq(&outline("json", SOURCE));
}

#[test]
fn keys_and_values_are_highlighted() {
    expect![[r#"
        boolean: true
        comment: // settings
        constant.builtin: null
        escape: \n
        number: 1.5
        property: "extends" "tasks" "name" "deep" "n" "k "
        string: "./base.json" "build" ""
    "#]]
    .assert_eq(&highlights("json", SOURCE));
}

#[test]
fn objects_and_arrays_fold_and_indent() {
    assert_eq!(folds("json", SOURCE), "2-8 Code, 4-6 Code");
    well_indented("json", 2, SOURCE);
}

#[test]
fn other_files_are_linked() {
    assert_eq!(links("json", SOURCE), ["./base.json"]);
}

/// The indentation shows which bracket is wrong.
#[test]
fn a_mistake_is_reported_on_its_line() {
    for (source, wanted) in [
        (
            "{\n  \"a\": {\n    \"b\": 1\n  ,\n  \"c\": 2\n}\n",
            "2: unclosed `{` that opens on line 2",
        ),
        (
            "[\n  {\n    \"a\": {\n      \"b\": 1\n  },\n  {\n  }\n]\n",
            "3: unclosed `{` that opens on line 3",
        ),
        ("[\n  {\n    \"a\": 1\n  }},\n  {\n    \"a\": 1\n  }\n]\n", "4: `}` has no opening `{`"),
        (
            "{\n  \"a\": {{\n    \"b\": 1\n  },\n  \"c\": 1\n}\n",
            "2: unclosed `{` that opens on line 2",
        ),
        ("[\n  \"a\": 1,\n  \"b\": 2 },\n  { \"a\": 1 }\n]\n", "2: expected `{` before `\"a\"`"),
        ("{\n  \"a\": [,\n  \"b\": 1,\n  \"c\": 2\n}\n", "2: unclosed `[` that opens on line 2"),
    ] {
        assert_eq!(errors_by_line("json", source), [wanted], "{source}");
    }
}
