use expect_test::expect;

use crate::snapshot::{class_of, folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r##"<!DOCTYPE html>
<html>
  <head>
    <link rel="stylesheet" href="a.css">
    <style>p { color: red }</style>
    <script>let x = 1;</script>
  </head>
  <body id="top" onclick="go(2)">
    <!-- one
      two -->
    <h1>Fish &amp; <b>chips</b></h1>
    <p id=note><img src='b.png'><a href="#top">up</a></p>
    <div
      class="c"
    >
      text
    </div>
    <br>
  </body>
</html>
"##;

#[test]
fn headings_and_ids_are_listed() {
    expect![[r#"
        field top body
          module Fish &amp; chips
          field note p
    "#]]
    .assert_eq(&outline("html", SOURCE));
}

#[test]
fn tags_attributes_and_text_are_highlighted() {
    expect![[r#"
        comment: <!-- one
              two -->
        constant.builtin: red
        escape: &amp;
        function: go
        keyword: DOCTYPE html let
        markup.bold: chips
        markup.heading: Fish
        number: 1 2
        operator: = = = = = = = = =
        property: color
        string: "stylesheet" " " "top" " " note ' ' " " "c"
        string.special: a.css b.png #top
        tag: html head link style p style script script head body h1 b b h1 p img a a p div div br body html
        tag.attribute: rel href id onclick id src href class
        variable: x
    "#]].assert_eq(&highlights("html", SOURCE));
}

#[test]
fn elements_fold_and_indent() {
    assert_eq!(folds("html", SOURCE), "2-19 Code, 3-6 Code, 8-18 Code, 9-10 Comment, 13-16 Code");
    well_indented("html", 2, SOURCE);
    well_indented("html", 2, "<pre>\n a\nb</pre>\n<p>\n  c\n</p>\n");
}

#[test]
fn files_are_linked() {
    assert_eq!(links("html", SOURCE), ["a.css", "b.png"]);
}

#[test]
fn scripts_and_styles_are_embedded_languages() {
    assert_eq!(class_of("html", SOURCE, "color"), "property");
    assert_eq!(class_of("html", SOURCE, "let"), "keyword");
    assert_eq!(class_of("html", SOURCE, "2)"), "number");
    let typed = |kind: &str, code: &str, piece: &str| {
        let source = format!("<script {kind}>{code}</script>");
        class_of("html", &source, piece)
    };
    assert_eq!(typed("type=module", "let x = 1", "let"), "keyword");
    assert_eq!(typed(r#"type="application/ld+json""#, r#"{"a": 1}"#, "\"a\""), "property");
    assert_eq!(typed("lang=ts", "let x: number", "number"), "type.builtin");
    assert_eq!(typed("type=text/template", "let x = 1", "let"), "");
}
