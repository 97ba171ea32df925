//! `extract_variable`: results, and reasons to refuse.

use crate::fixture::actions::{ActionOptions, check, check_with_options, offered, refused};

const ID: &str = "extract_variable";

#[test]
fn the_variable_is_declared_before_the_statement() {
    check(
        ID,
        "\n//- /a.py\ndef f(a):\n    if a:\n        return g(1, $<a.size()>$)\n",
        "\n//- /a.py\ndef f(a):\n    if a:\n        size = a.size()\n        return g(1, size)\n",
    );
    check(
        ID,
        "\n//- /a.ts\nfunction f(a: number) {\n  return g($<a * 2>$);\n}\n",
        "\n//- /a.ts\nfunction f(a: number) {\n  const value = a * 2;\n  return g(value);\n}\n",
    );
    check(
        ID,
        "\n//- /a.rs\nfn f(a: &str) -> usize {\n    g($<a.len()>$)\n}\n",
        "\n//- /a.rs\nfn f(a: &str) -> usize {\n    let len = a.len();\n    g(len)\n}\n",
    );
    check(
        ID,
        "\n//- /a.go\npackage a\n\nfunc g(a int) int { return a }\nfunc f(a int) {\n\tprintln($<g(a)>$, 1)\n}\n",
        "\n//- /a.go\npackage a\n\nfunc g(a int) int { return a }\nfunc f(a int) {\n\tvalue := g(a)\n\tprintln(value, 1)\n}\n",
    );
    check(
        ID,
        "\n//- /A.java\nclass A {\n  int size() { return 1; }\n  void f() {\n    g(1, $<size()>$);\n  }\n}\n",
        "\n//- /A.java\nclass A {\n  int size() { return 1; }\n  void f() {\n    int size2 = size();\n    g(1, size2);\n  }\n}\n",
    );
    check(
        ID,
        "\n//- /a.c\nint size(void);\nvoid f(int a) {\n    g($<size() * 2>$);\n}\n",
        "\n//- /a.c\nint size(void);\nvoid f(int a) {\n    int value = size() * 2;\n    g(value);\n}\n",
    );
}

#[test]
fn the_requested_name_is_used_if_free() {
    let options = ActionOptions { name: Some("twice"), ..ActionOptions::default() };
    let before = "\n//- /a.py\nx = 1\ny = f($<x * 2>$)\n";
    check_with_options(ID, before, "\n//- /a.py\nx = 1\ntwice = x * 2\ny = f(twice)\n", &options);
}

#[test]
fn conditional_and_repeated_values_are_refused() {
    refused(ID, "\n//- /a.py\nx = a and f($<b.c>$)\n", "conditional");
    refused(ID, "\n//- /a.py\nx = [f($<b.c>$) for b in a]\n", "conditional");
    refused(ID, "\n//- /a.py\nwhile f($<b.c>$):\n    pass\n", "conditional");
    refused(ID, "\n//- /a.py\nif a:\n    pass\nelif f($<b.c>$):\n    pass\n", "conditional");
    refused(ID, "\n//- /a.js\nconst x = () => f($<b.c>$);\n", "conditional");
    refused(ID, "\n//- /a.js\nx = a?.g($<b.c>$);\n", "conditional");
    refused(ID, "\n//- /a.js\nif (a) f($<b.c>$);\n", "conditional");
    refused(ID, "\n//- /a.rs\nfn f() { match a { B => g($<c(1)>$), } }\n", "conditional");
    refused(ID, "\n//- /a.go\npackage a\nfunc f() {\n\tfor g($<b(1)>$) {\n\t}\n}\n", "conditional");
    refused(ID, "\n//- /A.java\nclass A { void f() { for (;g($<b()>$);) { } } }\n", "conditional");
    refused(ID, "\n//- /a.c\nvoid f() { while (g($<b()>$)) { } }\n", "conditional");
}

#[test]
fn changed_evaluation_order_is_refused() {
    refused(ID, "\n//- /a.py\nx = f() + g($<b.c>$)\n", "order");
    refused(ID, "\n//- /a.js\nf(a.b, $<g(1)>$);\n", "order");
    refused(ID, "\n//- /a.js\nf(i++, $<a.b>$);\n", "order");
}

#[test]
fn names_declared_by_the_statement_are_refused() {
    refused(
        ID,
        "\n//- /a.go\npackage a\nfunc f() {\n\tif a := 1; h($<a + a>$) {\n\t}\n}\n",
        "scope",
    );
}

#[test]
fn non_values_are_refused() {
    refused(ID, "\n//- /a.py\n$<a.b>$(1)\n", "shape");
    refused(ID, "\n//- /a.js\n$<a.b>$ = 1;\n", "shape");
    refused(ID, "\n//- /a.rs\nfn f(a: A) { g(&$<h(1)>$); }\n", "shape");
    assert!(offered("\n//- /a.py\nx = $0a.b\n").is_empty());
}

#[test]
fn uncertain_types_are_refused() {
    refused(ID, "\n//- /a.go\npackage a\nfunc f() {\n\tg($<1 << 2>$)\n}\n", "type");
    refused(ID, "\n//- /A.java\nclass A { void f() { g(1, $<h()>$); } }\n", "type");
    refused(ID, "\n//- /a.c\nvoid f() { g($<h()>$); }\n", "type");
    refused(ID, "\n//- /a.ts\nf($<{ a: 1 }>$);\n", "type");
    refused(ID, "\n//- /a.rs\nfn f() { g($<h().as_str()>$); }\n", "type");
}

#[test]
fn possible_types_and_pointers_are_refused() {
    refused(ID, "\n//- /a.py\nA = TypeVar(\"A\", bound=$<\"B\">$)\n", "shape");
    refused(ID, "\n//- /a.c\nvoid f() { g($<0>$); }\n", "type");
    refused(ID, "\n//- /a.c\n#define S(n) s##n\nvoid f() { g(S($<8>$)); }\n", "type");
}
