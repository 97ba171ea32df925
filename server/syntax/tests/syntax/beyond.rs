//! What is right and was said to be wrong: constructs that a grammar does not have, macros, templates.

use crate::errors::each;

#[track_caller]
fn right(language: &str, source: &str) {
    assert_eq!(each(language, source), [""; 0]);
}

#[test]
fn java_that_its_grammar_does_not_have() {
    right("java", "import module java.base;\nclass A {}\n");
    right("java", "class A {\n    void f(String @NonNull ... all) {}\n}\n");
    right("java", "class A {\n    float €price;\n    int \\u0061b = 1;\n}\n");
    right(
        "java",
        "class A extends B {\n    A(int n) {\n        check(n);\n        super(n);\n    }\n}\n",
    );
    right("java", "public @ interface A {\n    String value();\n}\n");
    right("java", "package ${packageName};\n\npublic class ${className} {\n}\n");
    // What is wrong all the same.
    assert_eq!(
        each("java", "class A extends B {\n    A(int n) {\n        int x = ;\n    }\n}\n").len(),
        1
    );
    assert_eq!(
        each(
            "java",
            "import module java.base;\nclass A {\n    void f() {\n        g(1;\n    }\n}\n"
        ),
        [";: expected `)` before `;`"]
    );
}

#[test]
fn raw_strings_and_inactive_code_of_c_hold_anything() {
    right("c", "static const char *s = R\"x(it's \" } ) \n)x\";\nFOO(a) b {\n}\n");
    right("c", "#if 0\nthis isn't \"code ( at all\n#else\nint x;\n#endif\nFOO(a) b {\n}\n");
    right(
        "c",
        "#define A \\\n    /* over ( \n       lines ) */ \\\n    while (0)\nFOO(a) b {\n}\n",
    );
}

#[test]
fn brackets_that_macros_open_or_hold() {
    right("c", "void f(void)\n{\n    LOOP(2)\n        g();\n    }\n    END_LOOP\n    return;\n}\n");
    right("c", "void f(void)\n{\n    GLSL(0, {            );\n    GLSL(1, g(); }       );\n}\n");
    assert_eq!(each("c", "void f(void)\n{\n    g();\n    }\n}\n"), ["}: `}` has no opening `{`"]);
}

#[test]
fn what_a_front_matter_begins_is_a_template() {
    right("scss", "---\n---\n@import \"mixins\";\n");
    right("xml", "---\nlayout: null\n---\n<?xml version=\"1.0\"?>\n<urlset>\n</urlset>\n");
    assert_ne!(each("scss", "---\na { b: c; }\n}\n"), [""; 0]);
    assert_eq!(each("lua", "---\n-- a\n---\nlocal a = {\n").len(), 1);
}

#[test]
fn renderscript_is_no_rust() {
    right("rust", "#pragma version(1)\nvoid root(const int *a) {\n    rs x;\n}\n");
}
