//! Rename: edits, confirmations and refusals.

use crate::fixture::fixture;
use crate::fixture::rename::{apply, check, plan, refused, renamed};
use names::{FileId, RenameError, RenamePlan, RenameReason, RenameRequest};

#[test]
fn python_follows_imports_keywords_and_exports() {
    check(
        "
//- /a.py
__all__ = ['old', 'other']
def old$0(x): return x
class C:
    def old~(self): pass
//- /b.py
from a import old
import a
a.old(old(1))
C().old~()
//- /c.py
from a import *
old(2)
def f(old~): return old~
",
    );
    check(
        "
//- /a.py
def f(ol$0d, b=1): return old + b
f(old=2)
f(1)
//- /b.py
from a import f
f(b=1, old=3)
def g(old~): f(old=old~)
",
    );
}

#[test]
fn an_import_alias_keeps_its_name() {
    check(
        "
//- /a.py
def old(): pass
//- /b.py
from a import old as mine
mine()
//- /c.py
from a import o$0ld
old()
",
    );
    check("\n//- /b.py\nimport os.path as ol$0d\nold.join()\ndef f(): return old\n");
}

#[test]
fn overriding_methods_are_renamed_together() {
    check(
        "
//- /a.py
class Base:
    def old(self): pass
class A(Base):
    def ol$0d(self): super().old()
class Other:
    def old~(self): pass
//- /b.py
from a import A, Base, Other
class B(A):
    def old(self): pass
def f(x: Base, y: Other):
    x.old(); B().old(); y.old~()
",
    );
    check(
        "
//- /a.ts
export interface I { old(): void }
export class C implements I { ol$0d() {} }
class Other { old~() {} }
//- /b.ts
import { C, I } from './a';
class D extends C { old() { super.old() } }
function f(i: I, d: D) { i.old(); d.old(); }
",
    );
    check(
        "
//- /A.java
interface I { void old(); }
class C implements I { @Override public void ol$0d() {} void old~(int n) {} }
class U { void f(I i, C c) { i.old(); c.old(); c.old~(1); } }
",
    );
    check(
        "
//- /src/lib.rs
pub trait T { fn ol$0d(&self); }
struct A;
impl T for A { fn old(&self) {} }
struct B;
impl B { fn old~(&self) {} }
fn f(a: A, b: B, t: &dyn T) { a.old(); b.old~(); t.old(); T::old(&a); }
",
    );
    check(
        "
//- /a.go
package a
type I interface { Old(n int) }
type A struct{}
func (a A) Ol$0d(n int) {}
type B struct{}
func (b B) Old(n int) {}
func f(i I) { i.Old(1); B{}.Old(2) }
"
        .replace("Old", "old")
        .replace("Ol$0d", "ol$0d")
        .as_str(),
    );
    check(
        "
//- /a.h
struct I { virtual void old() = 0; };
struct C : I { void old() override; };
//- /a.cc
#include \"a.h\"
void C::ol$0d() {}
void f(I* i) { i->old(); }
",
    );
}

#[test]
fn shorthand_properties_are_expanded() {
    let out = renamed(
        "\n//- /a.ts\nconst ol$0d = 1;\nconst o = { old };\nconst { x = old } = o as any;\n",
    );
    assert!(out.contains("const o = { old: fresh };"), "{out}");
    assert!(out.contains("const fresh = 1;") && out.contains("{ x = fresh }"), "{out}");
    let out = renamed(
        "\n//- /a.ts\ninterface I { ol$0d: number }\nfunction f({ old }: I) { return old; }\n",
    );
    assert!(out.contains("{ fresh: old }: I") && out.contains("return old;"), "{out}");
    let out = renamed(
        "\n//- /src/lib.rs\nstruct S { ol$0d: u8 }\nfn f(old: u8) -> S { S { old } }\nfn g(s: S) -> u8 { let S { old } = s; old }\n",
    );
    assert!(out.contains("S { fresh: old } }"), "{out}");
    assert!(out.contains("let S { fresh: old } = s; old"), "{out}");
    let out =
        renamed("\n//- /src/lib.rs\nstruct S { old: u8 }\nfn f(o$0ld: u8) -> S { S { old } }\n");
    assert!(out.contains("fn f(fresh: u8) -> S { S { old: fresh } }"), "{out}");
}

