//! `extract_function`: parameters, results, and reasons to refuse.

use crate::fixture::actions::{check, refused};

const ID: &str = "extract_function";

#[test]
fn reads_become_parameters_and_assignments_become_results() {
    check(
        ID,
        "\n//- /a.py\ndef f(a):\n    b = 1\n    $<c = a + b\n    d = c * 2>$\n    return c + d\n",
        "\n//- /a.py\ndef extracted(a, b):\n    c = a + b\n    d = c * 2\n    return c, d\n\n\ndef f(a):\n    b = 1\n    c, d = extracted(a, b)\n    return c + d\n",
    );
    check(
        ID,
        "\n//- /a.js\nfunction f(a) {\n  $<const b = a + 1;\n  g(b);>$\n  return b;\n}\n",
        "\n//- /a.js\nfunction f(a) {\n  const b = extracted(a);\n  return b;\n}\n\nfunction extracted(a) {\n  const b = a + 1;\n  g(b);\n  return b;\n}\n",
    );
    check(
        ID,
        "\n//- /a.ts\nfunction f(a: number) {\n  $<g(a);\n  h(a);>$\n}\n",
        "\n//- /a.ts\nfunction f(a: number) {\n  extracted(a);\n}\n\nfunction extracted(a: number) {\n  g(a);\n  h(a);\n}\n",
    );
    check(
        ID,
        "\n//- /a.go\npackage a\n\nfunc f(a int) {\n\t$<g(a)>$\n\th()\n}\n",
        "\n//- /a.go\npackage a\n\nfunc f(a int) {\n\textracted(a)\n\th()\n}\n\nfunc extracted(a int) {\n\tg(a)\n}\n",
    );
    check(
        ID,
        "\n//- /A.java\nclass A {\n  void f(int a) {\n    $<g(a);\n    h();>$\n    k();\n  }\n}\n",
        "\n//- /A.java\nclass A {\n  void f(int a) {\n    extracted(a);\n    k();\n  }\n\n  private void extracted(int a) {\n    g(a);\n    h();\n  }\n}\n",
    );
    check(
        ID,
        "\n//- /a.c\nvoid f(int a) {\n    $<g(a);>$\n    h();\n}\n",
        "\n//- /a.c\nstatic void extracted(int a) {\n    g(a);\n}\n\nvoid f(int a) {\n    extracted(a);\n    h();\n}\n",
    );
    check(
        ID,
        "\n//- /a.rs\nfn f(a: u8) {\n    $<g(a);>$\n    h();\n}\n",
        "\n//- /a.rs\nfn f(a: u8) {\n    extracted(a);\n    h();\n}\n\nfn extracted(a: u8) {\n    g(a);\n}\n",
    );
}

#[test]
fn code_that_uses_self_becomes_a_method() {
    check(
        ID,
        "\n//- /a.py\nclass A:\n    def f(self, b):\n        $<self.x = b>$\n        return 1\n",
        "\n//- /a.py\nclass A:\n    def extracted(self, b):\n        self.x = b\n\n    def f(self, b):\n        self.extracted(b)\n        return 1\n",
    );
}

#[test]
fn returns_and_awaits_are_preserved() {
    check(
        ID,
        "\n//- /a.py\nasync def f(a):\n    $<if a:\n        return 1\n    return await g(a)>$\n",
        "\n//- /a.py\nasync def extracted(a):\n    if a:\n        return 1\n    return await g(a)\n\n\nasync def f(a):\n    return await extracted(a)\n",
    );
}

