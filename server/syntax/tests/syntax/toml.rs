use expect_test::expect;

use crate::look::{folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r#"title = "x\n" # of it
[a.b."c d"]
d.e = 1979-05-27
list = [
  1,
  { p = true, q = 2.0 },
]
[[bin]]
path = 'src/m.rs'
"#;

#[test]
fn tables_hold_their_keys() {
    expect![[r#"
        property title
        module a.b."c d"
          property d.e
          property list
            property p
            property q
        module bin
          property path
    "#]]
    .assert_eq(&outline("toml", SOURCE));
}

#[test]
fn keys_tables_and_values_differ() {
    expect![[r#"
        boolean: true
        comment: # of it
        escape: \n
        namespace: a b "c d" bin
        number: 1 2.0
        operator: = = = = = =
        property: title d e list p q path
        string: "x " 'src/m.rs'
        string.special: 1979-05-27
    "#]]
    .assert_eq(&highlights("toml", SOURCE));
}

#[test]
fn tables_and_lists_fold() {
    assert_eq!(folds("toml", SOURCE), "2-6 Code, 4-6 Code, 8-9 Code");
}

#[test]
fn lists_are_indented() {
    well_indented("toml", 2, SOURCE);
    well_indented("toml", 4, "a = '''\n  b\n c\n'''\nd = [[\n    1,\n], [\n    2,\n]]\n");
}

#[test]
fn paths_are_linked() {
    assert_eq!(links("toml", SOURCE), ["src/m.rs"]);
}