#[test]
fn typescript_follows_exports() {
    check(
        "
//- /a.ts
export default class old {}
export type T = old;
//- /b.ts
export { default as old } from './a';
"
        .replace("{ default as old }", "{ default as Kept }")
        .as_str()
        .replace("class old", "class ol$0d")
        .as_str(),
    );
    check(
        "
//- /a.ts
const ol$0d = 1;
export { old };
//- /b.ts
import { old } from './a';
export { old as kept } from './a';
console.log(old);
//- /c.ts
import { kept } from './b';
kept;
",
    );
    check(
        "
//- /a.ts
class C { constructor(private ol$0d: number) { old; this.old; } }
",
    );
}

#[test]
fn rust_knows_modules_macros_and_formats() {
    check(
        "
//- /src/lib.rs
mod m { pub fn ol$0d() {} }
use m::old;
fn f() { old(); m::old(); vec![old(), m::old()]; }
fn g() { let old~ = 1; println!(\"{old~}\"); }
",
    );
    let out = renamed(
        "\n//- /src/lib.rs\nfn g() { let ol$0d = 1; println!(\"{old} {old:?} {{old}} old\"); }\n",
    );
    assert!(out.contains("println!(\"{fresh} {fresh:?} {{old}} old\")"), "{out}");
}

#[test]
fn c_follows_prototypes() {
    check(
        "
//- /a.h
int old(int);
//- /a.c
#include \"a.h\"
int ol$0d(int n) { return n; }
struct s { int old~; };
int f(struct s *p) { return old(p->old~); }
",
    );
}

#[test]
fn java_classes_rename_constructors_and_file() {
    let f = fixture(
        "
//- /p/Old.java
package p;
public class O$0ld { Old() {} static Old make() { return new Old(); } }
//- /p/User.java
package p;
class User { Old o = Old.make(); }
",
    );
    let plan = plan(&f, "New").unwrap();
    let unchanged = apply(&f, &RenamePlan::default(), false);
    let want = unchanged.replace("Old", "New").replace("/New.java", "/Old.java");
    assert_eq!(apply(&f, &plan, false), want);
    assert_eq!((plan.moves.len(), plan.moves[0].to.as_str()), (1, "p/New.java"));
}

#[test]
fn cpp_classes_rename_constructors() {
    check(
        "
//- /a.cc
class old { public: old(); explicit old(int n); int x; };
old::old() {}
old::ol$0d(int n) { x = n; }
old f() { return old(1); }
",
    );
}

#[test]
fn comments_and_strings_need_confirmation() {
    let f = fixture("\n//- /a.py\ndef ol$0d(): pass\n# calls old twice\nx = 'old'\nolder = 1\n");
    let plan = plan(&f, "fresh").unwrap();
    let reasons: Vec<_> = plan.edits.iter().map(|e| e.reason).collect();
    assert_eq!(reasons, [RenameReason::Definition, RenameReason::Comment, RenameReason::String]);
}

#[test]
fn uncertain_uses_need_confirmation_or_refuse() {
    let text =
        "\n//- /a.py\nclass C:\n    def fetch$0_all(self): pass\ndef f(x):\n    x.fetch_all()\n";
    let f = fixture(text);
    let plan = plan(&f, "fresh").unwrap();
    assert_eq!(plan.edits.iter().filter(|e| e.reason == RenameReason::Unsure).count(), 1);
    refused(&format!("{text}class D:\n    def fetch_all(self): pass\n"), "new", "unknown type");
}

#[test]
fn new_names_must_be_identifiers() {
    for new in ["", "1x", "a b", "class", "x-y"] {
        refused("\n//- /a.py\nol$0d = 1\n", new, "cannot be the new name");
    }
    refused("\n//- /a.py\nclass C:\n    def __in$0it__(self): pass\n", "new", "the language");
    refused("\n//- /a.py\nimport o$0s\n", "new", "outside");
    refused("\n//- /a.py\nimport ut$0il\n//- /util.py\nx = 1\n", "new", "named after its file");
}

#[test]
fn conflicts_of_the_new_name_are_refused() {
    for text in [
        "//- /a.py\nol$0d = 1\nnew = 2\n",
        "//- /a.py\nol$0d = 1\ndef f(new): return old\n",
        "//- /a.py\ndef f(new):\n    o$0ld = new\n    return old + new\n",
        "//- /a.py\ndef f(o$0ld):\n    return new\n",
        "//- /a.py\nclass A:\n    new = 1\nclass B(A):\n    def o$0ld(self): pass\n",
        "//- /a.py\nclass A:\n    def o$0ld(self): pass\nclass B(A):\n    new = 1\n",
        "//- /a.py\ndef o$0ld(): pass\n//- /b.py\nfrom a import old\nnew = old()\n",
        "//- /a.go\npackage a\nfunc o$0ld() {}\n//- /b.go\npackage a\nfunc new2() {}\n",
        "//- /a.ts\nlet o$0ld = 1; { let new1 = 2; old; }\n",
        "//- /a.rs\nfn f() { let o$0ld = 1; let new = 2; g(old, new) }\n",
        "//- /a.c\nint o$0ld;\nint f(int new) { return old; }\n",
    ] {
        let new = ["new2", "new1", "new"].into_iter().find(|n| text.contains(n)).unwrap();
        refused(&format!("\n{text}"), new, "conflicts with");
    }
}

#[test]
fn overrides_of_external_members_are_refused() {
    refused(
        "\n//- /A.java\nclass A implements Runnable { @Override public void r$0un() {} }\n",
        "go",
        "not in the index",
    );
    refused(
        "\n//- /src/lib.rs\nstruct A;\nimpl Iterator for A { fn ne$0xt(&mut self) {} }\n",
        "go",
        "not in the index",
    );
    refused(
        "\n//- /a.py\nfrom threading import Thread\nclass A(Thread):\n    def ru$0n(self): pass\n",
        "go",
        "not in the index",
    );
    refused(
        "\n//- /a.go\npackage a\ntype T struct{}\nfunc (t T) Str$0ing() string { return \"\" }\n",
        "go1",
        "uses this name",
    );
}

#[test]
fn contextually_typed_keys_are_refused() {
    let text = "
//- /core.ts
export type ProtoOf<T> = {
  [K in keyof T]?: (T[K] extends (...args: infer A) => infer R ? (...args: A) => R : T[K]) | undefined;
} & ThisType<T>;
export declare function make<T>(name: string, init: (it: T) => void, proto?: ProtoOf<T>): T;
//- /a.ts
import * as core from './core';
export interface Schema { refine(check: unknown): this }
export const Schema: Schema = core.make<Schema>('a', (it) => {}, {
  ref$0ine(check) { return this; },
});
";
    refused(text, "other", "is not renamed");
    // Keys without a contextual type are independent; a known type is renamed with its values.
    check("\n//- /a.ts\nconst a = { ol$0d: 1 };\nconsole.log(a.old);\n");
    check("\n//- /a.ts\ninterface A { old: number }\nconst a: A = { ol$0d: 1 };\nf(a.old);\n");
}

#[test]
fn pasted_tokens_are_refused() {
    refused(
        "\n//- /a.h\n#define ROW(T) struct row_ ## T *\nstruct ro$0w_8 { int x; };\n//- /a.c\n#include \"a.h\"\nint f(void *p) { return ((ROW(8))p)->x; }\n",
        "line_8",
        "token pasting",
    );
    let text = "\n//- /a.h\n#define TYPE(n) struct my_ ## n ## _s;\n#define ALL(X) X(one) X(two)\nstruct my$0_one_s { int x; };\n";
    refused(text, "your_one_s", "token pasting");
    refused(
        "\n//- /a.h\n#define E__$0ONE 3\n#define MAP(X) X(ONE)\nenum e {\n#define X(c) E_ ## c = E__ ## c,\n  MAP(X)\n#undef X\n  E_END\n};\n",
        "F__ONE",
        "token pasting",
    );
    let other = text.replace("my$0_one_s", "my$0_three_s");
    let f = crate::fixture::fixture(&other);
    assert!(plan(&f, "your_three_s").is_ok());
}

const UNKNOWN_RECEIVER: &str = "
//- /a.py
class A:
    def ol$0d(self): pass
class B:
    def old(self): pass
//- /b.py
from a import A
A().old()
def f(x):
    x.old()
";

#[test]
fn allow_unsure_renames_certain_uses_and_reports_the_rest() {
    refused(UNKNOWN_RECEIVER, "fresh", "unknown type");
    let f = fixture(UNKNOWN_RECEIVER);
    let plan = plan(&f, RenameRequest { new: "fresh", allow_unsure: true }).unwrap();
    let after = apply(&f, &plan, true);
    assert!(after.contains("A:\n    def fresh") && after.contains("A().fresh()"), "{after}");
    assert!(after.contains("B:\n    def old") && after.contains("x.old()"), "{after}");
    let left_out: Vec<_> = plan.uncertain_uses.iter().map(|p| (p.path.as_str(), p.line)).collect();
    assert_eq!(left_out, [("b.py", 4)]);
    // Conflicts are refused all the same.
    let f = fixture(&UNKNOWN_RECEIVER.replace("class B:", "    def fresh(self): pass\nclass B:"));
    assert!(matches!(
        crate::fixture::rename::plan(&f, RenameRequest { new: "fresh", allow_unsure: true }),
        Err(RenameError::Conflict { .. })
    ));
}

#[test]
fn uncertain_references_are_listed_separately() {
    let f = fixture(UNKNOWN_RECEIVER);
    let found = f.index.certain_and_uncertain_references(FileId(f.cursor.0), f.cursor.1, false);
    let text = |file: FileId, span: &std::ops::Range<usize>| {
        let source = &f.sources[file.0 as usize];
        let line = source[..span.start].lines().count();
        (f.paths[file.0 as usize].clone(), line)
    };
    let sure: Vec<_> = found.certain.iter().map(|t| text(t.file, &t.name_span)).collect();
    assert_eq!(sure, [("b.py".to_owned(), 2)]);
    let unsure: Vec<_> = found.uncertain.iter().map(|u| text(u.file, &u.span)).collect();
    assert_eq!(unsure, [("b.py".to_owned(), 4)]);
    assert_eq!(found.uncertain[0].why, "is used on a value of unknown type");
    assert_eq!(found.certain, f.index.references(FileId(f.cursor.0), f.cursor.1, false));
}

/// The lines of uncertain uses that only the texts show.
fn unsure_in_texts(text: &str) -> Vec<String> {
    let f = fixture(text);
    let texts = |id: FileId| f.sources.get(id.0 as usize).map(|s| text::Text::new(s));
    let holding: Vec<FileId> = (0..f.sources.len() as u32).map(FileId).collect();
    let interrupt = std::sync::atomic::AtomicBool::new(false);
    let sources =
        names::RenameSources { text: &texts, files_with_name: &holding, interrupt: &interrupt };
    let found = f.index.uncertain_references_in_texts(FileId(f.cursor.0), f.cursor.1, &sources);
    let line = |u: &names::UncertainReference| {
        let source = &f.sources[u.file.0 as usize];
        let start = source[..u.span.start].rfind('\n').map_or(0, |at| at + 1);
        source[start..].lines().next().unwrap_or_default().trim().to_owned()
    };
    found.iter().map(line).collect()
}

#[test]
fn strings_that_name_an_attribute_are_uncertain_uses() {
    let text = "
//- /pkg/__init__.py
//- /pkg/shapes.py
class Shape:
    def $0area(self): pass
class Other:
    def area(self): pass
//- /use.py
from pkg.shapes import Shape, Other
def f(x, mock, shape: Shape, other: Other):
    getattr(x, 'area')
    getattr(shape, 'area')
    getattr(other, 'area')
    mock.patch.object(Shape, 'area')
    mock.patch('pkg.shapes.Shape.area')
    mock.patch('elsewhere.shapes.Shape.area')
    print('area', 'the area')
";
    let expected = [
        "getattr(x, 'area')",
        "getattr(shape, 'area')",
        "mock.patch.object(Shape, 'area')",
        "mock.patch('pkg.shapes.Shape.area')",
    ];
    assert_eq!(unsure_in_texts(text), expected);
    let text = "
//- /a.ts
export class Shape { $0area = 1; }
export class Other { area = 1; }
//- /b.ts
import { Shape, Other } from './a';
export function f(x: any, shape: Shape, other: Other) {
    x['area'];
    shape['area'];
    other['area'];
    console.log('area');
}
";
    assert_eq!(unsure_in_texts(text), ["x['area'];", "shape['area'];"]);
}

#[test]
fn code_in_macros_is_an_uncertain_use() {
    let text = "
//- /Cargo.toml
[package]
name = \"p\"
//- /src/lib.rs
pub fn $0total() -> u32 { 1 }
macro_rules! sum {
    ($x:expr) => { $x + $crate::total() };
}
/// Of `total`, in words.
pub fn f() -> u32 { let _ = \"total\"; sum!(1) }
";
    assert_eq!(unsure_in_texts(text), ["($x:expr) => { $x + $crate::total() };"]);
}
