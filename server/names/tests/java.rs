//! Java: packages, imports, members, overloads.

mod fixture;

use fixture::{check, check_references};

#[test]
fn packages_and_imports() {
    check(
        "
//- /src/a/Thing.java
package a;
public class Thing {}
             ^^^^^
//- /src/b/User.java
package b;
import a.Thing;
class User { Thi$0ng t; }
",
    );
    check(
        "
//- /src/a/Thing.java
package a;
class Thing {}
      ^^^^^
//- /test/a/User.java
package a;
class User { Thi$0ng t; }
",
    );
}

#[test]
fn inherited_fields_are_seen_bare() {
    check(
        "
//- /A.java
class A { int size; }
              ^^^^
class B extends A { int f() { return si$0ze; } }
",
    );
}

#[test]
fn overloads_by_the_number_of_arguments() {
    check(
        "
//- /A.java
class A {
  void f(int a) {}
  void f(int a, int b) {}
       ^
  void g() { this.$0f(1, 2); }
}
",
    );
}

#[test]
fn a_field_and_a_method_of_one_name() {
    check(
        "
//- /A.java
class A {
  int f;
      ^
  int f() { return $0f; }
}
",
    );
}

#[test]
fn references_of_a_method() {
    check_references(
        "
//- /A.java
class A { void run$0() {} void g() { run(); } }
               ^^^                 ^^^
class B { void run() {} }
",
    );
}

#[test]
fn new_leads_to_the_constructor_that_suits() {
    check(
        "
//- /A.java
class A {
  A(String s) {}
  ^
  A(int n) {}
}
class B { A a = new $0A(\"x\"); }
",
    );
}
