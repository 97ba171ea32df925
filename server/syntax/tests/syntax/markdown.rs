use expect_test::expect;

use crate::snapshot::{class_of, folds, highlights, links, outline};

pub(crate) const SOURCE: &str = r#"---
title: x
---
# One *two*

Some `code`, **bold**, _it_, [link](a.md "t") and ![img](b.png).
A <b>tag</b> &amp; [ref][r].

### Deep

- item
- [ ] nested

## Sub

> quote
> more

| a | b |
|---|---|
| 1 | *2* |

Other
=====

Last
----

<div>
text
</div>

The **end**.

[r]: c.md
[s]: https://x.org
"#;

#[test]
fn headings_nest_by_their_levels() {
    expect![[r#"
        module One *two*
          module Deep
          module Sub
        module Other
          module Last
    "#]]
    .assert_eq(&outline("markdown", SOURCE));
}

#[test]
fn markup_and_marked_text_are_highlighted() {
    expect![[r#"
        escape: &amp;
        label: [r] [r] [s]
        markup.bold: bold a  b  end
        markup.heading: # One  ### Deep ## Sub Other ===== Last ----
        markup.italic: two it 2
        markup.link: link a.md img b.png ref c.md https://x.org
        markup.list: -  -  [ ]
        markup.quote: >  quote
        > more
        markup.raw: code
        property: title
        string: x "t"
        tag: b b div div
    "#]]
    .assert_eq(&highlights("markdown", SOURCE));
}

#[test]
fn sections_fold() {
    assert_eq!(
        folds("markdown", SOURCE),
        "1-3 Code, 4-36 Code, 9-12 Code, 11-12 Code, 14-36 Code, 16-17 Code, 19-21 Code, 29-30 Code"
    );
}

#[test]
fn files_are_linked_from_paragraphs_and_from_definitions() {
    assert_eq!(links("markdown", SOURCE), ["a.md", "b.png", "c.md"]);
    assert_eq!(links("markdown", "> a\n> [b](c.md)\n"), ["c.md"]);
}

#[test]
fn fenced_code_is_an_embedded_language() {
    let fenced = |info: &str| format!("```{info}\nfn f() {{}}\n```\n");
    for info in ["rust", "rust,no_run", "rs ignore", "{.rust}", "Rust"] {
        assert_eq!(class_of("markdown", &fenced(info), "fn"), "keyword", "{info}");
    }
    for info in ["", "text", "klingon"] {
        assert_eq!(class_of("markdown", &fenced(info), "fn"), "markup.raw", "{info}");
    }
    // The quote marker does not belong to the code.
    let quoted = "> ```json\n> {\n>   \"a\": [1,\n>     2]\n> }\n> ```\n";
    assert_eq!(class_of("markdown", quoted, "\"a\""), "property");
    assert_eq!(class_of("markdown", quoted, "2]"), "number");
    assert_eq!(class_of("markdown", SOURCE, "title"), "property");
    assert_eq!(class_of("markdown", "+++\na = 1\n+++\n", "1"), "number");
}
