use expect_test::expect;

use crate::look::{folds, highlights, links, outline, well_indented};

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
fn keys_and_values_differ() {
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
