//! Syntax errors: one clear message per problem, at the right span.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use expect_test::{Expect, expect};
use syntax::{Language, Syntax, SyntaxError};
use text::Text;

/// The errors of a text: the source of the span, and the message.
pub(crate) fn errors_with_spans(language: &str, source: &str) -> Vec<String> {
    let language = Language::by_id(language).unwrap();
    let syntax = Syntax::parse(language, &Text::new(source), None, &AtomicBool::new(false));
    let describe = |error: SyntaxError| format!("{}: {}", &source[error.span], error.message);
    syntax.unwrap().errors(30).into_iter().map(describe).collect()
}

/// The errors of a text: line and message.
pub(crate) fn errors_by_line(language: &str, source: &str) -> Vec<String> {
    let language = Language::by_id(language).unwrap();
    let text = Text::new(source);
    let syntax = Syntax::parse(language, &text, None, &AtomicBool::new(false)).unwrap();
    let describe = |e: SyntaxError| format!("{}: {}", text.line_of(e.span.start) + 1, e.message);
    syntax.errors(30).into_iter().map(describe).collect()
}

/// Each message below the line that it is about.
fn annotated(language: &str, source: &str) -> String {
    let language = Language::by_id(language).unwrap();
    let text = Text::new(source);
    let syntax = Syntax::parse(language, &text, None, &AtomicBool::new(false)).unwrap();
    let mut out = String::new();
    for error in syntax.unfiltered_errors(10) {
        let line = text.line_of(error.span.start);
        let before = text.slice(text.line_start(line)..error.span.start).replace('\t', " ");
        let blanks = " ".repeat(before.chars().count());
        let marks = text.slice(error.span.clone()).chars().count().max(1);
        let shown = text.line(line).to_string().replace('\t', " ");
        writeln!(out, "|{}\n|{blanks}{} {}", shown.trim_end(), "^".repeat(marks), error.message)
            .unwrap();
    }
    out
}

fn check(language: &str, source: &str, expect: &Expect) {
    expect.assert_eq(&annotated(language, source));
}

