//! `extract_constant`: where the constant goes, and where a name is not allowed.

use crate::fixture::actions::{check, refused};

const ID: &str = "extract_constant";

#[test]
fn a_constant_is_extracted_to_file_level() {
    check(
        ID,
        "\n//- /a.py\nimport b\n\n\ndef f():\n    return g($<\"some words\">$)\n",
        "\n//- /a.py\nimport b\n\n\nSOME_WORDS = \"some words\"\n\n\ndef f():\n    return g(SOME_WORDS)\n",
    );
    check(
        ID,
        "\n//- /a.ts\n/** What it does. */\nfunction f() {\n  return 1 + $<60 * 24>$;\n}\n",
        "\n//- /a.ts\nconst VALUE = 60 * 24;\n\n/** What it does. */\nfunction f() {\n  return 1 + VALUE;\n}\n",
    );
    check(
        ID,
        "\n//- /a.rs\nfn f() {\n    g($<\"ab\">$);\n}\n",
        "\n//- /a.rs\nconst AB: &str = \"ab\";\n\nfn f() {\n    g(AB);\n}\n",
    );
    check(
        ID,
        "\n//- /a.go\npackage a\n\nfunc f() {\n\tg($<\"ab\">$)\n}\n",
        "\n//- /a.go\npackage a\n\nconst constAb = \"ab\"\n\nfunc f() {\n\tg(constAb)\n}\n",
    );
    check(
        ID,
        "\n//- /A.java\nclass A {\n  void f() {\n    g($<\"ab\">$);\n  }\n}\n",
        "\n//- /A.java\nclass A {\n  private static final String AB = \"ab\";\n  void f() {\n    g(AB);\n  }\n}\n",
    );
    check(
        ID,
        "\n//- /a.c\nvoid f(void) {\n    g($<42>$);\n}\n",
        "\n//- /a.c\nstatic const int k_value = 42;\n\nvoid f(void) {\n    g(k_value);\n}\n",
    );
}

#[test]
fn the_constant_is_inserted_above_overload_signatures() {
    check(
        ID,
        "\n//- /a.ts\nconst z = 1;\n\n/** One. */\nexport function f(a: string): void;\n// Two.\nexport function f(a: number): void;\nexport function f(a: any) {\n  g($<\"ab\">$);\n}\n",
        "\n//- /a.ts\nconst z = 1;\n\nconst AB = \"ab\";\n\n/** One. */\nexport function f(a: string): void;\n// Two.\nexport function f(a: number): void;\nexport function f(a: any) {\n  g(AB);\n}\n",
    );
}

#[test]
fn required_literals_are_refused() {
    refused(ID, "\n//- /a.py\nx = cast($<\"T\">$, y)\n", "shape");
    refused(ID, "\n//- /a.py\nx: $<\"T\">$ = y\n", "shape");
    refused(ID, "\n//- /a.ts\nimport a from $<'b'>$;\n", "shape");
    refused(ID, "\n//- /a.c\nint a[$<42>$];\n", "shape");
    refused(ID, "\n//- /A.java\n@A($<\"b\">$)\nclass A { }\n", "shape");
    refused(ID, "\n//- /a.rs\nfn f() { g($<42>$); }\n", "type");
}
