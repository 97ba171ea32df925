//! Valid code that a grammar does not support has no errors, and errors beside it are reported.

use crate::errors::errors_with_spans;

/// Asserts that each text is valid.
fn assert_valid(language: &str, texts: &[&str]) {
    let wrong: Vec<_> = texts.iter().map(|t| (t, errors_with_spans(language, t))).collect();
    let wrong: Vec<_> = wrong.into_iter().filter(|(_, told)| !told.is_empty()).collect();
    assert!(wrong.is_empty(), "{language}: {wrong:#?}");
}

/// Asserts that each text has one error with this message, on this line.
fn assert_errors(language: &str, texts: &[(&str, &str)]) {
    for (text, message) in texts {
        assert_eq!(errors_with_spans(language, text), [*message], "{language}: {text}");
    }
}

#[test]
fn attributes_of_rust_are_allowed_nearly_everywhere() {
    assert_valid(
        "rust",
        &[
            "fn f(p: P) { let P { #[cfg(a)] x, #[cfg(not(a))] y: _, .. } = p; }",
            "fn f() { let p = P { #[cfg(a)] x: 1, #[cfg(b)] y, #[cfg(c)] ..q }; }",
            "fn f() { g(#[cfg(a)] x); let v = [#[cfg(a)] 1, 2]; let t = (#[cfg(a)] 1, 2); }",
            "fn f() { let x = #[a] [1]; #[b] x += 2; match x { A => #[c] 1, _ => 2 } }",
            "fn f(#[a] #[b(default)] a: u8, /// doc\n #[cfg(x)] b: u8, #[y] c: [u8; 4]) {}",
        ],
    );
}

#[test]
fn types_and_bounds_of_rust() {
    assert_valid(
        "rust",
        &[
            "fn f<I: IntoIterator<Item: Copy>>(i: I) {}",
            "fn f(a: &(dyn 'a + Fn()), b: Box<dyn 'static + Send + A>, c: &dyn ?Sized) {}",
            "fn f() { f32::<T>(x); str![[1]]; u16!(2); A::<-1>::g(); x.h::<>(); }",
            "fn f() { let m = <a::Map::<String, B> as c::D>::e(&mut f).g(|h| 1); }",
            "impl<T> A<T> for B where T: C, dyn D: E<T>, fn(u8) -> u8: F, *const T: G {}",
            "struct A\nwhere\n    B: C + D;\n",
            "impl A for B where (): C<D>, Self:, {}",
            "fn f<T: ~const A, U: ?const B, V: const C, W: [const] D>() {}",
            "const trait A {} impl const A for B {} impl<T> const C for D where T: const E {}",
            "fn f(f: impl async Fn() -> u8) { for<'a> |x: &'a u8| -> &'a u8 { x }; }",
            "trait A<T> = B + C<T> where T: D;",
            "extern \"C\" { pub type A; pub(super) type B<T>; }",
        ],
    );
}

#[test]
fn patterns_and_targets_of_rust() {
    assert_valid(
        "rust",
        &[
            "fn f(a: A<B>) { let A::<B> { c, d } = a.into(); let e::A::<B<C>> { .. } = a; }",
            "fn f(A { 0: b, 1: _ }: A) { match b { C { 0: 1 } => 2, D(..) => 3 } }",
            "fn f(a: A) { let c; A { b: c, .. } = a; (A { b: c, .. }, _) = (a, 1); A { .. } = a; }",
        ],
    );
}

#[test]
fn contextual_keywords_of_rust_are_identifiers() {
    assert_valid(
        "rust",
        &[
            "unsafe extern \"C\" { safe fn a(); pub safe static B: u8; unsafe static mut C: u8; }",
            "fn f() { let g = gen { yield 1; }; let h = async gen move { yield 2; }; }",
            "gen fn f() -> u8 { yield 1; }\nasync gen fn g() {}",
            "default impl A for B { default fn c() {} default const D: u8 = 1; default type E = u8; }",
            "auto trait A {} unsafe auto trait B {}",
            "pub macro m($x:expr) { default $x }\nmacro n { ($a:ty) => { 1 }, (b) => { 2 } }",
            "fn f() { do yeet 1; become g(); let box x = y; const || 1; a.use; }",
            "fn f(x: u8) { match x { raw @ (1 | 2) => raw, union => union.y } }",
            "fn f() { let y = try!(g()); try!(h()); async.i(); let dyn = 1; }",
            "#!/usr/bin/env cargo\n---\n[dependencies]\na = \"1\"\n---\nfn main() {}\n",
        ],
    );
}

#[test]
fn macros_of_rust_accept_any_token() {
    assert_valid(
        "rust",
        &[
            "macro_rules! m { ($a:ident, $) => { 1 }; ([$] $($t:tt)*) => { $crate::a!($($t)*) }; }",
            "macro_rules! m { ($ a : ty) => { ${count($x)} $$x }; (~$b:tt) => { [const] } }",
            "fn f() { m!($); n!({ \"a\": ~ }); o!(@a[$] $b); }",
        ],
    );
}

