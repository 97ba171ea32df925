//! Code actions: which are offered at a position marked `$0` (or between two marks), and their
//! result.

use std::sync::atomic::AtomicBool;

use syntax::{Language, Syntax, SyntaxAction};
use text::Text;

static GO: AtomicBool = AtomicBool::new(false);

fn parse(language: &str, source: &str) -> Syntax {
    let language = Language::by_id(language).unwrap();
    Syntax::parse(language, &Text::new(source), None, &GO).unwrap()
}

fn offered(language: &str, marked: &str) -> (String, Vec<SyntaxAction>) {
    let start = marked.find("$0").unwrap();
    let source = marked.replacen("$0", "", 1);
    let end = source.find("$0").unwrap_or(start);
    let source = source.replacen("$0", "", 1);
    let actions = parse(language, &source).actions(start..end, &|_| true, &GO);
    (source, actions)
}

fn apply(source: &str, action: &SyntaxAction) -> String {
    let mut new = source.to_owned();
    for (span, text) in action.edits.iter().rev() {
        new.replace_range(span.clone(), text);
    }
    new
}

/// The result of an action; `-` if it is not offered.
fn done(language: &str, name: &str, marked: &str) -> String {
    let (source, actions) = offered(language, marked);
    let (id, choice) = name.split_once(':').unwrap_or((name, ""));
    let found = actions.iter().find(|a| a.offer.id == id && a.offer.choice == choice);
    found.map_or("-".to_owned(), |action| apply(&source, action))
}

#[test]
fn lists_expand_and_collapse() {
    for (language, one, lines) in [
        (
            "rust",
            "fn f() {\n    g(a, [1$0, 2]);\n}\n",
            "fn f() {\n    g(a, [\n        1,\n        2,\n    ]);\n}\n",
        ),
        ("rust", "struct A { x: u8,$0 y: u8 }\n", "struct A {\n    x: u8,\n    y: u8,\n}\n"),
        ("python", "def f($0a, *b):\n    pass\n", "def f(\n    a,\n    *b\n):\n    pass\n"),
        ("python", "x = {'a': 1, $0'b': 2}\n", "x = {\n    'a': 1,\n    'b': 2\n}\n"),
        ("python", "from a import ($0b, c)\n", "from a import (\n    b,\n    c\n)\n"),
        ("typescript", "const a = { b: 1,$0 c }\n", "const a = {\n  b: 1,\n  c\n}\n"),
        ("javascript", "import { a,$0 b } from 'x'\n", "import {\n  a,\n  b\n} from 'x'\n"),
        (
            "go",
            "package a\n\nvar x = []int{1, $02}\n",
            "package a\n\nvar x = []int{\n\t1,\n\t2,\n}\n",
        ),
        ("json", "{ \"a\": [1, 2],$0 \"b\": 1 }\n", "{\n  \"a\": [1, 2],\n  \"b\": 1\n}\n"),
        (
            "java",
            "class A { int[] x = { 1, $02 }; }\n",
            "class A { int[] x = {\n    1,\n    2\n}; }\n",
        ),
        ("c", "int x[] = {1,$0 2};\n", "int x[] = {\n    1,\n    2\n};\n"),
        ("toml", "a = [1,$0 2]\n", "a = [\n  1,\n  2\n]\n"),
    ] {
        let expanded = done(language, "expand_list", one);
        assert_eq!(expanded, lines, "{language}");
        let at = one.find("$0").unwrap() - 1;
        let inside = lines[at..].find('\n').unwrap() + at;
        let marked = format!("{}$0{}", &lines[..inside], &lines[inside..]);
        assert_eq!(done(language, "collapse_list", &marked), one.replace("$0", ""), "{language}");
    }
}

#[test]
fn lists_that_a_newline_would_change_are_left_alone() {
    // Comments, the comma of a 1-tuple, empty elements, strings, directives, multi-line elements.
    assert_eq!(done("rust", "expand_list", "fn f() { g(1, /* a */ 2$0) }\n"), "-");
    assert_eq!(done("python", "collapse_list", "x = [\n    1,  # one$0\n    2,\n]\n"), "-");
    assert_eq!(done("python", "collapse_list", "x = (\n$0    1,\n)\n"), "x = (1,)\n");
    assert_eq!(done("javascript", "expand_list", "x = [1,,$0 2]\n"), "-");
    assert_eq!(done("python", "expand_list", "x = f'{g(1,$0 2)}'\n"), "-");
    assert_eq!(done("c", "expand_list", "#if F(1,$0 2)\n#endif\n"), "-");
    assert_eq!(done("c", "collapse_list", "int a = f(\n    1,$0\n    g(\n  2));\n"), "-");
    assert_eq!(
        done("javascript", "expand_list", "f(a$0, {\n  b: `\n`,\n})\n"),
        "f(\n  a,\n  {\n    b: `\n`,\n  },\n)\n"
    );
}

