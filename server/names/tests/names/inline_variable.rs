//! `inline_variable`: results, and reasons to refuse.

use crate::fixture::actions::{check, refused};

const ID: &str = "inline_variable";

#[test]
fn reads_are_replaced_by_the_value() {
    check(
        ID,
        "\n//- /a.py\ndef f(a):\n    b$0 = a + 1\n    return b * 2\n",
        "\n//- /a.py\ndef f(a):\n    return (a + 1) * 2\n",
    );
    check(
        ID,
        "\n//- /a.js\nfunction f(a) {\n  const b = g(a);\n  return { b$0 };\n}\n",
        "\n//- /a.js\nfunction f(a) {\n  return { b: g(a) };\n}\n",
    );
    check(
        ID,
        "\n//- /a.rs\nfn f(a: u8) -> u8 {\n    let b$0 = g(a);\n    h(b)\n}\n",
        "\n//- /a.rs\nfn f(a: u8) -> u8 {\n    h(g(a))\n}\n",
    );
    check(
        ID,
        "\n//- /a.go\npackage a\n\nfunc g(a int) int { return a }\n\nfunc f(a int) int {\n\tb$0 := g(a)\n\treturn b\n}\n",
        "\n//- /a.go\npackage a\n\nfunc g(a int) int { return a }\n\nfunc f(a int) int {\n\treturn g(a)\n}\n",
    );
    check(
        ID,
        "\n//- /A.java\nclass A {\n  int g() { return 1; }\n  int f() {\n    int b$0 = g();\n    return b;\n  }\n}\n",
        "\n//- /A.java\nclass A {\n  int g() { return 1; }\n  int f() {\n    return g();\n  }\n}\n",
    );
    check(
        ID,
        "\n//- /a.c\nint g(void);\nint f(void) {\n    int b$0 = g();\n    return b;\n}\n",
        "\n//- /a.c\nint g(void);\nint f(void) {\n    return g();\n}\n",
    );
}

#[test]
fn an_impure_value_must_be_read_once_and_next() {
    refused(ID, "\n//- /a.py\ndef f():\n    b$0 = g()\n    h()\n    return b\n", "order");
    refused(ID, "\n//- /a.py\ndef f():\n    b$0 = g()\n    return b + b\n", "order");
    refused(ID, "\n//- /a.py\ndef f():\n    b$0 = g()\n    return h() + b\n", "order");
    refused(ID, "\n//- /a.py\ndef f(c):\n    b$0 = g()\n    return c and b\n", "conditional");
    refused(
        ID,
        "\n//- /a.js\nfunction f() {\n  const b$0 = g();\n  return () => b;\n}\n",
        "conditional",
    );
    refused(ID, "\n//- /a.py\ndef f(a):\n    b$0 = a\n    a = 2\n    return b\n", "conflict");
}

#[test]
fn a_reassigned_variable_is_refused() {
    refused(ID, "\n//- /a.py\ndef f():\n    b$0 = 1\n    b += 1\n    return b\n", "used");
    refused(ID, "\n//- /a.js\nfunction f() {\n  let b$0 = 1;\n  b++;\n  return b;\n}\n", "used");
    refused(ID, "\n//- /a.rs\nfn f() { \n    let b$0 = 1;\n    g(&b)\n}\n", "used");
}

#[test]
fn a_converting_declaration_is_refused() {
    refused(
        ID,
        "\n//- /A.java\nclass A {\n  int g() { return 1; }\n  long f() {\n    long b$0 = g();\n    return b;\n  }\n}\n",
        "type",
    );
}

#[test]
fn addresses_and_borrows_are_refused() {
    refused(
        ID,
        "\n//- /a.go\npackage a\n\ntype T struct{}\n\nfunc (t *T) m() {}\nfunc g() T { return T{} }\nfunc f() {\n\tb$0 := g()\n\tb.m()\n}\n",
        "used",
    );
    refused(
        ID,
        "\n//- /a.rs\nfn f(a: Vec<u8>) {\n    let b$0 = a.len();\n    g(a, b)\n}\n",
        "order",
    );
}

#[test]
fn no_statement_continues_the_previous_one() {
    refused(
        ID,
        "\n//- /a.ts\nfunction f(m: any) {\n  g()\n  const o$0 = m.get(1)!\n  o.set(2)\n}\n",
        "shape",
    );
    refused(
        ID,
        "\n//- /a.js\nfunction f(a) {\n  g()\n  const o$0 = a || b\n  o.set(2)\n}\n",
        "shape",
    );
}
