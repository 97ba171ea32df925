use expect_test::expect;

use crate::snapshot::{folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r##"@use "a";
// line
$main: #fff;
@mixin foo($a, $b: 1px) {
  color: $a;
  @content;
}
@function bar($x) {
  @return $x * 2;
}
.a {
  @include foo($main, 2px);
  &:hover {
    color: red;
  }
  @if $a == 1 {
    top: 1px;
  } @else {
    top: -2px;
  }
}
"##;

#[test]
fn declarations_are_listed() {
    expect![[r#"
        variable $main
        function foo ($a, $b: 1px)
        function bar ($x)
        class .a
          class &:hover
    "#]]
    .assert_eq(&outline("scss", SOURCE));
}

#[test]
fn identifiers_keywords_and_literals_are_highlighted() {
    expect![[r#"
        attribute: hover
        comment: // line
        constant.builtin: red
        function: foo bar foo
        keyword: @use @mixin @content @function @return @include @if @else
        number: 1 2 2 1 1 -2
        operator: * ==
        property: color color top top
        string: "a"
        string.special: # fff
        tag: &
        type: px px px px
        type.class: a
        variable: $main $a $x $main $a
        variable.parameter: $a $b $x
    "#]]
    .assert_eq(&highlights("scss", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["4-6 Code, 8-9 Code, 11-20 Code, 13-14 Code, 16-17 Code, 18-19 Code"]
        .assert_eq(&folds("scss", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("scss", 2, SOURCE);
}

#[test]
fn used_files_are_linked() {
    assert_eq!(links("scss", SOURCE), ["a"]);
}