#[test]
fn trailing_commas_follow_the_style_of_the_file() {
    let other = "y = [\n    1,\n]\n";
    assert_eq!(
        done("python", "expand_list", &format!("x = [1$0, 2]\n{other}")),
        format!("x = [\n    1,\n    2,\n]\n{other}")
    );
}

#[test]
fn comparisons_are_flipped_if_equivalent() {
    assert_eq!(done("rust", "flip_comparison", "fn f() { a.b <$0 1 }\n"), "fn f() { 1 > a.b }\n");
    assert_eq!(
        done("javascript", "flip_comparison", "if (a $0!== 'b') {}\n"),
        "if ('b' !== a) {}\n"
    );
    assert_eq!(
        done("go", "flip_comparison", "package a\nvar x = a +1 >=$0 b\n"),
        "package a\nvar x = b <= a +1\n"
    );
    assert_eq!(done("python", "flip_comparison", "x = a <$0 b\n"), "x = b > a\n");
    // Chains, calls, operators that may be overloaded.
    for (language, source) in [
        ("python", "x = a <$0 b < c\n"),
        ("javascript", "x = f() <$0 g()\n"),
        ("javascript", "x = a <$0 i++\n"),
        ("javascript", "x = a <$0 (b = 1)\n"),
        ("cpp", "int x = a <$0 b;\n"),
        ("rust", "fn f() { a + 1 $0< b; }\n"),
    ] {
        assert_eq!(done(language, "flip_comparison", source), "-", "{source}");
    }
}

#[test]
fn statements_are_wrapped_and_unwrapped() {
    let source = "function f() {\n  $0a()\n  b(`\n`)$0\n  c()\n}\n";
    let wrapped = "function f() {\n  {\n    a()\n    b(`\n`)\n  }\n  c()\n}\n";
    assert_eq!(done("javascript", "wrap:block", source), wrapped);
    let marked = wrapped.replacen("  {\n", "  $0{\n", 1);
    assert_eq!(done("javascript", "unwrap", &marked), source.replace("$0", ""));
    let tried = "  try {\n    a()\n  } catch (error) {\n    throw error;\n  }\n";
    assert_eq!(done("javascript", "wrap:try", "{\n  $0a()$0\n}\n"), format!("{{\n{tried}}}\n"));
    assert_eq!(
        done("python", "wrap:if", "def f():\n    $0x = 1$0\n    g(x)\n"),
        "def f():\n    if True:\n        x = 1\n    g(x)\n"
    );
    assert_eq!(done("python", "unwrap", "if a$0:\n    x = 1\n\n    y = 2\n"), "x = 1\n\ny = 2\n");
    // Declarations that are used later; incomplete statements.
    assert_eq!(done("javascript", "wrap:block", "{\n  $0let a = 1$0\n  b(a)\n}\n"), "-");
    assert_eq!(done("javascript", "wrap:block", "{\n  b$0(a)$0\n}\n"), "-");
    assert_eq!(done("javascript", "wrap:block", "$0import a from 'a'$0\n"), "-");
}

#[test]
fn bodies_that_depend_on_their_statement_are_not_unwrapped() {
    for (language, source) in [
        ("javascript", "$0for (const x of y) {\n  f(x)\n}\n"),
        ("javascript", "$0while (a) {\n  break\n}\n"),
        ("javascript", "let x = 1\n$0if (a) {\n  let x = 2\n}\n"),
        ("javascript", "$0if (a) {\n  b()\n} else {\n  c()\n}\n"),
        ("javascript", "$0if (a) /* why */ {\n  b()\n}\n"),
        ("rust", "fn f() {\n    $0if let Some(x) = y {\n        g(x);\n    }\n}\n"),
    ] {
        assert_eq!(done(language, "unwrap", source), "-", "{source}");
    }
    assert_eq!(done("javascript", "unwrap", "$0if (a) {\n  let x = 2\n}\n"), "let x = 2\n");
}