#[test]
fn code_that_escapes_its_function_is_refused() {
    refused(
        ID,
        "\n//- /a.py\ndef f(a):\n    $<if a:\n        return 1>$\n    return 2\n",
        "control",
    );
    refused(
        ID,
        "\n//- /a.py\ndef f(a):\n    for b in a:\n        $<if b:\n            break>$\n",
        "control",
    );
    refused(ID, "\n//- /a.py\ndef f(a):\n    $<yield a>$\n", "control");
    refused(ID, "\n//- /a.js\nclass A {\n  f() {\n    $<this.g();>$\n  }\n}\n", "control");
    refused(ID, "\n//- /a.rs\nfn f() -> Option<u8> {\n    $<g()?;>$\n    None\n}\n", "control");
    refused(ID, "\n//- /a.py\ndef f(a):\n    $<raise a>$\n", "control");
}

#[test]
fn possibly_unassigned_values_are_refused() {
    refused(ID, "\n//- /a.py\ndef f(a):\n    $<if a:\n        b = 1>$\n    return b\n", "assigned");
    refused(ID, "\n//- /a.py\ndef f(a):\n    if a:\n        b = 1\n    $<g(b)>$\n", "assigned");
    refused(ID, "\n//- /a.py\ndef f(a):\n    from b import c\n    $<c(a)>$\n", "scope");
    refused(ID, "\n//- /a.go\npackage a\n\nfunc f() {\n\ta := b()\n\t$<g(a)>$\n}\n", "type");
}

#[test]
fn comprehension_variables_are_not_results() {
    check(
        ID,
        "\n//- /a.py\ndef f(a):\n    $<b = [c for c in a]>$\n    c = 1\n    return b, c\n",
        "\n//- /a.py\ndef extracted(a):\n    b = [c for c in a]\n    return b\n\n\ndef f(a):\n    b = extracted(a)\n    c = 1\n    return b, c\n",
    );
}

#[test]
fn code_with_narrowed_types_is_refused() {
    refused(
        ID,
        "\n//- /a.py\nclass A:\n    def f(self):\n        if self.x is not None:\n            $<self.x.g()>$\n",
        "type",
    );
    refused(
        ID,
        "\n//- /a.c\n#define M(x) (x + a)\nvoid f(int a) {\n    $<M(1);>$\n    h();\n}\n",
        "unknown",
    );
    refused(
        ID,
        "\n//- /p/A.java\npackage p;\nclass A {\n  void f() {\n    try {\n      $<g();>$\n    } catch (Exception e) {\n    }\n  }\n}\n",
        "control",
    );
}

#[test]
fn uses_of_private_members_are_refused() {
    let class = |member: &str| {
        format!(
            "\n//- /a.ts\nclass A {{\n  {member}: number = 1;\n  f(o: A) {{\n    $<const b = o.x;\n    g(b);>$\n  }}\n}}\n"
        )
    };
    refused(ID, &class("private x"), "scope");
    refused(ID, &class("protected readonly x"), "scope");
    check(
        ID,
        &class("x"),
        "\n//- /a.ts\nclass A {\n  x: number = 1;\n  f(o: A) {\n    extracted(o);\n  }\n}\n\nfunction extracted(o: A) {\n  const b = o.x;\n  g(b);\n}\n",
    );
}

#[test]
fn declared_types_are_copied() {
    check(
        ID,
        "\n//- /a.py\ndef f(a: int, *b: str, c=1) -> list[int]:\n    $<return [a, *b, c]>$\n",
        "\n//- /a.py\ndef extracted(a: int, b, c) -> list[int]:\n    return [a, *b, c]\n\n\ndef f(a: int, *b: str, c=1) -> list[int]:\n    return extracted(a, b, c)\n",
    );
    check(
        ID,
        "\n//- /a.py\ndef f(a: int) -> None:\n    $<g(a)>$\n    h()\n",
        "\n//- /a.py\ndef extracted(a: int) -> None:\n    g(a)\n\n\ndef f(a: int) -> None:\n    extracted(a)\n    h()\n",
    );
    check(
        ID,
        "\n//- /a.ts\nfunction f(a: number): string[] {\n  $<const b = a + 1;\n  return [`${b}`];>$\n}\n",
        "\n//- /a.ts\nfunction f(a: number): string[] {\n  return extracted(a);\n}\n\nfunction extracted(a: number): string[] {\n  const b = a + 1;\n  return [`${b}`];\n}\n",
    );
    // A function may return a promise without awaiting.
    refused(
        ID,
        "\n//- /a.ts\nasync function f(a: number): Promise<number> {\n  $<return a;>$\n}\n",
        "type",
    );
}

