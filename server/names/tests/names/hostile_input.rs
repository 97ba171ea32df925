//! Hostile input costs bounded time and never panics.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use names::{Facts, FileId, Index};
use syntax::{Language, Syntax};
use text::Text;

static GO: AtomicBool = AtomicBool::new(false);

fn ask_everywhere(language: &str, path: &str, source: &str) {
    let language = Language::by_id(language).expect("a language");
    let started = Instant::now();
    let syntax = Syntax::parse(language, &Text::new(source), None, &GO).expect("a tree");
    let facts = Facts::lower(&syntax, &GO).expect("facts");
    let mut index = Index::new();
    index.insert(FileId(0), path, Arc::new(facts));
    let step = source.len() / 50 + 1;
    for offset in (0..=source.len() + 1).step_by(step) {
        let _ = index.definition(FileId(0), offset);
        let _ = index.references(FileId(0), offset, true);
    }
    index.remove(FileId(0));
    assert_eq!(index.counts(), names::Counts::default());
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn deep_nesting() {
    let deep =
        |open: &str, close: &str| format!("x = {}1{}\n", open.repeat(5000), close.repeat(5000));
    ask_everywhere("python", "a.py", &deep("(", ")"));
    ask_everywhere("javascript", "a.js", &deep("[", "]"));
    ask_everywhere("rust", "a.rs", &"mod a { ".repeat(3000));
    ask_everywhere("cpp", "a.cc", &"namespace a { struct b { ".repeat(2000));
    ask_everywhere("c", "a.c", &format!("#if {}1\nint x;\n#endif\n", "(".repeat(50_000)));
}

/// A text that is broken throughout has a flat tree, in which finding a node's parent is slow.
#[test]
fn functions_without_end() {
    for (language, path, text) in [
        ("c", "a.c", "int f(){{"),
        ("cpp", "a.cc", "int f(){{"),
        ("java", "A.java", "int f(int a){{"),
        ("go", "a.go", "func f() (int) {{"),
        ("rust", "a.rs", "fn f(a: u8) -> u8 {{"),
        ("typescript", "a.ts", "function f(a: T): U {{"),
        ("python", "a.py", "def f(a): ((\n"),
    ] {
        let language = Language::by_id(language).expect("a language");
        let text = Text::new(&text.repeat(30_000));
        let syntax = Syntax::parse(language, &text, None, &GO).expect("a tree");
        let started = Instant::now();
        let _ = Facts::lower(&syntax, &GO).expect("facts");
        // A hundredth of that if nothing searches from the root repeatedly.
        assert!(started.elapsed() < Duration::from_secs(4), "{path}: {:?}", started.elapsed());
    }
}

#[test]
fn cyclic_types() {
    ask_everywhere(
        "python",
        "a.py",
        "class A(B): pass\nclass B(A): pass\nA().x\nx = y\ny = x\nx.z\n",
    );
    ask_everywhere(
        "typescript",
        "a.ts",
        "type A = B; type B = A; let x: A; x.y; interface I extends I {} let i: I; i.z;",
    );
    ask_everywhere(
        "go",
        "a.go",
        "package a\ntype A struct { B }\ntype B struct { A }\nfunc f(a A) { a.x() }\n",
    );
    ask_everywhere(
        "rust",
        "a.rs",
        "use self::a as b; use self::b as a; type T = T; fn f(t: T) { t.x; a::b(); }",
    );
    ask_everywhere("c", "a.c", "#include \"a.c\"\ntypedef t t; t x; int f() { return x.y; }\n");
    ask_everywhere("java", "A.java", "class A extends A { void f() { g(); this.h(); } }");
}

#[test]
fn many_definitions_of_one_name() {
    let source: String = (0..20_000)
        .map(|n| format!("def f{n}(x): return x.value + f{n}(1)\nvalue = 1\n"))
        .collect();
    ask_everywhere("python", "a.py", &source);
}

#[test]
fn names_in_any_script_and_broken_ends() {
    ask_everywhere(
        "python",
        "a.py",
        "ключ = 'é'\nprint(ключ, 変数)\nclass ÅÄÖ: 名 = ключ\nfrom . import\nimport a.\n",
    );
    for end in ["#include", "#if", "struct", "class A {", "f(", "\"", "A::", "#define X int a;\\"] {
        ask_everywhere("cpp", "a.cc", end);
    }
    ask_everywhere(
        "javascript",
        "a.js",
        "import {a as} from 'x'; export {; module.exports = ; this. = 1",
    );
}

#[test]
fn an_interrupt_cancels_the_walk() {
    let language = Language::by_id("python").expect("python");
    let syntax = Syntax::parse(language, &Text::new("x = 1\n"), None, &GO).expect("a tree");
    assert!(Facts::lower(&syntax, &AtomicBool::new(true)).is_none());
}