#[test]
fn errors_beside_newer_rust_are_reported() {
    let newer = "extern \"C\" { safe fn a(); }\n";
    for wrong in [
        "fn f() { g(1; }",
        "fn f() { let = 1; }",
        "fn f() { 1 + }",
        "struct A { b c: u8 }",
        "fn f() { x = $; }",
    ] {
        let told = errors_with_spans("rust", &format!("{newer}{wrong}\n"));
        assert_eq!(told.len(), 1, "{wrong}: {told:?}");
    }
}

#[test]
fn constructs_of_rust_are_known_in_long_texts() {
    let line = "fn f() { let x = super::action::<>(1); }\n";
    assert_valid("rust", &[&line.repeat((1 << 20) / line.len() + 1)]);
}

#[test]
fn python() {
    assert_valid(
        "python",
        &[
            "def f():\n    return 0.\n\nx = 1.  # one\ny = a / 2_0.\nz = x.y if x else 0.\n",
            "def f(\n    a=0.,\n    b=1.\n):\n    c = a - b / 2.\n    return [1., c]\n",
        ],
    );
    assert_errors(
        "python",
        &[
            ("x = a.\n", ".: expected a value after `.`"),
            ("x = a1.\n", ".: expected a value after `.`"),
            ("x = 1..\n", ".: expected a value after `.`"),
        ],
    );
}

#[test]
fn function_types_of_members_take_patterns() {
    let pattern = "({\n    a\n  }: {\n    a: string | number;\n  }) => React.Node";
    assert_valid(
        "typescript",
        &[
            &format!("interface A {{\n  f?: {pattern};\n  g: {pattern};\n}}\n"),
            &format!("const a = {{\n  f: {pattern},\n  g: ({{\n    b\n  }}) => b.c\n}};\n"),
        ],
    );
}

#[test]
fn names_that_are_words_of_javascript() {
    assert_valid(
        "javascript",
        &[
            "let using = '';\nif (a) {\n  using += (using ? ',' : 'using ') + b;\n}\nusing = using.c;\n",
            "{ using a = b(); await using c = d(); for (using e of f) {} }\n",
        ],
    );
    assert_valid(
        "typescript",
        &[
            "export function a(...b: (typeof undefined | boolean | null)[]): string[];\n",
            "interface A<T> {\n  readonly [a]: { [K in keyof readonly any[]]?: boolean };\n}\n",
            "let a: typeof undefined;\nif (b === typeof undefined) {}\n",
        ],
    );
}

#[test]
fn directives_of_c() {
    assert_valid(
        "c",
        &[
            "#ifndef A\n# define A \"/usr/lib*/*,/usr/local/lib*/*\"\n#endif\nint a = 1;\nint b;\n",
            "#define A 1 /* 5\" */ /* b */\n#include <a.h> // \"/*\nint a;\n",
            "double f(double a) {\n  return a;\n}\nlibm_hidden_def(f)\n",
            "int c;\nph_gen(, heap, node_t, link, compare)\n\nint d(void) { return c; }\n",
        ],
    );
    assert_valid(
        "c",
        &[
            "@interface A : B\n- (void)f:(void (NS_NOESCAPE ^)(int32_t a, BOOL *b))block;\n@end\n",
            ".macro a b\n.if 0 /* c == 32 */\n  vuzp.8 d&b, d&b\n.endif\n.endm\n",
            "void f() {\n  EM_ASM({\n    if (a !== undefined) {\n      a = undefined\n    }\n    b = 1\n  }, c);\n}\n",
        ],
    );
    assert_valid(
        "cpp",
        &["auto a = b->Added += ref new Handler<C^, D^>(e, &f);\nG^ g = (G^) h;\n"],
    );
    let wrong = "#define A \"lib*/*\"\nint a = ;\n";
    assert_errors("c", &[(wrong, "=: expected a value after `=`")]);
}

#[test]
fn functions_of_the_first_c() {
    assert_valid(
        "c",
        &[
            "static char *\nf (s, t)\n     char *s;\n     int t[4];\n{\n  return (g (s));\n}\n",
            "int a;\nchar *\nf (s)\n     const char *s;\n{\n  char *t;\n  return s;\n}\n",
        ],
    );
    let missing = "char *f(s)\n  char *s;\n{\n  return s +;\n}\n";
    assert_errors("c", &[(missing, "+: expected a value after `+`")]);
}

#[test]
fn php() {
    assert_valid(
        "php",
        &[
            "<?php foo(Binary::X); new Binary($d, Binary::TYPE); g(Integer::X, Float::Y);",
            "<?php $k = \"\\0$item->class\\0$key\";",
            "<?php function readonly($a) {} readonly(1); function enum() {} $x = enum::A;",
            "<?php $c = $text{0} . $text{$i};",
            "<?php class A { use B { c as final; } function __construct(public final int $x) {} }",
            "<?php class A { function __construct(public int $x { get => 1; }, readonly int $y) {} }",
            "<?php $a = clone $b = clone $c = f(); $d = clone $e == $g;",
            "<?php (void) f(); $x = $a |> strlen(...) |> fn($y) => $y + 1;",
            "<p><?xml version=\"1.0\"?></p>\n<?php echo 1; __halt_compiler(); a <?php { (",
        ],
    );
    assert_errors("php", &[("<?php f(Binary::X);\ng(1;\n", ";: expected `)` before `;`")]);
}