#[test]
fn comments_are_toggled_in_the_embedded_language() {
    let both = |language: &str, source: &str, commented: &str| {
        assert_eq!(done(language, "toggle_comment", source), commented, "{language}");
        let lines = format!("$0{}$0", commented);
        if !source.contains('<') {
            assert_eq!(done(language, "toggle_comment", &lines), source.replace("$0", ""));
        }
    };
    both("rust", "$0fn f() {\n    g();\n}\n$0", "// fn f() {\n//     g();\n// }\n");
    both("python", "$0x = 1\n\ny = 2\n$0", "# x = 1\n\n# y = 2\n");
    both(
        "html",
        "<p>a</p>\n<script>\n  $0let a = 1;\n  let b;\n$0</script>\n",
        "<p>a</p>\n<script>\n  // let a = 1;\n  // let b;\n</script>\n",
    );
    let block = "<p>a</p>\n<!-- <p>b</p> -->\n";
    assert_eq!(done("html", "toggle_block_comment", "<p>a</p>\n$0<p>b</p>$0\n"), block);
    assert_eq!(
        done("html", "toggle_block_comment", "<p>a</p>\n<!-- $0<p>b</p>$0 -->\n"),
        "<p>a</p>\n<p>b</p>\n"
    );
    assert_eq!(
        done("rust", "toggle_block_comment", "fn f() { g($0a, $0b) }\n"),
        "fn f() { g(/* a, */ b) }\n"
    );
    // A comment prefix in a string is none; half a statement would leave the other half invalid.
    assert_eq!(done("python", "toggle_comment", "x = '''\n$0a\n$0'''\n"), "-");
    assert_eq!(done("rust", "toggle_comment", "$0fn f() {\n$0}\n"), "-");
    assert_eq!(done("rust", "toggle_comment", "$0/// About f.\n$0fn f() {}\n"), "-");
}

#[test]
fn items_are_sorted_with_their_comments() {
    assert_eq!(
        done("json", "sort_items", "{\n  \"b10\": 1,$0\n  \"b2\": [\n    1\n  ],\n  \"a\": 2\n}\n"),
        "{\n  \"a\": 2,\n  \"b2\": [\n    1\n  ],\n  \"b10\": 1\n}\n"
    );
    assert_eq!(
        done("typescript", "sort_items", "import {\n  // second\n  b, // b$0\n  a\n} from 'x'\n"),
        "import {\n  a,\n  // second\n  b // b\n} from 'x'\n"
    );
    assert_eq!(done("python", "sort_items", "x = $0[3, 10, 2]$0\n"), "x = [2, 3, 10]\n");
    // Computed values, and values without a selection.
    assert_eq!(done("python", "sort_items", "x = $0[b(), a()]$0\n"), "-");
    assert_eq!(done("python", "sort_items", "x = [3,$0 2]\n"), "-");
    assert_eq!(done("javascript", "sort_items", "x = $0{b: 1, a: 2}$0\n"), "-");
}

#[test]
fn imports_are_sorted_within_their_groups() {
    let all = "using System.Linq;\n// first\nusing System;$0\n\nusing B;\nusing A;\n\nclass C {}\n";
    let sorted =
        "// first\nusing System;\nusing System.Linq;\n\nusing A;\nusing B;\n\nclass C {}\n";
    assert_eq!(done("csharp", "sort_imports", all), sorted);
    let haskell = "module A where\n\nimport qualified B as X\nimport A$0\n\nf = 1\n";
    let sorted = "module A where\n\nimport A\nimport qualified B as X\n\nf = 1\n";
    assert_eq!(done("haskell", "sort_imports", haskell), sorted);
    assert_eq!(done("css", "sort_imports", "@import 'b';$0\n@import 'a';\n"), "-");
}

#[test]
fn missing_tokens_are_added_if_that_fixes_an_error() {
    for (language, broken, mended) in [
        ("rust", "fn f() {\n    g($0(1);\n}\n", "fn f() {\n    g((1));\n}\n"),
        ("javascript", "if (a$0 {\n  b()\n}\n", "if (a) {\n  b()\n}\n"),
        ("javascript", "f($0a;\ng()\n", "f(a);\ng()\n"),
        ("java", "class A {\n    int x = 1$0\n}\n", "class A {\n    int x = 1;\n}\n"),
        ("python", "x = [1, 2$0\ny = 3\n", "x = [1, 2]\ny = 3\n"),
        ("python", "def f()$0\n    pass\n", "def f():\n    pass\n"),
        (
            "go",
            "package a\n\nvar x = \"a$0\n\nvar y = 1\n",
            "package a\n\nvar x = \"a\"\n\nvar y = 1\n",
        ),
        (
            "c",
            "void f() {\n    if (a) {$0\n        b();\n    c();\n}\n\nvoid g() {\n}\n",
            "void f() {\n    if (a) {\n        b();\n    }\n    c();\n}\n\nvoid g() {\n}\n",
        ),
    ] {
        assert_eq!(done(language, "add_missing", broken), mended, "{language}: {broken}");
    }
    assert_eq!(done("rust", "add_missing", "fn f() { g($0(1)); }\n"), "-");
}

