use expect_test::expect;

use crate::snapshot::{folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r#"@import "base.css";
:root {
  --main: #fff;
}
/* c */
a:hover,
.foo > #bar[href^="x"]::before {
  color: var(--main) !important;
  background: url(a.png), url("data:x");
  margin: -1px calc(1em + 2%) auto;
  &.on {
    content: "\201c";
  }
}
@media screen and (max-width: 100px) {
  h1 {
    top: 0;
  }
}
@keyframes spin {
  from {
    top: 0;
  }
}
"#;

#[test]
fn rules_are_listed() {
    expect![[r#"
        class :root
          variable --main
        class a:hover, .foo > #bar[href^="x"]::before
          class &.on
        namespace @media screen and (max-width: 100px)
          class h1
        function spin
          field from
    "#]]
    .assert_eq(&outline("css", SOURCE));
}

#[test]
fn selectors_properties_and_values_are_highlighted() {
    expect![[r#"
        attribute: root hover before
        comment: /* c */
        constant: bar
        constant.builtin: auto screen
        escape: \201c
        function: var url url calc spin
        keyword: @import !important @media and @keyframes from
        number: -1 1 2 100 0 0
        operator: > ^= +
        property: color background margin content max-width top top
        string: "base.css" "x" "data:x" " "
        string.special: # fff a.png
        tag: a & h1
        tag.attribute: href
        type: px em % px
        type.class: foo on
        variable: --main --main
    "#]]
    .assert_eq(&highlights("css", SOURCE));
}

#[test]
fn blocks_fold_and_indent() {
    assert_eq!(
        folds("css", SOURCE),
        "2-3 Code, 7-13 Code, 11-12 Code, 15-18 Code, 16-17 Code, 20-23 Code, 21-22 Code"
    );
    well_indented("css", 2, SOURCE);
}

#[test]
fn files_are_linked() {
    assert_eq!(links("css", SOURCE), ["base.css", "a.png"]);
}
