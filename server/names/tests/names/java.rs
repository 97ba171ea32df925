//! Java: packages, imports, members, overloads.

use crate::fixture::{check, check_references};

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
fn inherited_fields_are_visible_without_this() {
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
fn new_resolves_to_the_matching_constructor() {
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

#[test]
fn case_labels_are_members_of_what_is_switched_over() {
    check(
        "
//- /a/Token.java
package a;
public enum Token { FIRST, SECOND }
                           ^^^^^^
//- /b/Use.java
package b;
import a.Token;
class Use {
    int f(Token token) { switch (token) { case SEC$0OND: return 1; default: return 0; } }
}
",
    );
    check(
        "
//- /A.java
class A {
    static final int ONE = 1;
                     ^^^
    int f(int n) { switch (n) { case O$0NE: return 1; default: return 0; } }
}
",
    );
}

#[test]
fn overloads_by_text_exceptions_and_number() {
    check(
        "
//- /A.java
class A {
    static void f(Throwable t) {}
    static void f(String s) {}
                ^
    static void f(String s, Object... more) {}
    void g(int n) { f$0(n + \"\"); }
}
",
    );
    check(
        "
//- /A.java
class A {
    static void f(String s) {}
    static void f(Throwable t) {}
                ^
    void g() { try {} catch (IOException e) { f$0(e); } }
}
",
    );
    check(
        "
//- /A.java
class A {
    static void f() {}
                ^
    static void f(String... s) {}
    void g() { f$0(); }
}
",
    );
}

#[test]
fn references_of_a_method_with_what_overrides_it() {
    check_references(
        "
//- /A.java
interface A { void run(); }
class B implements A { public void ru$0n() {} }
                                   ^^^
class C extends B { public void run() {} }
                                ^^^
class D { void f(A a, B b, C c) { a.run(); b.run(); c.run(); } }
                                    ^^^      ^^^      ^^^
",
    );
}

#[test]
fn references_of_a_constructor_are_its_calls() {
    check_references(
        "
//- /A.java
class A {
  A$0(String s) {}
  ^
  A(int n) {}
}
class B { A a = new A(\"x\"); A b = new A(1); A c = new A(\"y\") { }; }
                    ^                                 ^
",
    );
    check_references(
        "
//- /A.java
class A {
  A(String s) {}
  A(int n) {}
  ^
}
class B { A a = new A(\"x\"); A b = new A$0(1); }
                                      ^
",
    );
}

#[test]
fn overloads_by_kinds_of_numbers() {
    for (call, wanted) in [
        ("f(1)", "int"),
        ("f(1L)", "long"),
        ("f(n + 1)", "long"),
        ("f(2 * 3)", "int"),
        ("f(1.5f)", "double"),
        ("f('c')", "int"),
        ("f(n > 1)", "boolean"),
        ("f((int) n)", "int"),
        ("f(all[0])", "long"),
        ("f(g())", "int"),
    ] {
        let mut text = String::from("\n//- /A.java\nclass A {\n");
        for kind in ["int", "long", "double", "boolean"] {
            text.push_str(&format!("    static void f({kind} a) {{}}\n"));
            if kind == wanted {
                text.push_str("                ^\n");
            }
        }
        let call = call.replacen("f(", "f$0(", 1);
        text.push_str(&format!(
            "    static int g() {{ return 0; }}\n    void h(long n, long[] all) {{ {call}; }}\n}}\n"
        ));
        check(&text);
    }
}

#[test]
fn overloads_by_kinds_of_arrays() {
    check(
        "
//- /A.java
class A {
    static void f(byte[] a) {}
    static void f(int[] a) {}
                ^
    static void f(Object[] a) {}
    void g(int[] all) { f$0(all); }
}
",
    );
}

#[test]
fn inherited_overloads_with_other_parameters() {
    check(
        "
//- /A.java
class A {
    void f(String s) {}
         ^
}
class B extends A {
    void f(int n) {}
    void g() { f$0(\"x\"); }
}
",
    );
}

#[test]
fn library_containers_keep_element_types() {
    for (held, expression) in [
        ("Iterator<Item> it", "it.next()"),
        ("List<Item> all", "all.iterator().next()"),
        ("java.util.List<? extends Item> all", "all.get(0)"),
        ("Map<String, Item> all", "all.entrySet().iterator().next().getValue()"),
        ("Map<Item, String> all", "all.keySet().iterator().next()"),
        ("Optional<Item> one", "one.get()"),
        ("Items all", "all.iterator().next()"),
    ] {
        check(&format!(
            "
//- /Item.java
package a;
public class Item {{ public int size; }}
                               ^^^^
//- /Items.java
package a;
interface Items extends Collection<Item> {{ }}
//- /Use.java
package a;
class Use {{ int f({held}) {{ return {expression}.si$0ze; }} }}
"
        ));
    }
    // An `Optional` is not its value.
    check(
        "
//- /Item.java
class Item { int get() { return 1; } }
//- /Use.java
class Use { Item f(Optional<Item> one) { return one.g$0et(); } }
",
    );
}

#[test]
fn calls_through_the_library() {
    check_references(
        "
//- /Own.java
class Own<E> implements Iterator<E> {
    public E ne$0xt() { return null; }
             ^^^^
    Object f(Iterator<String> it, List<String> all, Scanner other) {
        all.iterator().next();
                       ^^^^
        other.next();
        return it.next();
                  ^^^^
    }
}
",
    );
}
