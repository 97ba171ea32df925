//! Valid code that must not be reported: syntax that grammars do not support, macros, templates.

use crate::errors::errors_with_spans;

#[track_caller]
fn assert_valid(language: &str, source: &str) {
    assert_eq!(errors_with_spans(language, source), [""; 0]);
}

#[test]
fn java_that_its_grammar_does_not_support() {
    assert_valid("java", "import module java.base;\nclass A {}\n");
    assert_valid("java", "class A {\n    void f(String @NonNull ... all) {}\n}\n");
    assert_valid("java", "class A {\n    float €price;\n    int \\u0061b = 1;\n}\n");
    assert_valid(
        "java",
        "class A extends B {\n    A(int n) {\n        check(n);\n        super(n);\n    }\n}\n",
    );
    assert_valid("java", "public @ interface A {\n    String value();\n}\n");
    assert_valid("java", "package ${packageName};\n\npublic class ${className} {\n}\n");
    // Real errors are still reported.
    assert_eq!(
        errors_with_spans(
            "java",
            "class A extends B {\n    A(int n) {\n        int x = ;\n    }\n}\n"
        )
        .len(),
        1
    );
    assert_eq!(
        errors_with_spans(
            "java",
            "import module java.base;\nclass A {\n    void f() {\n        g(1;\n    }\n}\n"
        ),
        [";: expected `)` before `;`"]
    );
}

#[test]
fn raw_strings_and_inactive_code_of_c_may_contain_anything() {
    assert_valid("c", "static const char *s = R\"x(it's \" } ) \n)x\";\nFOO(a) b {\n}\n");
    assert_valid("c", "#if 0\nthis isn't \"code ( at all\n#else\nint x;\n#endif\nFOO(a) b {\n}\n");
    assert_valid(
        "c",
        "#define A \\\n    /* over ( \n       lines ) */ \\\n    while (0)\nFOO(a) b {\n}\n",
    );
}

#[test]
fn brackets_in_macros_are_not_reported() {
    assert_valid(
        "c",
        "void f(void)\n{\n    LOOP(2)\n        g();\n    }\n    END_LOOP\n    return;\n}\n",
    );
    assert_valid(
        "c",
        "void f(void)\n{\n    GLSL(0, {            );\n    GLSL(1, g(); }       );\n}\n",
    );
    assert_eq!(
        errors_with_spans("c", "void f(void)\n{\n    g();\n    }\n}\n"),
        ["}: `}` has no opening `{`"]
    );
}

#[test]
fn files_with_front_matter_are_templates() {
    assert_valid("scss", "---\n---\n@import \"mixins\";\n");
    assert_valid("xml", "---\nlayout: null\n---\n<?xml version=\"1.0\"?>\n<urlset>\n</urlset>\n");
    assert_ne!(errors_with_spans("scss", "---\na { b: c; }\n}\n"), [""; 0]);
    assert_eq!(errors_with_spans("lua", "---\n-- a\n---\nlocal a = {\n").len(), 1);
}

#[test]
fn renderscript_is_not_checked_as_rust() {
    assert_valid("rust", "#pragma version(1)\nvoid root(const int *a) {\n    rs x;\n}\n");
}
