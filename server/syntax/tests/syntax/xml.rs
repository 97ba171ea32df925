use expect_test::expect;

use crate::snapshot::{folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE project SYSTEM "p.dtd">
<!-- Of it. -->
<project id="a">
  <item href="b.xml" name="b"/>
  <list>
    <entry>x &amp; y</entry>
    <entry
      key="k"
    >z</entry>
  </list>
  <![CDATA[ <raw> ]]>
</project>
"#;

#[test]
fn outline_items() {
    expect![[r#"
        struct project "a"
          struct item "b"
          struct list
            struct entry "k"
    "#]]
    .assert_eq(&outline("xml", SOURCE));
}

#[test]
fn highlight_classes() {
    expect![[r#"
        comment: <!-- Of it. -->
        escape: &amp;
        keyword: xml version encoding DOCTYPE SYSTEM
        number: 1.0
        string: " " "a" "b.xml" "b" "k"  <raw>
        string.special: UTF-8 p.dtd
        tag: project item list entry entry entry entry list project
        tag.attribute: id href name key
        type: project
    "#]]
    .assert_eq(&highlights("xml", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["4-12 Code, 6-10 Code, 8-10 Code"].assert_eq(&folds("xml", SOURCE));
}

#[test]
fn bodies_are_indented() {
    well_indented("xml", 2, SOURCE);
}

#[test]
fn files_are_linked() {
    assert_eq!(links("xml", SOURCE), ["p.dtd", "b.xml"]);
}
