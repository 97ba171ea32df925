use expect_test::expect;

use crate::snapshot::{class_of, folds, highlights, outline, well_indented};

pub(crate) const SOURCE: &str = r##"package a.b

import a.c.D
import a.d as f

/** doc */
@Ann("x")
sealed class A<T : Any>(
    val x: Int,
    y: String = "a",
) : B(x),
    C where T : D {
    companion object {
        const val MAX = 1
    }
    init { println("hi $x ${y.length}\n") }
    override val p: Int
        get() = field + 1
    suspend fun <R> m(a: Int, block: (Int) -> R): R? {
        if (a > MAX_A && y !is Foo) return null else foo()!!
        when (a) {
            in 1..3 -> true
            else -> {
                throw X()
            }
        }
        return list.filter { it > 1 }
            .map { z -> z::class }
            .first() as R
    }
}
enum class E(val v: Int) { ONE(1), TWO(2) }
interface J {
    fun g()
}
object O { }
typealias T = Map<String, Int>
val r = Regex("a+")
fun String.ext(): Int = 'c'.code
"##;

#[test]
fn declarations_are_listed() {
    expect![[r#"
        class A ( val x: Int, y: String = "a", )
          property x Int
          class companion object
            constant MAX
          constructor init
          property p Int
          method m (a: Int, block: (Int) -> R)
        enum E (val v: Int)
          property v Int
          enum_member ONE (1)
          enum_member TWO (2)
        interface J
          method g ()
        class O
        type T
        variable r
        function ext ()
    "#]]
    .assert_eq(&outline("kotlin", SOURCE));
}

#[test]
fn identifiers_keywords_and_literals_are_highlighted() {
    expect![[r#"
        attribute: @ Ann
        boolean: true
        comment.documentation: /** doc */
        constant: MAX MAX_A
        constant.builtin: null
        constant.member: ONE TWO
        constructor: X Regex
        escape: \n
        function: println foo ext
        function.method: m filter map first g
        keyword: package import import as sealed class val where companion object const val init override val get suspend fun if !is return else when in else throw return class as enum class val interface fun object typealias val fun
        namespace: a b a c a d
        number: 1 1 1 3 1 1 2
        operator: = = = + -> > && !! .. -> -> > -> = = + =
        property: x y length p v code
        string: "x" "a" "hi $x  " " " 'c'
        string.regexp: a
        type: D B C D R R Foo R T Map
        type.builtin: Any Int String Int Int Int Int String Int String Int
        type.class: A O
        type.enum: E
        type.interface: J
        type.parameter: T T R
        variable: f x y a y a list z r
        variable.builtin: field it
        variable.parameter: a block z
    "#]].assert_eq(&highlights("kotlin", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["3-4 Imports, 8-10 Code, 12-30 Code, 13-14 Code, 19-29 Code, 21-25 Code, 23-24 Code, 33-34 Code"].assert_eq(&folds("kotlin", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("kotlin", 4, SOURCE);
}

#[test]
fn regular_expressions_are_highlighted() {
    assert_eq!(class_of("kotlin", SOURCE, "+\")"), "operator");
}
