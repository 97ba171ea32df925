//! The table of adapters in the documentation is the one that is used.

use std::path::Path;

use tests::Home;

#[test]
fn the_documented_adapters_are_those_of_the_table() {
    let output = Home::new().command().args(["doctor", "--adapters"]).output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.lines().count() > 4, "{table}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/debug.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains(&table),
        "docs/debug.md: put the output of `tandem doctor --adapters` in place of its table:\n{table}"
    );
}
