//! Highlights, declarations, types and implementations, in each language.

use crate::fixture::{check_declaration, check_highlights, check_implementation, check_type};

#[test]
fn highlights_tell_reads_from_writes() {
    check_highlights(
        "
//- /a.py
def f(n):
      ^
    n = $0n + 1
    ^   ^
    n += 2
    ^
    return n
           ^
n = 3
",
        3,
    );
    check_highlights(
        "
//- /a.ts
let $0n = 1;
    ^
n++;
^
function f(n: number) { return n }
console.log(n == 2);
            ^
",
        2,
    );
    check_highlights(
        "
//- /a.rs
fn f() {
    let mut n$0 = 1;
            ^
    g(&mut n);
           ^
    if n >= 2 { n = 3 }
       ^        ^
}
",
        3,
    );
    check_highlights(
        "
//- /a.go
package a
type T struct{ n int }
               ^
func f(t T) { t.$0n = t.n + 1; t.n++ }
                ^     ^        ^
",
        3,
    );
    check_highlights(
        "
//- /A.java
class A { int n; void f() { this.n$0 = n; n += 2; } }
              ^                  ^   ^  ^
",
        3,
    );
    check_highlights(
        "
//- /a.c
int f(int *p) { int n$0 = *p; return n <= 2 ? n : --n; }
                    ^              ^        ^     ^
",
        2,
    );
    check_highlights(
        "
//- /a.cc
struct S { int n_; void set(int n) { $0n_ = n; } };
               ^^                    ^^
",
        2,
    );
}

#[test]
fn the_type_of_a_value() {
    for (text, use_) in [
        ("//- /a.py\nclass T: pass\n      ^\n", "def f(x: T): $0x\n"),
        ("//- /a.py\nclass T: pass\n      ^\n", "x = T()\n$0x\n"),
        ("//- /a.ts\nclass T {}\n      ^\n", "const x = new T(); $0x;\n"),
        ("//- /a.ts\ninterface T {}\n          ^\n", "function f(x: T[]) { $0x }\n"),
        ("//- /a.rs\nstruct T;\n       ^\n", "fn f(x: &T) { $0x; }\n"),
        ("//- /a.rs\nstruct T;\n       ^\n", "fn f(x: Option<T>) { $0x; }\n"),
        ("//- /a.go\npackage a\ntype T struct{}\n     ^\n", "func f(x *T) { _ = $0x }\n"),
        ("//- /A.java\nclass T {}\n      ^\n", "class A { void f(T x) { $0x.g(); } }\n"),
        ("//- /a.cc\nstruct T {};\n       ^\n", "void f(T* x) { $0x; }\n"),
        ("//- /a.c\nstruct T { int n; };\n       ^\n", "void f(struct T* x) { $0x; }\n"),
    ] {
        check_type(&format!("\n{text}{use_}"));
    }
}

#[test]
fn a_function_has_the_type_that_it_returns() {
    check_type("\n//- /a.py\nclass T: pass\n      ^\ndef make() -> T: ...\nm$0ake()\n");
    check_type(
        "\n//- /a.go\npackage a\ntype T int\n     ^\nfunc make() T { return 1 }\nvar x = m$0ake()\n",
    );
}

#[test]
fn abstract_types_are_implemented_by_subtypes() {
    check_implementation(
        "
//- /a.py
class Ba$0se: pass
class A(Base): pass
      ^
//- /b.py
from a import A
class B(A): pass
      ^
class Other: pass
",
    );
    check_implementation(
        "
//- /a.ts
export interface I$0 { m(): void }
//- /b.ts
import { I } from './a';
class C implements I { m() {} }
      ^
",
    );
    check_implementation(
        "
//- /A.java
interface $0I {}
class C implements I {}
      ^
class D extends C {}
      ^
",
    );
    check_implementation(
        "
//- /a.cc
struct $0I { virtual void m() = 0; };
struct C : public I { void m() override {} };
       ^
",
    );
    check_implementation(
        "
//- /a.rs
trait $0T { fn m(&self); }
struct A;
impl T for A { fn m(&self) {} }
           ^
struct G<X>(X);
impl<X> T for G<X> { fn m(&self) {} }
              ^
impl A {}
",
    );
    check_implementation(
        "
//- /a.go
package a
type $0I interface { Read(n int) int; Close() }
type A struct{}
     ^
func (a *A) Read(n int) int { return n }
func (a *A) Close() {}
type B struct{ A }
     ^
func (b B) Read(n int) int { return n }
type Half struct{}
func (h Half) Read(n int) int { return n }
type Wrong struct{}
func (w Wrong) Read(n, m int) int { return 1 }
func (w Wrong) Close() {}
",
    );
}

#[test]
fn members_are_implemented_by_overrides() {
    check_implementation(
        "
//- /a.py
class Base:
    def m$0(self): raise NotImplementedError
class A(Base): pass
class B(A):
    def m(self): pass
        ^
class Other:
    def m(self): pass
",
    );
    check_implementation(
        "
//- /a.ts
interface I { m$0(): void }
class C implements I { m() {} }
                       ^
class D extends C { m() {} }
                    ^
class Other { m() {} }
",
    );
    check_implementation(
        "
//- /A.java
interface I { void m$0(); }
class C implements I { public void m() {} }
                                   ^
",
    );
    check_implementation(
        "
//- /a.cc
struct I { virtual void m$0() = 0; };
struct C : I { void m() override; };
void C::m() {}
        ^
",
    );
    check_implementation(
        "
//- /a.rs
trait T { fn m$0(&self); }
struct A;
impl T for A { fn m(&self) {} }
                  ^
impl A { fn other(&self) {} }
",
    );
    check_implementation(
        "
//- /a.go
package a
type I interface { Do$0(n int) }
type A struct{}
func (a A) Do(n int) {}
           ^^
type B struct{}
func (b B) Do(n, m int) {}
",
    );
}

#[test]
fn a_function_is_its_own_implementation() {
    check_implementation("\n//- /a.py\ndef f(): pass\n    ^\nf$0()\n");
    check_implementation(
        "\n//- /a.h\nint f(int);\n//- /a.c\n#include \"a.h\"\nint f(int n) { return n; }\n    ^\nint g(void) { return f$0(1); }\n",
    );
}

#[test]
fn declarations_differ_from_definitions() {
    check_declaration(
        "\n//- /a.h\nint f(int);\n    ^\n//- /a.c\n#include \"a.h\"\nint f(int n) { return n; }\nint g(void) { return f$0(1); }\n",
    );
    check_declaration(
        "
//- /a.cc
struct S { void m(); };
                ^
void S::m$0() {}
",
    );
    check_declaration(
        "
//- /a.rs
trait T { fn m(&self); }
             ^
struct A;
impl T for A { fn m$0(&self) {} }
",
    );
    check_declaration(
        "
//- /A.java
interface I { void m(); }
                   ^
class C implements I { public void m$0() {} }
",
    );
    check_declaration("\n//- /a.py\ndef f(): pass\n    ^\nf$0()\n");
}