/// No action that is offered anywhere in a sample of any language adds errors.
#[test]
fn no_offered_action_breaks_the_text() {
    let broken = |syntax: &Syntax| syntax.root().to_sexp().matches("(ERROR").count();
    for (language, source) in crate::incremental::SAMPLES.iter().copied() {
        let syntax = parse(language, source);
        let places: Vec<usize> = source.char_indices().map(|(at, _)| at).collect();
        for (n, at) in places.iter().enumerate().step_by(5) {
            for end in [Some(at), places.get(n + 23), places.get(n + 160)].into_iter().flatten() {
                for action in syntax.actions(*at..*end, &|_| true, &GO) {
                    let new = apply(source, &action);
                    let after = parse(language, &new);
                    let what =
                        format!("{language} {at}..{end} {}: {:?}", action.offer.id, action.edits);
                    assert!(broken(&after) <= broken(&syntax), "{what}");
                    assert_ne!(new, source, "{what}");
                }
            }
        }
    }
}

#[test]
fn unusual_ranges_are_accepted() {
    let syntax = parse("rust", "fn é() { g(1, 2) }\n");
    for range in [0..1_000, 500..600, 4..4, 0..0, 19..20, 20..20] {
        let _ = syntax.actions(range, &|_| true, &GO);
    }
    assert!(syntax.actions(0..20, &|_| true, &AtomicBool::new(true)).is_empty());
}

#[test]
fn elements_may_be_separated_by_blanks() {
    let lines = "{\n  x = [\n    1\n    \"b\"\n    ./c\n  ];\n}\n";
    assert_eq!(done("nix", "expand_list", "{\n  x = [ 1$0 \"b\" ./c ];\n}\n"), lines);
    let marked = lines.replacen("    1", "    1$0", 1);
    assert_eq!(done("nix", "collapse_list", &marked), "{\n  x = [ 1 \"b\" ./c ];\n}\n");
    assert_eq!(done("bash", "expand_list", "x=(a$0 \"b c\")\n"), "x=(\n  a\n  \"b c\"\n)\n");
    assert_eq!(done("bash", "sort_items", "x=$0(c a b)$0\n"), "x=(a b c)\n");
    assert_eq!(done("bash", "sort_items", "x=$0(c \"$a\" b)$0\n"), "-");
    assert_eq!(done("ocaml", "expand_list", "let x = [1;$0 2]\n"), "let x = [\n  1;\n  2\n]\n");
    assert_eq!(
        done("sql", "sort_items", "SELECT a FROM b WHERE a IN $0(2, 10, 1)$0;\n"),
        "SELECT a FROM b WHERE a IN (1, 2, 10);\n"
    );
    assert_eq!(done("sql", "sort_items", "INSERT INTO a VALUES $0(2, 10, 1)$0;\n"), "-");
    assert_eq!(
        done("yaml", "expand_list", "a:\n  b: [1,$0 2]\n"),
        "a:\n  b: [\n      1,\n      2\n    ]\n"
    );
}

#[test]
fn entries_are_sorted_within_their_groups() {
    assert_eq!(
        done("toml", "sort_entries", "[a]\nz = 1$0\n# of b\nb = [\n  1,\n]\n\nd = 1\nc = 2\n"),
        "[a]\n# of b\nb = [\n  1,\n]\nz = 1\n\nc = 2\nd = 1\n"
    );
    assert_eq!(
        done("yaml", "sort_entries", "x:\n  c: |\n    text\n\n    more\n  b$0:\n    - 1\nw: 1\n"),
        "x:\n  b:\n    - 1\n  c: |\n    text\n\n    more\nw: 1\n"
    );
    assert_eq!(
        done("nix", "sort_entries", "{\n  c.d = 1;$0 # one\n  b = ''\n  x\n  '';\n}\n"),
        "{\n  b = ''\n  x\n  '';\n  c.d = 1; # one\n}\n"
    );
    // An anchor must precede its alias; already sorted.
    assert_eq!(done("yaml", "sort_entries", "b: &x 1$0\na: *x\n"), "-");
    assert_eq!(done("toml", "sort_entries", "a = 1$0\nb = 2\n"), "-");
}

