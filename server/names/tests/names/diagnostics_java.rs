//! Diagnostics about Java names.

use super::diagnostics::check;

#[test]
fn an_unknown_wildcard_import_makes_only_types_uncertain() {
    check(
        "
//- /src/org/springframework/samples/A.java
package org.springframework.samples;

import org.springframework.web.bind.annotation.*;
import java.util.concurrent.*;

@RestController
@RequestMapping(path = PATH)
class A {
    static final String PATH = \"a\";
    @GetMapping
    ResponseBody f(@RequestParam Future<String> one, Executor two) {
        missing.run();
        return wrong;
    }
}
",
        &[
            // What a class holds is not seen by what stands before it.
            "src/org/springframework/samples/A.java:7 undefined-name PATH",
            "src/org/springframework/samples/A.java:12 undefined-name missing",
            "src/org/springframework/samples/A.java:13 undefined-name wrong",
        ],
    );
}

#[test]
fn library_types_are_known_by_name() {
    check(
        "
//- /src/one/A.java
package one;

import java.util.*;
import java.util.concurrent.*;
import java.util.stream.Colectors;
import static java.lang.Math.*;

class A extends Thread implements Comparator<String> {
    List<String> names = new ArrayList<>();
    CompletableFuture<Optional<UUID>> later;
    Lst<String> wrong;
    Collector<String, ?, ?> notImported;
    double turn = PI + MAX_PRIORITY;
    State state;
    int compare(String a, String b) { return MIN_PRIORTY; }
    Map<String, LocalDate> days;
    String all() { return names.stream().collect(Colectors.joining()); }
}
",
        &[
            "src/one/A.java:5 unresolved-import Colectors",
            "src/one/A.java:11 undefined-name Lst",
            "src/one/A.java:12 undefined-name Collector",
            "src/one/A.java:15 undefined-name MIN_PRIORTY",
            "src/one/A.java:16 undefined-name LocalDate",
        ],
    );
}

#[test]
fn static_wildcards_import_the_members_of_their_type() {
    check(
        "
//- /src/one/A.java
package one;

import static org.elsewhere.Constants.*;
import static two.Limits.*;

class A {
    int f() { return UNKNOWN_HERE; }
    Inner g() { return null; }
}
//- /src/one/B.java
package one;

import static two.Limits.*;

class B {
    int f() { return MOST + LEAST; }
}
//- /src/two/Limits.java
package two;
public class Limits { public static final int MOST = 1; public static class Inner {} }
",
        &["src/one/B.java:6 undefined-name LEAST"],
    );
}

#[test]
fn types_of_other_languages_and_generators_count_as_defined() {
    check(
        "
//- /app/src/main/java/app/Main.java
package app;

class Main {
    Point point = PointKt.make();
    Shelf shelf;
    Circle circle;
    IRemote remote;
    Flight flight;
    int layout = R.layout.main;
    boolean debug = BuildConfig.DEBUG;
    QOwner owner = QOwner.owner;
    Owner_ meta;
    DaggerMain component;
    MainMapperImpl mapper;
    Neither one;
}
//- /app/src/main/kotlin/app/Point.kt
package app
data class Point(val x: Int)
//- /app/src/main/groovy/app/Shelf.groovy
package app
class Shelf {}
//- /app/src/main/scala/app/Shapes.scala
package app
object Circle
//- /app/src/main/aidl/app/IRemote.aidl
package app;
interface IRemote {}
//- /app/src/main/proto/flight.proto
message flight {}
",
        &[],
    );
}

#[test]
fn a_type_that_other_files_use_counts_as_defined() {
    check(
        "
//- /src/one/A.java
package one;
class A { Maker maker; }
//- /src/one/B.java
package one;
class B { Maker maker; Lonely lonely; }
",
        &["src/one/B.java:2 undefined-name Lonely"],
    );
}