#[test]
fn missing_brackets() {
    check(
        "c",
        "int f() {\n  if (a {\n    b();\n  }\n  return 0;\n}\n",
        &expect![[r#"
            |  if (a {
            |        ^ expected `)` before `{`
        "#]],
    );
    check(
        "cpp",
        "void f() {\n  std::vector<int> v{1, 2;\n  g();\n}\n\nint h() { return 1; }\n",
        &expect![[r#"
            |  std::vector<int> v{1, 2;
            |                    ^ unclosed `{` that opens on line 2
        "#]],
    );
    check(
        "go",
        "package p\n\nfunc f() {\n\tif g(1, 2 {\n\t\th()\n\t}\n}\n\nfunc h() {}\n",
        &expect![[r#"
            | if g(1, 2 {
            |           ^ expected `)` before `{`
        "#]],
    );
    check(
        "java",
        "class A {\n  void f() {\n    g(1, 2;\n  }\n\n  int h() { return 1; }\n}\n",
        &expect![[r#"
            |    g(1, 2;
            |          ^ expected `)` before `;`
        "#]],
    );
    check(
        "javascript",
        "function f() {\n  g([1, 2);\n  return 0;\n}\n",
        &expect![[r#"
            |  g([1, 2);
            |         ^ expected `]` before `)`
        "#]],
    );
    check(
        "json",
        "{\"a\": 1,\n \"b\": [1, 2\n}\n",
        &expect![[r#"
            | "b": [1, 2
            |      ^ unclosed `[` that opens on line 2
        "#]],
    );
    check(
        "python",
        "def f(a:\n    return 1\n\ndef g():\n    pass\n",
        &expect![[r#"
            |def f(a:
            |     ^ unclosed `(` that opens on line 1
        "#]],
    );
    check(
        "python",
        "x = [1, 2\ny = 3\n",
        &expect![[r#"
            |x = [1, 2
            |    ^ unclosed `[` that opens on line 1
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    g(vec![1, 2);\n}\n\nfn g() {}\n",
        &expect![[r#"
            |    g(vec![1, 2);
            |               ^ expected `]` before `)`
        "#]],
    );
    check(
        "typescript",
        "interface A {\n  b(c: string: void;\n}\n",
        &expect![[r#"
            |  b(c: string: void;
            |             ^ expected `)` before `:`
        "#]],
    );
    check(
        "tsx",
        "const a = <p>{f(1}</p>;\n",
        &expect![[r#"
            |const a = <p>{f(1}</p>;
            |                 ^ expected `)` before `}`
        "#]],
    );
}

#[test]
fn unclosed_bodies() {
    check(
        "rust",
        "fn f() {\n    if x {\n        y();\n}\n\nfn g() {}\n",
        &expect![[r#"
            |    if x {
            |         ^ unclosed `{` that opens on line 2
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    if x {\n        y();\n    }\n\nfn g() {}\n",
        &expect![[r#"
            |fn f() {
            |       ^ unclosed `{` that opens on line 1
        "#]],
    );
    check(
        "c",
        "int f() {\n  while (1) {\n    g();\n\n  return 0;\n}\n\nint h() { return 1; }\n",
        &expect![[r#"
            |  while (1) {
            |            ^ unclosed `{` that opens on line 2
        "#]],
    );
    check(
        "java",
        "class A {\n  void f() {\n    if (x) {\n      g();\n  }\n\n  void h() {}\n}\n",
        &expect![[r#"
            |    if (x) {
            |           ^ unclosed `{` that opens on line 3
        "#]],
    );
    check(
        "javascript",
        "class A {\n  f() {\n    return 1;\n\n  g() {\n    return 2;\n  }\n}\n",
        &expect![[r#"
            |  f() {
            |      ^ unclosed `{` that opens on line 2
        "#]],
    );
    check(
        "go",
        "package p\n\nfunc f() {\n\tfor {\n\t\tg()\n}\n\nfunc g() {}\n",
        &expect![[r#"
            | for {
            |     ^ unclosed `{` that opens on line 4
        "#]],
    );
}

#[test]
fn superfluous_brackets() {
    check(
        "rust",
        "fn f() {\n    g();\n    }\n}\n\nfn h() {}\n",
        &expect![[r#"
            |    }
            |    ^ `}` has no opening `{`
        "#]],
    );
    check(
        "c",
        "int f() {\n  return g(1));\n}\n",
        &expect![[r#"
            |  return g(1));
            |             ^ `)` has no opening `(`
        "#]],
    );
    check(
        "cpp",
        "namespace a {\nvoid f() {\n}\n}\n}\n",
        &expect![[r#"
            |}
            |^ `}` has no opening `{`
        "#]],
    );
    check(
        "go",
        "package p\n\nfunc f() {\n}\n}\n",
        &expect![[r#"
            |}
            |^ `}` has no opening `{`
        "#]],
    );
    check(
        "java",
        "class A {\n  void f() {\n  }\n}\n}\n",
        &expect![[r#"
            |}
            |^ `}` has no opening `{`
        "#]],
    );
    check(
        "javascript",
        "it(\"x\", () => {\n  foo());\n});\n",
        &expect![[r#"
            |  foo());
            |       ^ `)` has no opening `(`
        "#]],
    );
    check(
        "json",
        "{\"a\": 1}}\n",
        &expect![[r#"
            |{"a": 1}}
            |        ^ `}` has no opening `{`
        "#]],
    );
    check(
        "python",
        "x = f(1))\ny = 2\n",
        &expect![[r#"
            |x = f(1))
            |        ^ `)` has no opening `(`
        "#]],
    );
    check(
        "typescript",
        "type A = { b: 1 };\n}\n",
        &expect![[r#"
            |}
            |^ `}` has no opening `{`
        "#]],
    );
}

#[test]
fn unterminated_strings() {
    check(
        "c",
        "int f() {\n  char *s = \"abc;\n  return 0;\n}\nint g() { return 1; }\n",
        &expect![[r#"
            |  char *s = "abc;
            |            ^^^^^ unclosed string that starts on line 2
        "#]],
    );
    check(
        "cpp",
        "void f() {\n  g(\"abc);\n  h();\n}\n",
        &expect![[r#"
            |  g("abc);
            |    ^^^^^^ unclosed string that starts on line 2
        "#]],
    );
    check(
        "go",
        "package p\n\nfunc f() {\n\ts := \"abc\n\tg(s)\n}\n",
        &expect![[r#"
            | s := "abc
            |      ^^^^ unclosed string that starts on line 4
        "#]],
    );
    check(
        "java",
        "class A {\n  String s = \"abc;\n  void f() { g(); }\n}\n",
        &expect![[r#"
            |  String s = "abc;
            |             ^^^^^ unclosed string that starts on line 2
        "#]],
    );
    check(
        "javascript",
        "function f() {\n  let s = 'abc;\n  return 0;\n}\n",
        &expect![[r#"
            |  let s = 'abc;
            |          ^^^^^ unclosed string that starts on line 2
        "#]],
    );
    check(
        "typescript",
        "function f() {\n  let s = `abc;\n  return 0;\n}\n",
        &expect![[r#"
            |  let s = `abc;
            |          ^ unclosed string that starts on line 2
        "#]],
    );
    check(
        "json",
        "{\"a\": \"b,\n \"c\": 1}\n",
        &expect![[r#"
            |{"a": "b,
            |      ^^^ unclosed string that starts on line 1
        "#]],
    );
    check(
        "python",
        "def f():\n    s = \"abc\n    return s\n\ndef g():\n    x = 1\n",
        &expect![[r#"
            |    s = "abc
            |        ^^^^ unclosed string that starts on line 2
        "#]],
    );
    check(
        "python",
        "def f():\n    \"\"\"Says.\n    return s\n\ndef g():\n    \"\"\"Says too.\"\"\"\n",
        &expect![[r#"
            |    """Says.
            |    ^^^ unclosed string that starts on line 2
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    let s = \"abc;\n    g();\n}\nfn g() { let x = \"a\"; }\n",
        &expect![[r#"
            |    let s = "abc;
            |            ^ unclosed string that starts on line 2
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    let s = \"abc;\n}\n",
        &expect![[r#"
            |    let s = "abc;
            |            ^ unclosed string that starts on line 2
        "#]],
    );
}

#[test]
fn unterminated_comments() {
    check(
        "c",
        "int f() {\n  g();\n  /* abc\n  return 0;\n}\n",
        &expect![[r#"
            |  /* abc
            |  ^^ unclosed comment that starts on line 3
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    /* abc\n}\n",
        &expect![[r#"
            |    /* abc
            |    ^^ unclosed comment that starts on line 2
        "#]],
    );
    check(
        "javascript",
        "let a = 1;\n/* b\nlet c;\n",
        &expect![[r#"
            |/* b
            |^^ unclosed comment that starts on line 2
        "#]],
    );
}

#[test]
fn missing_and_unexpected_tokens() {
    check(
        "c",
        "int f() { return 0 }\n",
        &expect![[r#"
            |int f() { return 0 }
            |                   ^ expected `;` before `}`
        "#]],
    );
    check(
        "c",
        "int f() {\n  int a = 1\n  return a;\n}\n",
        &expect![[r#"
            |  int a = 1
            |          ^ expected `;` after `1`
        "#]],
    );
    check(
        "cpp",
        "class A {\n  int a;\n}\nint b;\n",
        &expect![[r#"
            |}
            |^ expected `;` after `}`
        "#]],
    );
    check(
        "go",
        "package p\n\nfunc f() {\n\tx := := 1\n\treturn\n}\n",
        &expect![[r#"
            | x := := 1
            |      ^ unexpected `:`
        "#]],
    );
    check(
        "java",
        "class A {\n  int x = 1\n  void f() { }\n}\n",
        &expect![[r#"
            |  int x = 1
            |          ^ expected `;` after `1`
        "#]],
    );
    check(
        "java",
        "class A {\n  void f() { int = 1; }\n}\n",
        &expect![[r#"
            |  void f() { int = 1; }
            |                 ^ expected a name before `=`
        "#]],
    );
    check(
        "javascript",
        "let = = 1;\nconst a b = 2;\n",
        &expect![[r#"
            |let = = 1;
            |      ^ unexpected `=`
            |const a b = 2;
            |        ^ unexpected `b`
        "#]],
    );
    check(
        "json",
        "{\"a\": 1 \"b\": 2}\n",
        &expect![[r#"
            |{"a": 1 "b": 2}
            |        ^ expected `,` before the string
        "#]],
    );
    check(
        "json",
        "[1, 2,]\n",
        &expect![[r#"
            |[1, 2,]
            |     ^ unexpected `,` before `]`
        "#]],
    );
    check(
        "python",
        "def f()\n    return 1\n",
        &expect![[r#"
            |def f()
            |      ^ expected `:` after `)`
        "#]],
    );
    check(
        "python",
        "if x = 1:\n    pass\n",
        &expect![[r#"
            |if x = 1:
            |     ^ unexpected `=`
        "#]],
    );
    check(
        "python",
        "for x on y:\n    pass\n",
        &expect![[r#"
            |for x on y:
            |    ^ expected `in` after `x`
        "#]],
    );
    check(
        "python",
        "class A\n    pass\n",
        &expect![[r#"
            |class A
            |      ^ expected `:` after `A`
        "#]],
    );
    check(
        "rust",
        "fn f() { let = 1; }\n",
        &expect![[r#"
            |fn f() { let = 1; }
            |             ^ unexpected `=`
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    let x = 1\n    g();\n}\n",
        &expect![[r#"
            |    let x = 1
            |            ^ expected `;` after `1`
        "#]],
    );
    check(
        "rust",
        "struct A { b u8 }\n",
        &expect![[r#"
            |struct A { b u8 }
            |             ^^ unexpected `u8`
        "#]],
    );
    check(
        "rust",
        "fn f(a: u8, b) -> { }\n",
        &expect![[r#"
            |fn f(a: u8, b) -> { }
            |               ^^ unexpected `->`
        "#]],
    );
    check(
        "typescript",
        "function f(a: ) { return a; }\n",
        &expect![[r#"
            |function f(a: ) { return a; }
            |              ^ unexpected `)`
        "#]],
    );
    check(
        "typescript",
        "const x: = 1;\n",
        &expect![[r#"
            |const x: = 1;
            |         ^ unexpected `=`
        "#]],
    );
    check(
        "tsx",
        "const a = <p>b</q>;\n",
        &expect![[r#"
        |const a = <p>b</q>;
        |              ^^^^ expected `</p>` before `</q>`
    "#]],
    );
    check(
        "tsx",
        "const a = <p>b;\n",
        &expect![[r#"
            |const a = <p>b;
            |          ^^ unclosed `<p>` that opens on line 1
        "#]],
    );
}

#[test]
fn consequential_errors_are_not_reported() {
    check(
        "python",
        "x = = 1\ny = 2\nz = ) 3\n",
        &expect![[r#"
            |x = = 1
            |    ^ unexpected `=`
            |z = ) 3
            |    ^ `)` has no opening `(`
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    let x = ;\n}\n\nfn g() {\n    let y = ;\n}\n",
        &expect![[r#"
            |    let x = ;
            |            ^ unexpected `;`
            |    let y = ;
            |            ^ unexpected `;`
        "#]],
    );
    check(
        "javascript",
        "function f() {\n  g(1, 2;\n  return 0;\n}\n}\n",
        &expect![[r#"
            |  g(1, 2;
            |        ^ expected `)` before `;`
            |}
            |^ `}` has no opening `{`
        "#]],
    );
}

#[test]
fn inconsistent_tabs_and_spaces_are_reported() {
    check(
        "python",
        "def f():\n\tx = 1\n        y = 2\n",
        &expect![[r#"
            |        y = 2
            |^^^^^^^^ mixed indentation: this line begins with spaces, line 2 with tabs
        "#]],
    );
    check(
        "python",
        "if a:\n        b\n\tc\n",
        &expect![[r#"
            | c
            |^ mixed indentation: this line begins with tabs, line 2 with spaces
        "#]],
    );
    check(
        "python",
        "def f():\n\tx = [\n        1]\n\ndef g():\n    y = \"\"\"\n\ta\"\"\"\n",
        &expect![[r#""#]],
    );
}

#[test]
fn strings_and_comments_of_other_languages() {
    check(
        "lua",
        "local s = \"abc\nlocal t = [[\n(]]\n",
        &expect![[r#"
            |local s = "abc
            |          ^^^^ unclosed string that starts on line 1
        "#]],
    );
    check(
        "lua",
        "--[[ (\n{ ]]\nf(1, 2\n",
        &expect![[r#"
        |f(1, 2
        | ^ unclosed `(` that opens on line 3
    "#]],
    );
    check(
        "elixir",
        "def f do\n  g([1, 2)\nend\n",
        &expect![[r#"
        |  g([1, 2)
        |         ^ expected `]` before `)`
    "#]],
    );
    check(
        "proto",
        "message A {\n  string b = 1\n}\n",
        &expect![[r#"
        |  string b = 1
        |             ^ expected `;` after `1`
    "#]],
    );
}

/// Errors at every position of a text of more than a hundred kilobytes are found quickly.
#[test]
fn texts_with_errors_everywhere_are_checked_quickly() {
    let start = std::time::Instant::now();
    for (language, piece) in [
        ("c", "\"a\n"),
        ("c", "f(]\n"),
        ("javascript", "{ ( \n"),
        ("python", "\tx\n        y\n"),
        ("python", "(\n"),
        ("rust", "'a \" ) } let\n"),
        ("go", "x := )\n"),
        ("bash", "$((`{ "),
        ("bash", "a=\"`b)\n"),
        ("sql", "( '\n"),
        ("html", "<a b=\"{{"),
        ("html", "<a><b></a> "),
        ("html", "<a b></c"),
        ("css", "a { b: c (\n"),
        ("css", "a { b c "),
        ("scss", "#{ a: (b, "),
        ("dockerfile", "RUN [\"a\n"),
        ("dockerfile", "ENV a=\" \\\n"),
        ("dockerfile", "RUN <<a <<b \\\n"),
    ] {
        let source = piece.repeat(120_000 / piece.len());
        assert!(annotated(language, &source).lines().count() <= 40, "{language}: {piece:?}");
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// If the parser is not reliable, only errors that the text itself shows are reported.
#[test]
fn bracket_errors_are_reported_despite_macros() {
    let errors = |language: &str, source: &str| -> Vec<String> {
        let language = Language::by_id(language).unwrap();
        let go = AtomicBool::new(false);
        let syntax = Syntax::parse(language, &Text::new(source), None, &go).unwrap();
        syntax.errors(10).into_iter().map(|error| error.message).collect()
    };
    let mut others = Vec::new();
    for (language, source) in [
        ("c", "BEGIN_DECLS\nextern const tms *f(int) THROW;\nEND_DECLS\n"),
        (
            "c",
            "#define OPEN do { (\n#define F(a) { /* none */ }\nint f(void) { va_arg(a, char *) + 1; }\n",
        ),
        ("cpp", "namespace std _VISIBLE(default)\n{\n  class A : B FINAL { };\n}\n"),
        ("csharp", "class A : B\n#if X\n  , C\n#endif\n{\n}\n"),
        ("kotlin", "fun f() {\n    a()\n    (g)(1)\n}\n"),
        ("swift", "let a = [~B.self]\n"),
        ("css", "a { width: 6.5%; b: url(./c.svg) }\n@keyframes k { 6.5% { d: e } }\n"),
        ("zig", "const a = \\\\ it's (\n;\n"),
        ("xml", ""),
    ] {
        assert_eq!(errors(language, source), [""; 0], "{language}: {source}");
    }
    for (language, source, message) in [
        ("c", "int f(void) {\n  g(1;\n}\n", "expected `)` before `;`"),
        ("cpp", "class A {\n  int a;\n", "unclosed `{` that opens on line 1"),
        ("csharp", "class A {\n  int a = b[1;\n}\n", "expected `]` before `;`"),
        ("kotlin", "fun f() {\n    g(\"a)\n}\n", "unclosed string that starts on line 2"),
        ("swift", "func f() {\n    g(1))\n}\n", "`)` has no opening `(`"),
        ("css", "a {\n  b: c(1;\n}\n", "unclosed `(` that opens on line 2"),
        ("scss", "a {\n  b: c;\n\nd { e: f; }\n", "unclosed `{` that opens on line 1"),
        ("zig", "fn f() void {\n    g(1;\n}\n", "expected `)` before `;`"),
    ] {
        others.extend(
            Some((language, source, errors(language, source))).filter(|o| o.2 != [message]),
        );
    }
    for (language, source, message) in [
        ("toml", "[a]\nb = \"c\nd = 1\n", "unclosed string that starts on line 2"),
        ("toml", "[a\nb = 1\n", "unclosed `[` that opens on line 1"),
        ("ruby", "def f\n  x = [1, 2 }\nend\n", "unclosed `[` that opens on line 2"),
        ("php", "<?php\nf(1;\n", "expected `)` before `;`"),
        ("scala", "object A {\n  def f = g(1\n}\n", "unclosed `(` that opens on line 2"),
        ("haskell", "f x = (g x\n\nh = 1\n", "unclosed `(` that opens on line 1"),
        ("nix", "{ a = [ 1 2; }\n", "expected `]` before `;`"),
        ("ocaml", "let f x = (g x\n\nlet h = 1\n", "unclosed `(` that opens on line 1"),
        ("xml", "<a>\n  <b>\n</a>\n", "unclosed `<b>` that opens on line 2"),
        ("graphql", "type A {\n  b: [C\n}\n", "unclosed `[` that opens on line 2"),
    ] {
        others.extend(
            Some((language, source, errors(language, source))).filter(|o| o.2 != [message]),
        );
    }
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn ruby_token_pairs() {
    for (source, expected) in [
        (
            "class A\n  def a(b)\n    @b  b\n  end\nend\n",
            "b: expected `=` or another operator before `b`",
        ),
        ("a do do\n  b\nend\n", "do: unexpected `do`"),
        ("begin\n  a\nensure ensure\n  b\nend\n", "ensure: unexpected `ensure`"),
        ("def a\n  @b =\nend\n", "=: expected a value after `=`"),
        ("a :b, c d\n", "d: expected `,` or an operator before `d`"),
        ("a(b: 1, c 2)\n", "2: expected `,` or an operator before `2`"),
        ("a { b * 1 c }\n", "c: unexpected `c`"),
        ("@a \"b\"\n", "\": expected `=` or another operator before `\"`"),
        ("def a(b:, c)\nend\n", "c: expected `:` after `c`"),
    ] {
        let found = errors_with_spans("ruby", source);
        assert!(found.iter().any(|error| error == expected), "{source}: {found:?}");
    }
    for source in [
        "alias $A $b\nalias a= b=\nputs \"#@a #@b ?#$c\" if @a and @b\n",
        "a = /x/\nb =\n  c\nreturn if @a unless @b\nputs [@a, @b].map { |d| @e } while @f\n",
        "a b, c do |d, e|\n  f :g, h if i\n  j [1, k], l { m }, n: o ? p : q\nend\n",
        "case a\nwhen /b/, /c/\n  d e, \"f\"\nwhen 1, g then h i\nend\ndef a(b, c:, d: 1) = e\n",
        "case @a when 1 then @b else @c end\n@a ? @b : @c\n@d = @e rescue nil\n",
    ] {
        assert_eq!(errors_with_spans("ruby", source), [""; 0], "{source}");
    }
}