#[test]
fn statements_are_wrapped_and_unwrapped_in_more_languages() {
    assert_eq!(
        done("kotlin", "wrap:try", "fun f() {\n    $0g()$0\n}\n"),
        "\
fun f() {
    try {
        g()
    } catch (e: Exception) {
        throw e
    }
}
"
    );
    assert_eq!(
        done("kotlin", "unwrap", "fun f() {\n    $0if (a) {\n        g()\n    }\n}\n"),
        "fun f() {\n    g()\n}\n"
    );
    assert_eq!(done("kotlin", "flip_comparison", "val x = a.b <$0 1\n"), "val x = 1 > a.b\n");
    assert_eq!(
        done("swift", "wrap:block", "func f() {\n    $0g()$0\n}\n"),
        "func f() {\n    do {\n        g()\n    }\n}\n"
    );
    assert_eq!(
        done("swift", "unwrap", "func f() {\n    $0if a {\n        g()\n    }\n}\n"),
        "func f() {\n    g()\n}\n"
    );
    assert_eq!(
        done("ruby", "unwrap", "def f\n  $0if a\n    b\n    c\n  end\nend\n"),
        "def f\n  b\n  c\nend\n"
    );
    assert_eq!(
        done("bash", "wrap:if", "f() {\n  $0g$0\n  h\n}\n"),
        "f() {\n  if true; then\n    g\n  fi\n  h\n}\n"
    );
    assert_eq!(
        done(
            "scala",
            "unwrap",
            "object A {\n  def f() = {\n    $0if (a) {\n      g()\n    }\n  }\n}\n"
        ),
        "object A {\n  def f() = {\n    g()\n  }\n}\n"
    );
    for (language, source) in [
        ("kotlin", "fun f() {\n    $0if (a) {\n        g()\n    } else {\n        h()\n    }\n}\n"),
        ("kotlin", "fun f() {\n    $0while (a) {\n        break\n    }\n}\n"),
        ("swift", "func f() {\n    $0if let a = b {\n        g()\n    }\n}\n"),
        ("swift", "func f() {\n    $0for a in b {\n        g(a)\n    }\n}\n"),
        ("ruby", "$0if a\n  b\nelse\n  c\nend\n"),
    ] {
        assert_eq!(done(language, "unwrap", source), "-", "{source}");
    }
    let guarded = "func f() {\n    $0guard let a = b else { return }$0\n    g(a)\n}\n";
    assert_eq!(done("swift", "wrap:block", guarded), "-");
}

/// Line endings stay in place: moved lines do not take theirs along.
#[test]
fn line_endings_stay_in_place() {
    for (language, action, marked, sorted) in [
        ("toml", "sort_entries", "c = 1$0\r\nb = 2\na = 3", "a = 3\r\nb = 2\nc = 1"),
        (
            "toml",
            "sort_entries",
            "c = 1$0\n# of b\r\nb = [\r\n  1,\n]\r\na = 1\n",
            "a = 1\n# of b\r\nb = [\r\n  1,\n]\r\nc = 1\n",
        ),
        (
            "yaml",
            "sort_entries",
            "x:\n  c: 1$0\r\n  b:\n    - 1\r\n",
            "x:\n  b:\n    - 1\r\n  c: 1\r\n",
        ),
        (
            "haskell",
            "sort_imports",
            "import B$0\r\nimport A\nf = 1\n",
            "import A\r\nimport B\nf = 1\n",
        ),
        (
            "csharp",
            "sort_imports",
            "using C;$0\nusing B;\r\nusing A;\r\nclass D { }\n",
            "using A;\nusing B;\r\nusing C;\r\nclass D { }\n",
        ),
        (
            "json",
            "sort_items",
            "{\r\n  \"b\": 1,$0\n  \"a\": 2\r\n}\n",
            "{\r\n  \"a\": 2,\n  \"b\": 1\r\n}\n",
        ),
        (
            "typescript",
            "sort_items",
            "import {\n  // of b\r\n  b, // b$0\r\n  a\n} from 'x'\n",
            "import {\n  a,\r\n  // of b\r\n  b // b\n} from 'x'\n",
        ),
    ] {
        assert_eq!(done(language, action, marked), sorted, "{language} {action}");
    }
}
