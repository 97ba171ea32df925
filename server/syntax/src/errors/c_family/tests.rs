//! Which errors are reported in C and C++, and which macros may explain.

use super::*;

fn errors_of(source: &str, is_c: bool) -> Vec<String> {
    let line = |at: usize| source[..at].matches('\n').count() + 1;
    let errors = errors(source, is_c, true);
    errors.iter().map(|e| format!("{}: {}", line(e.span.start), e.message)).collect()
}

#[test]
fn errors_that_macros_explain_are_not_reported() {
    for source in [
        "void f() {\n  git_vector_foreach(&a, i, b)\n    g(b);\n  FOR_EACH(x)\n  h();\n}\n",
        "int a = op(+, b, 1);\nint c = cast(int *, d);\nFOO(, a) BAR(a, )\n",
        "local void f(int a) {\n  TRY(L, (*g)(L, u););\n  for (;;) { break; }\n}\n",
        "#if A\nif (a ||\n#else\nif (\n#endif\n b) c();\n",
        "#define X(a) if (a\nvoid f() {\n  X(b)) return;\n  x = Y\n  z = 1;\n}\n",
        "enum a { B = 1,\n  C = 2\n};\nstruct d e = {\n  .f = g\n};\nint h[] = { 1, 2, };\n",
        "int f(a, b)\nint a;\n{\n  switch (a) { case 1: default: return b; }\n  l: g();\n}\n",
        "#if 0\nthis is not = ; code\n#endif\nlong long a; const char *b = \"a\" PRIu64 \"b\";\n",
        "\
static int f(int a) {
  _asm mov eax, a _asm bswap eax
  return (BOOL)[a boolValue];
}
",
        "static void f(int a){\n  ParseARG_FETCH\n  ParseCTX_FETCH\n  switch( a ){ default: break; }\n}\n",
        "void f(int a) {\n  if (a)\n    swap(long, a, b)\n  else\n    swap(char, a, b)\n}\n",
        "void f() {\n  GLSL(if (a.b > 0.0) {)\n  GLSL(  c = 1;)\n  GLSL(})\n  g(h, i(\n    .j = k,\n  ));\n}\n",
        "int f(int a) {\n  switch (a)\n  case 'A':\n  case B:\n    return 1;\n  return 0;\n}\n",
        "void f(P *a ParseCTX_PDECL) {\n  int b = 1;\n  g(a ParseCTX_PARAM, a->b);\n}\n",
        "void f() {\n  for (a =\n#if A\n    b;\n#else\n    c;\n#endif\n    a > 0; a--)\n    g();\n}\n",
        "void f() {\n  a = (b)\n    c;\n  return \"a\"\n    \"b\";\n  do g(); while (a);\n}\n",
    ] {
        assert_eq!(errors_of(source, true), [""; 0], "{source}");
    }
    for source in [
        "unsigned\nf (void)\n{\n  return (unsigned int) (uintptr_t)\n\t g (a,\n\t    &b);\n}\n",
        "auto f = [=](int a) { return a; };\nbool operator=(A const &) = delete;\n",
        "template <class T = void, typename = U<T>>\nvoid g(T &&...) noexcept(false);\n",
        "\
struct a {
  a(int b)
    : c(b) {}
  inline
  int d() const
  { return 1'000; }
};
",
        "namespace a { enum class b : int {\n  c = 1,\n  d = 2\n}; }\nauto e = (f + ...);\n",
        "bool operator\"\"_a(int);\nvoid f() { int _a = 1; g(\"x\"_a, R\"({})\"_a == _a); }\n",
        "if constexpr (a) { b->*c; } auto s = R\"(a = ;)\"; x = y ? ::a : ::b;\n",
    ] {
        assert_eq!(errors_of(source, false), [""; 0], "{source}");
    }
}

#[test]
fn errors_that_no_macro_explains_are_reported() {
    for (source, expected) in [
        ("int a = ;\n", "1: expected a value after `=`"),
        ("void f() {\n  a = = b;\n}\n", "2: unexpected `=`"),
        ("void f() {\n  a = b\n  c = d;\n}\n", "2: expected `;` after `b`"),
        ("void f() {\n  return a\n}\n", "2: expected `;` after `a`"),
        ("void f() {\n  g(a)\n  h(b);\n}\n", "2: expected `;` after `)`"),
        ("void f() {\n  break\n}\n", "2: expected `;` after `break`"),
        ("void f() {\n  a. .b = c;\n}\n", "2: unexpected `.`"),
        ("void f() {\n  if () g();\n}\n", "2: expected a condition after `(`"),
        ("void f() {\n  if a { g(); }\n}\n", "2: expected `(` after `if`"),
        ("static static int a;\n", "1: unexpected `static`"),
        ("void f() {\n  g((a);\n  h();\n}\n", "2: unclosed `(` that opens on line 2"),
        ("void f() {\n  case A return;\n}\n", "2: expected `:` after `A`"),
        ("void f() {\n  for (i = 0; i < n) g();\n}\n", "2: expected two `;` in `for`"),
        ("void f() {\n  if (a) g();; else h();\n}\n", "2: unexpected `;`"),
    ] {
        assert_eq!(errors_of(source, true), [expected], "{source}");
    }
}

