use expect_test::expect;

use crate::errors::errors_by_line;
use crate::snapshot::{folds, highlights, links, outline, well_indented};

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
fn tables_contain_their_keys() {
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
fn keys_tables_and_values_are_highlighted() {
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

#[test]
fn a_mistake_is_reported_on_its_line() {
    for (source, wanted) in [
        ("a = 1\nb = 2\na = 3\n", "3: duplicate key `a`"),
        ("[a]\nb = 1\n[c]\n[a]\n", "4: duplicate key `a`"),
        ("a = [[0, 1]\n\nb = 2\n[c]\nd = 1\n", "1: unclosed `[` that opens on line 1"),
        ("a = [\n\n[b]\nc = 1\n", "1: unclosed `[` that opens on line 1"),
        ("a = [\"b]\n\n[c]\nd = [\n  1,\n]\n", "1: unclosed string that starts on line 1"),
    ] {
        assert_eq!(errors_by_line("toml", source), [wanted], "{source}");
    }
    // Arrays of tables, and implicitly created tables.
    let sound = "[[a]]\nb = 1\n[[a]]\nb = 1\n[c.d]\n[c]\n";
    assert_eq!(errors_by_line("toml", sound), [""; 0]);
}