#[test]
fn yaml_that_parsers_accept() {
    assert_valid(
        "yaml",
        &[
            "Checks: '>\na,\nb'\n",
            "a:\n  b: \"c\n\n  d\"\n",
            "%YAML 1.2\n---\na: &x !!map {b: [1], ? c : d}\n<<: *x\n...\n---\n- - a\n  - b\n",
        ],
    );
}

#[test]
fn yaml_templates_are_not_checked() {
    assert_valid(
        "yaml",
        &[
            "a: {{ .Values.a | quote }}\n{{- if .b }}\nc: d\n{{- end }}\n",
            "- a\n{% if x %}\n- b: c: d\n{% endif %}\n",
            "<% 3.times do |i| %>\na_<%= i %>:\n  b: c: d\n<% end %>\n",
            "--- %YAML:1.0\na: b\n",
        ],
    );
}

#[test]
fn yaml_errors_are_reported_on_their_line() {
    assert_errors(
        "yaml",
        &[
            (
                "a: b\nc:\n  - d\ne: f: g\nh: i\n",
                ":: unexpected `:` in a value: it needs quotes around it",
            ),
            ("a: b\nc\nd: e\n", "c: expected `:` after `c`"),
            ("a:\n\tb: c\n", "b: tabs disallowed within this context (block indentation)"),
            ("a: \"{{ b }}\"\nc: [d, e\nf: g\n", "[: unclosed `[` that opens on line 2"),
            (
                "a:\n  - b\n - c\n",
                "- c: wrong indentation: expected 2 spaces as on line 2, found 1",
            ),
        ],
    );
}

#[test]
fn toml_of_newer_versions() {
    assert_valid(
        "toml",
        &[
            "a = { b = 1,\n  c = 2, # x\n}\nd = \"\\e\\x41\"\ne = 07:32\nf = 1979-05-27T07:32Z\n",
            "a = \"\"\"b\\  \n  c\"\"\"\n",
        ],
    );
    assert_errors("toml", &[("a = { b = 1,\n}\nc = tru\n", "tru: unexpected `tru`")]);
}

#[test]
fn xml_that_parsers_accept() {
    assert_valid(
        "xml",
        &[
            "<a><![CDATA[]]><![CDATA[['b','c']]]></a>\n",
            "<!DOCTYPE a [\n<!ENTITY % x SYSTEM \"y\">\n%x;\n]>\n<a é=\"1\"><?b c?></a>\n",
        ],
    );
    assert_errors(
        "xml",
        &[("<a><![CDATA[]]>\n  <b>\n</a>\n", "<b: unclosed `<b>` that opens on line 2")],
    );
}

#[test]
fn ruby_ocaml_and_nix() {
    assert_valid(
        "ruby",
        &[
            "class A\n  def self\n    B.c\n  end\nend\n",
            "private def a = puts \"b\"\ndef c = d e, 1\n",
            "def a = puts \"b\"\n__END__\nf (( {\n",
        ],
    );
    assert_valid("ocaml", &["let f effect = map (fun (effect, dep) -> effect) effect\n"]);
    assert_valid("nix", &["{ home = ~/${foo}; a = ~/b; }\n"]);
}

#[test]
fn primes_end_names_of_haskell_and_ocaml() {
    assert_valid(
        "haskell",
        &[
            "f s = case s of { ('-':s') -> s'; _ -> g (char '(') s' }\n",
            "f = proc x -> do\n  y <- g -< x\n  returnA -< y'\n",
        ],
    );
    assert_errors(
        "haskell",
        &[("f x' = (g x'\n\nh = 1\n", "(: unclosed `(` that opens on line 1")],
    );
}

#[test]
fn gaps_of_the_typescript_grammar_are_no_errors() {
    assert_valid(
        "typescript",
        &[
            "function* f() { const a = yield* sql<{ id: A }>`SELECT ${b}`.pipe(c); }\n",
            "expect(a.b).type.toBe<<C extends number>(d: C) => E<C>>()\n",
            "f<<T>(a: T) => T>(b);\n",
        ],
    );
}

#[test]
fn fragments_and_minified_scripts_are_not_checked() {
    assert_valid("xml", &["<name>A</name>\n<release>{b}</release>\n<year>2000</year>\n"]);
    assert_errors(
        "xml",
        &[("<?xml version=\"1.0\"?>\n<a>\n<b>\n</a>\n", "<b: unclosed `<b>` that opens on line 3")],
    );
    let script = format!("{}String.raw`\\uc1`;\n", "f(1);".repeat(2_000));
    assert_valid("javascript", &[&script]);
}