#[test]
fn errors_that_names_prove_are_reported() {
    for (source, expected) in [
        ("void f(int a) {\n  g(a, , b);\n  h(a,, b);\n}\n", "3: unexpected `,`"),
        ("void f(int a) {\n  g(a, );\n}\n", "2: expected a value after `,`"),
        ("void f(int a) {\n  A(g(a,, b));\n}\n", "2: unexpected `,`"),
        ("void f(int a, int b) {\n  g(a b);\n}\n", "2: expected an operator or `,` before `b`"),
        ("void f(int a) {\n  A(g(b, a 1));\n}\n", "2: expected an operator or `,` before `1`"),
        (
            "void f(a *b) {\n  g(b->c sizeof d);\n}\n",
            "2: expected an operator or `,` before `sizeof`",
        ),
        ("void f(a *b) {\n  g(\"c\" b);\n}\n", "2: expected an operator or `,` before `b`"),
        ("void f(int a, int b) {\n  a b + 1;\n}\n", "2: expected an operator or `;` before `b`"),
        ("void f() {\n  char *a \"b\";\n}\n", "2: expected `=` before `\"b\"`"),
        ("void f(int a) {\n  b = a ? c  d;\n}\n", "2: expected `:` before `d`, for the `?`"),
        ("void f(int a) {\n  b = a ? 1 : : 2;\n}\n", "2: unexpected `:`"),
        ("static void f(* a, int b) {\n}\n", "1: expected a type before `*`"),
        ("void f(char *a, b) {\n  g(b, a);\n}\n", "1: expected a type before `b`"),
        ("void f(char *a int b) {\n}\n", "1: expected `,` before `int`"),
        (
            "struct a {\n  b;\n  int c;\n};\nint f(struct a *d) { return d->b; }\n",
            "2: expected a type before `b`",
        ),
        ("void f() {\n  goto a;\n  b();\na\n  c();\n}\n", "4: expected `:` after `a`"),
        (
            "void f(int a) {\n  (a == b(a))\n    return;\n}\n",
            "2: expected `if`, `while` or the like before `(`",
        ),
        ("void f(int a) {\n  if\n    g(a);\n}\n", "2: expected `(` after `if`"),
        ("void f((int a) {\n}\n", "1: unclosed `(` that opens on line 1"),
        ("void f(int a) {{\n}\n", "1: unexpected `{`"),
        ("void f() {\n  switch (a) {\n    case 1 {\n    }\n  }\n}\n", "3: expected `:` after `1`"),
        ("void f() {\n  a_t *b\n  int c;\n  c = 1;\n}\n", "2: expected `;` after `b`"),
        ("void f() {\n  A(1)\n  A(2);\n  A(3);\n  A(4);\n}\n", "2: expected `;` after `)`"),
        ("void f() {\n  sockaddr_in a;\n  g(a);\n}\n", "2: expected `struct` before `sockaddr_in`"),
        ("typedef {\n  int a;\n} b;\n", "1: expected `struct` or the like after `typedef`"),
    ] {
        assert_eq!(errors_of(source, true), [expected], "{source}");
    }
}

#[test]
fn valid_uses_of_names_are_not_reported() {
    for source in [
        "#define m(a, b, c) a c\nvoid f(int a) {\n  m(a,, b);\n  n(a, , b);\n  A(a,,);\n}\n",
        "void f(int a) {\n  insert(a,, 1);\n  insert(a,, 2);\n}\n",
        "\
void f(struct tm *t) {
  struct tm tm;
  tm = *t;
  printf(\"%\" PRIu64 \"\\n\", tm.a);
}
",
        "void f() {\n  size = sizeof(node);\n  node node;\n  node.a = 1;\n  node *b;\n}\n",
        "int f(a, b)\n  int a;\n  char *b;\n{\n  return a ? *b : (int) 0;\n}\n",
        "\
struct a {
  HEADER;
  header;
  int b;
};
int f(int, char *);
int g(_In_ char *c, _In_ int d);
",
        "void f(int a) {\n  asm(\"b\" : : \"r\"(a) : \"c\");\n  register int d asm(\"e\");\n}\n",
        "/*/ a comment /*/\nvoid f() { (void) a; ((b *) c)->d = *(e *) g; }\n",
        "void f() {\n  check(a == 1)\n  check(b == 2)\n  int c aligned;\n  c = 1;\n}\n",
        "\
#define V \"1\"
void f(char *a) {
  g(a, \"b\" V);
  v = (a && b) ? c : d ? e : h;
}
",
    ] {
        assert_eq!(errors_of(source, true), [""; 0], "{source}");
    }
    for source in [
        "\
void f(std::tm t) {
  std::tm tm = t;
  tm.a = 1;
  delete[] tm;
  g(a not_eq tm);
}
",
        "\
void f(int a) {
  auto g = [&a](int b) mutable { return a ? b : a; };
  S<(a > 1 ? 2 : 3), T> s;
}
",
        "template <class T = U<(A ? 1 : 2)>>\nauto f(T a) noexcept(b(a)) -> int;\n",
        "void f(T, const U &, int a) {\n  T b(a);\n  U c{a};\n  constexpr size_t d = a;\n}\n",
    ] {
        assert_eq!(errors_of(source, false), [""; 0], "{source}");
    }
}
