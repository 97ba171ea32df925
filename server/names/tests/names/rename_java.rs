//! Rename in Java, checked against a compiler.

use crate::fixture::rename::{check, refused};

#[test]
fn qualified_names_are_not_shadowed_by_imports() {
    check(
        "
//- /p/All.java
package p;
@interface ol$0d { String value(); }
//- /p/User.java
package p;
import java.util.old~;
class User {
    old~ bundle;
    Object f(Object o) {
        p.old a = o.getClass().getAnnotation(p.old.class);
        return old~.getBundle(a.value());
    }
}
",
    );
}

#[test]
fn anonymous_classes_belong_to_the_override_set() {
    check(
        "
//- /p/I.java
package p;
public interface I<T> { T old(String s); }
//- /p/c/D.java
package p.c;
import p.I;
public class D<T> implements I<T> {
    public T ol$0d(String s) { return null; }
}
//- /p/User.java
package p;
import p.c.*;
class User {
    static Object go(String name) {
        I<?> c = null;
        if (c == null) {
            c = new D(name, new I() {
                @Override
                public Object old(String value) { return other(value, null); }
            });
        }
        return c.old(name);
    }
}
",
    );
}

#[test]
fn enum_constant_bodies_belong_to_the_override_set() {
    check(
        "
//- /p/S.java
package p;
public interface S { String old(String s); }
//- /p/E.java
package p;
public enum E implements S {
    A() { @Override public String ol$0d(String s) { return s; } },
    B { @Override public String old(String s) { return s + other(); } };
    int other() { return 1; }
}
",
    );
}

#[test]
fn annotations_are_outside_the_annotated_scope() {
    check(
        "
//- /p/Line.java
package p;
import java.lang.annotation.old~;
class Line {
    @Retention(RetentionPolicy.RUNTIME)
    @old~({ElementType.FIELD})
    public @interface Spec {
        /** Says. */
        enum ol$0d { SELF, MIXEE }
        old value() default old.SELF;
    }
    @old~ class Own { class old~ {} }
    boolean f(Spec s) { return s.value() == Spec.old.MIXEE; }
}
",
    );
}

#[test]
fn possible_overrides_of_external_members_are_refused() {
    for text in [
        "class A { Object f() { return go(new Action() { public Object o$0ld() { return 1; } }); } }",
        "class A implements Action { public Object o$0ld() { return 1; } }",
    ] {
        refused(&format!("\n//- /p/A.java\npackage p;\n{text}\n"), "fresh", "not in the index");
    }
    // The file uses `@Override` elsewhere, so its absence here is significant.
    check(
        "
//- /p/A.java
package p;
class A implements Action {
    public Object o$0ld() { return 1; }
    @Override public Object run() { return old(); }
}
",
    );
    check(
        "
//- /p/A.java
package p;
class A implements java.io.Serializable { public Object o$0ld() { return 1; } }
",
    );
}

#[test]
fn inherited_types_are_not_nested_types() {
    check(
        "
//- /p/Builder.java
package p;
public interface Builder<T> { T old(); }
//- /p/Diff.java
package p;
class Diff<T> implements Builder<T> {
    static class Builder<U> { U old~() { return null; } }
    public T ol$0d() { return null; }
}
",
    );
}