#[test]
fn the_function_name_is_suggested_by_the_code() {
    let whole = |code: &str, after: &str| {
        format!("\n//- /a.py\ndef f(a):\n    h()\n    $<{code}>$\n    return {after}\n")
    };
    let made = |name: &str, code: &str, back: &str, call: &str, after: &str| {
        format!(
            "\n//- /a.py\ndef {name}(a):\n    {code}{back}\n\n\ndef f(a):\n    h()\n    {call}{name}(a)\n    return {after}\n"
        )
    };
    check(
        ID,
        &whole("total = a + 1", "total"),
        &made("compute_total", "total = a + 1", "\n    return total", "total = ", "total"),
    );
    check(ID, &whole("save(a)", "1"), &made("run_save", "save(a)", "", "", "1"));
    check(
        ID,
        &whole("# Parse the header.\n    g(a)", "1"),
        &made("parse_header", "# Parse the header.\n    g(a)", "", "", "1"),
    );
}

#[test]
fn code_with_macro_declared_names_is_refused() {
    let code = |given: &str| {
        format!(
            "\n//- /a.c\nvoid f(int a) {{\n    QUEUE({given}, a);\n    $<use(q);>$\n    h();\n}}\n"
        )
    };
    refused(ID, &code("q"), "unknown");
    check(
        ID,
        &code("other"),
        &code("other").replace("$<use(q);>$", "run_use();").replace(
            "void f(int a)",
            "static void run_use(void) {\n    use(q);\n}\n\nvoid f(int a)",
        ),
    );
}

#[test]
fn narrowed_parameters_get_no_annotation() {
    // Without an annotation the type checker accepts it.
    check(
        ID,
        "\n//- /a.py\ndef f(a: int | None):\n    if a is not None:\n        $<g(a)>$\n        h()\n",
        "\n//- /a.py\ndef extracted(a):\n    g(a)\n\n\ndef f(a: int | None):\n    if a is not None:\n        extracted(a)\n        h()\n",
    );
    let typed = |ty: &str| {
        format!(
            "\n//- /a.ts\nfunction f(a: {ty}) {{\n  if (t(a)) {{\n    $<g(a);\n    g(a);>$\n  }}\n}}\n"
        )
    };
    refused(ID, &typed("A | B"), "type");
    check(
        ID,
        &typed("number"),
        "\n//- /a.ts\nfunction f(a: number) {\n  if (t(a)) {\n    extracted(a);\n  }\n}\n\nfunction extracted(a: number) {\n  g(a);\n  g(a);\n}\n",
    );
}

#[test]
fn possibly_narrower_result_types_are_not_written() {
    check(
        ID,
        "\n//- /a.py\ndef f(a: str | None) -> None:\n    $<a = a or g()>$\n    h(a)\n",
        "\n//- /a.py\ndef extracted(a: str | None):\n    a = a or g()\n    return a\n\n\ndef f(a: str | None) -> None:\n    a = extracted(a)\n    h(a)\n",
    );
    refused(
        ID,
        "\n//- /a.py\nclass A:\n    def f(self):\n        $<self.x: int = 1>$\n",
        "control",
    );
}

#[test]
fn overloads_stay_adjacent_to_their_function() {
    check(
        ID,
        "\n//- /a.py\n@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a):\n    $<g(a)>$\n    return 1\n",
        "\n//- /a.py\ndef extracted(a):\n    g(a)\n\n\n@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a):\n    extracted(a)\n    return 1\n",
    );
}