#[test]
fn names_that_an_unknown_supertype_may_define_are_uncertain() {
    check(
        "
//- /src/app/MainActivity.java
package app;

import android.app.Activity;
import java.util.List;

public class MainActivity extends Activity {
    List<String> names = new ArrayList<>();
    int mode = MODE_PRIVATE;
    Callback callback;
    Runnable r = new Runnable() { public void run() { use(hidden); } };
}
class Other implements Runnable {
    public void run() { use(hidden); }
    void g() { new Activity() { int y() { return inherited; } }; }
}
",
        &[
            "src/app/MainActivity.java:7 undefined-name ArrayList",
            "src/app/MainActivity.java:13 undefined-name hidden",
        ],
    );
}

#[test]
fn lombok_generates_a_logger() {
    check(
        "
//- /src/one/A.java
package one;

import lombok.*;
import lombok.extern.slf4j.Slf4j;

@Slf4j
@Data
class A {
    void f() { log.info(nothing); } Builder builder() { return null; }
}
",
        &["src/one/A.java:9 undefined-name nothing"],
    );
}

#[test]
fn newer_java_syntax_is_supported() {
    check(
        "
//- /src/one/A.java
package one;

sealed interface Shape permits Circle, Square {}
record Circle(double radius) implements Shape {
    Circle { if (radius < 0) throw new IllegalArgumentException(); }
}
non-sealed class Square implements Shape {
    double side;
    <T> Square(T of) { this.side = of.hashCode(); }
    void receive(Square this, int n) { outer: for (;;) { if (n > 0) break outer; } }
}
enum Colour { RED, GREEN { int f() { return helper; } }; static int helper; int f() { return 0; } }
record Sized(@Size(max = MAX) String name) { static final int MAX = 1; @interface Size { int max(); } }
class Uses {
    ScopedValue<String> scoped;
    double area(Object o, Colour colour) {
        if (o instanceof Circle(double r) && r > 1) return r;
        if (!(o instanceof Square s)) return 0;
        switch (colour) { case RED: break; case GREEN: break; }
        int n = switch (colour) { case RED, GREEN -> { int x = 1; yield x; } };
        java.util.function.BiFunction<Integer, Integer, Integer> f = (var a, var b) -> a + b;
        return switch (o) {
            case Circle(var r) when r > 2 -> r;
            case Square q -> q.side + s.side + n + f.apply(1, 2);
            case null, default -> unknownThere;
        };
    }
}
//- /src/one/package-info.java
/** Uses {@link java.util.List}. */
package one;
//- /src/module-info.java
module one.module {
    requires transitive java.sql;
    exports one to other.module;
    provides one.Shape with one.Square;
    uses one.Shape;
}
",
        &["src/one/A.java:25 undefined-name unknownThere"],
    );
}

#[test]
fn nested_types_are_inherited() {
    check(
        "
//- /src/one/A.java
package one;

import java.util.HashMap;
import two.Base;

class A extends Base {
    Part part;
    Kind kind = Kind.BIG;
    int n = LIMIT;
}
class B<K, V> extends HashMap<K, V> {
    Entry<K, V> first() { return null; }
    SimpleEntry<K, V> second() { return null; }
    Entri<K, V> third() { return null; }
}
//- /src/two/Base.java
package two;
public class Base { public static class Part {} public enum Kind { BIG } protected static final int LIMIT = 1; }
",
        &["src/one/A.java:14 undefined-name Entri"],
    );
}

#[test]
fn a_type_defined_by_two_modules_is_uncertain() {
    check(
        "
//- /one/src/app/Base.java
package app;
public class Base { }
//- /two/src/app/Base.java
package app;
public class Base { int value; }
//- /three/src/app/A.java
package app;
class A extends Base { int f() { return value + values; } }
//- /four/src/app/B.java
package app. inner;
class B { C c; }
//- /four/src/app/C.java
package app.inner;
class C { B b; }
//- /five/src/app/D.java
package app;
import java.awt.event.ActionEvent;
class D { void f(ActionEvent e) {} }
",
        &[],
    );
}

#[test]
fn a_package_name_with_blanks_is_uncertain() {
    check(
        "
//- /src/one/two/A.java
package one. two;

class A { Peer peer; }
//- /src/one/two/Peer.java
package one.two;

class Peer {}
",
        &[],
    );
}
