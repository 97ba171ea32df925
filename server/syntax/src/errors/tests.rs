//! Which errors are reported in several languages, and which are not.

use std::sync::atomic::AtomicBool;

use text::Text;

use super::*;
use crate::Language;

fn errors(language: &str, source: &str) -> Vec<String> {
    let language = Language::by_id(language).unwrap();
    let syntax =
        Syntax::parse(language, &Text::new(source), None, &AtomicBool::new(false)).unwrap();
    syntax.errors(10).into_iter().map(|e| format!("{:?} {}", e.span, e.message)).collect()
}

#[test]
fn dialects_are_not_checked() {
    let flow = "opaque type A = ?{| a: number |};\nimport typeof B from 'b';\n";
    for head in ["/**\n * @flow strict-local\n */\n", "#!/usr/bin/env node\n// a\n// @flow\n"] {
        assert!(errors("javascript", &format!("{head}'use strict';\n{flow}")).is_empty());
    }
    assert!(!errors("javascript", &format!("// flow\n{flow}// @flow\n")).is_empty());
}

#[test]
fn a_template_of_another_language_has_no_errors() {
    let template = "{% autoescape off %}\nconst v = {{ plural }};\n{% endautoescape %}\n";
    assert_eq!(errors("javascript", template), [""; 0]);
    assert_eq!(errors("xml", "{% extends \"a.kml\" %}\n<a/>\n"), [""; 0]);
    assert_eq!(errors("javascript", "const s = '{% if %}';\nconst = 1;\n").len(), 1);
}

#[test]
fn an_escaped_quote_in_a_selector_opens_no_string() {
    let css = ".before\\:content-\\[\\\"\\\"\\] { color: red }\n.a { color: blue; }\n";
    assert_eq!(errors("css", css), [""; 0]);
    assert_eq!(errors("css", ".a { content: \"; }\n").len(), 1);
}

#[test]
#[cfg(feature = "languages")]
fn newer_csharp_is_valid() {
    let inside =
        |line: &str| format!("class A {{\n    string F() {{\n        {line}\n    }}\n}}\n");
    for line in ["return $\"{{{string.Join(\",\", entries)}}}\";", "formats[extension] = [type];"] {
        assert_eq!(errors("csharp", &inside(line)), [""; 0], "{line}");
    }
    assert_eq!(errors("csharp", &inside("formats[extension = [other];")).len(), 1);
}

#[test]
fn unquoted_urls_contain_no_comments() {
    let scss = "$size: 1px;\n.a { background: url(https://#{f($h)}/b.png?c=1); width: $size; }\n";
    assert_eq!(errors("scss", scss), [""; 0]);
    assert_eq!(errors("scss", ".a { b: url( https://c.d ); }\n"), [""; 0]);
    let unclosed = ".a { b: url(https://c.d; }\n.b { c: url(d); }\n";
    assert_eq!(errors("css", unclosed).len(), 1);
    // Each line is searched only once.
    let hostile = "url(".repeat(200_000);
    assert!(!errors("css", &hostile).is_empty());
}

#[test]
fn violations_that_the_grammar_accepts_are_reported() {
    for (language, source, expected) in [
        ("java", "class A {\n  A() {}\n  public b() { }\n}\n", "expected a type before `b`"),
        ("java", "class A {\n  static static int b;\n}\n", "unexpected `static`"),
        ("go", "package a\n\nfunc b()\n{\n}\n", "expected `{` at the end of the line before"),
        (
            "go",
            "package a\n\nfunc b() {\n\tif c\n\t{\n\t}\n}\n",
            "expected `{` at the end of the line before",
        ),
        ("go", "package a\n\nfunc (a int) {\n}\n", "expected a name after `func`"),
        ("go", "package a\n\nfunc b(c int, d) {\n}\n", "expected a name and a type, not only `d`"),
        ("tsx", "const a = <b><c>d</e></b>;\n", "expected `</c>` before `</e>`"),
        ("tsx", "const a = <b c{d} />;\n", "expected `=` after `c`"),
        ("javascript", "f(1,, 2);\n", "unexpected `,`"),
        ("typescript", "const a = { b,, c };\n", "unexpected `,`"),
        ("rust", "use a::b;;\n", "unexpected `;`"),
        ("rust", "use a;\n b::c;\nfn d() {}\n", "expected `use` or the like before `b::c`"),
        ("rust", "fn a() {\n    b!(c)\n    d();\n}\n", "expected `;` after `)`"),
        ("csharp", "class A {\n  static static int b;\n}\n", "unexpected `static`"),
        ("csharp", "using A;;\nusing B;\n", "unexpected `;`"),
        ("csharp", "class A { void B(c, int d) { } }\n", "expected a type before `c`"),
        ("csharp", "class A { void B() { c(d e); } }\n", "expected `,` or an operator before `e`"),
        ("csharp", "#if A\nusing B;\n#endif\nclass C : : D { }\n", "unexpected `:`"),
    ] {
        let errors = errors(language, source);
        assert!(errors.len() == 1 && errors[0].ends_with(expected), "{source}: {errors:?}");
    }
    for (language, source) in [
        ("java", "record A(int b) {\n  A {}\n}\nenum C { D; C() {} }\n"),
        (
            "go",
            "package a\n\nfunc b(int, string)\n\nfunc c() (d, e int) {\n\tfor\n\t{\n\t}\n\treturn\n}\n",
        ),
        ("go", "package a\n\nfunc b() {\n\tc()\n\t{\n\t}\n}\n"),
        ("rust", "a! { b };\nfn c() {\n    d! {}\n    e!();\n    ;\n    f!(g)\n}\n"),
        ("tsx", "const a = <><b.c {...d} e={f}>g</b.c></>;\n"),
        ("csharp", "class A(b c) : D(c) { }\nclass E { void F() => G((h, i) => h, out J k); }\n"),
        ("csharp", "class A { void B() { c(d * e, f < g > h); int.TryParse(i, out int j); } }\n"),
        ("csharp", "class A { void B(C d) { d.E(d) = 1; d?[0] = 2; if (async) { } } }\n"),
        ("csharp", "class A { void B(\n#if C\n  int d)\n#else\n  int e)\n#endif\n  { }\n}\n"),
        ("javascript", "const [a,, b] = [1,,];\nf(a, b,);\n"),
    ] {
        assert_eq!(errors(language, source), [""; 0], "{source}");
    }
}

#[test]
fn the_number_of_errors_is_limited() {
    assert_eq!(errors("python", &"x = = 1\n".repeat(50)).len(), 10);
}
