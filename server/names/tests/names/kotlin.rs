//! Kotlin: packages, members, extensions, lambdas with receivers, smart casts.

use crate::diagnostics;
use crate::fixture::rename;
use crate::fixture::{check, check_references};

#[test]
fn packages_imports_and_aliases() {
    // The package is what the file declares, whatever its folder is.
    check(
        r"
//- /src/main/kotlin/Anywhere.kt
package app.model
class User
      ^^^^
//- /src/main/kotlin/Main.kt
package app
import app.model.User
fun show(user: Us$0er) {}
",
    );
    check(
        r"
//- /a.kt
package app.model
class User
      ^^^^
//- /b.kt
package app
import app.model.User as Person
val person = Per$0son()
",
    );
    check(
        r"
//- /a.kt
package app.model
fun load(): Int = 1
    ^^^^
//- /b.kt
package app
import app.model.*
val x = lo$0ad()
",
    );
    // The same package needs no import.
    check(
        r"
//- /one/a.kt
package app
object Registry { fun find() = 1 }
                      ^^^^
//- /two/b.kt
package app
val x = Registry.fi$0nd()
",
    );
    // A private declaration of another file is not visible.
    check(
        r"
//- /a.kt
package app
private fun helper() = 1
//- /b.kt
package app
val x = hel$0per()
",
    );
}

#[test]
fn java_classes_of_the_project() {
    check(
        r"
//- /src/main/java/app/Store.java
package app;
public class Store { public int size() { return 0; } }
                                ^^^^
//- /src/main/kotlin/Main.kt
package app
fun count(store: Store) = store.si$0ze()
",
    );
    check(
        r"
//- /src/main/kotlin/Model.kt
package app.model
class Model
      ^^^^^
//- /src/main/java/app/Main.java
package app;
import app.model.Model;
class Main { Mod$0el model; }
",
    );
}

#[test]
fn properties_of_constructors_and_named_arguments() {
    check(
        r"
//- /a.kt
data class Point(val x: Int, val y: Int)
                     ^
fun f(p: Point) = p.$0x
",
    );
    check(
        r"
//- /a.kt
data class Point(val left: Int, val top: Int = 0)
                                    ^^^
val p = Point(1, to$0p = 2)
",
    );
    // A parameter that is no property is not visible in methods.
    check(
        r"
//- /a.kt
open class Base {
    val context = 1
        ^^^^^^^
}
class Sub(context: String) : Base() { fun f() = cont$0ext }
",
    );
    check(
        r"
//- /a.kt
class Sub(context: String) { val length = con$0text.length }
          ^^^^^^^
",
    );
    check(
        r"
//- /a.kt
fun draw(width: Int, height: Int = 1) {}
                     ^^^^^^
val x = draw(2, hei$0ght = 3)
",
    );
}

#[test]
fn companions_objects_enums_and_nested_classes() {
    check(
        r"
//- /a.kt
class Config private constructor() {
    companion object { fun load() = Config() }
                           ^^^^
}
val c = Config.lo$0ad()
",
    );
    check(
        r"
//- /a.kt
enum class Mode(val code: Int) { FAST(1), SLOW(2) }
                                          ^^^^
val m = Mode.SL$0OW
",
    );
    check(
        r"
//- /a.kt
enum class Mode(val code: Int) { FAST(1), SLOW(2) }
                    ^^^^
val m = Mode.SLOW.co$0de
",
    );
    check(
        r"
//- /a.kt
sealed class Result {
    class Ok(val value: Int) : Result()
          ^^
}
fun f(r: Result.O$0k) = r
",
    );
    check(
        r"
//- /a.kt
interface Shape {
    fun area(): Int
        ^^^^
}
class Square : Shape {
    override fun area() = 1
}
fun f(s: Square) = (s as Shape).ar$0ea()
",
    );
}

#[test]
fn extensions() {
    check(
        r"
//- /a.kt
package app.text
class Page(val title: String)
fun Page.render(): String = title
         ^^^^^^
//- /b.kt
package app
import app.text.Page
import app.text.render
fun f(page: Page) = page.ren$0der()
",
    );
    // Inside of the function, `this` and plain names are of the extended type.
    check(
        r"
//- /a.kt
class Page(val title: String)
               ^^^^^
fun Page.render() = ti$0tle
",
    );
    check(
        r"
//- /a.kt
class Page(val title: String)
               ^^^^^
val Page.label: String get() = this.ti$0tle
",
    );
    // The receiver decides between extensions of one name.
    check(
        r"
//- /a.kt
class A
class B
fun A.show() = 1
fun B.show() = 2
      ^^^^
fun f(b: B) = b.sh$0ow()
",
    );
    // A member comes before an extension.
    check(
        r"
//- /a.kt
class A { fun show() = 1 }
              ^^^^
fun A.show() = 2
fun f(a: A) = a.sh$0ow()
",
    );
    // An extension of another package that is not imported is not meant.
    check(
        r"
//- /a.kt
package other
fun String.shout() = this
//- /b.kt
package app
val x = 'a'.sho$0ut()
",
    );
}

#[test]
fn lambdas_and_scope_functions() {
    for (call, name) in [
        ("user.let { it.na$0me }", "let"),
        ("user.apply { na$0me }", "apply"),
        ("user.run { na$0me }", "run"),
        ("with(user) { na$0me }", "with"),
        ("user.also { u -> u.na$0me }", "also"),
        ("listOf(user).map { it.na$0me }", "map"),
        ("listOf(user).filter { true }.first().na$0me", "first"),
        ("build { na$0me }", "a function with a receiver"),
        ("each(user) { it.na$0me }", "a function of the project"),
        ("user?.takeIf { true }?.na$0me", "takeIf"),
        ("lazyUser.na$0me", "a delegate"),
    ] {
        eprintln!("{name}");
        check(&format!(
            "
//- /a.kt
class User(val name: String)
               ^^^^
fun build(block: User.() -> Unit) {{}}
fun each(user: User, block: (User) -> Unit) {{}}
val lazyUser by lazy {{ User(\"a\") }}
fun f(user: User) {{
    {call}
}}
"
        ));
    }
    // What a lambda is passed to is not known: `this` may be anything.
    check(
        r"
//- /a.kt
class Outer {
    val size = 1
    fun f() { unknown { this.si$0ze } }
}
",
    );
}

#[test]
fn smart_casts() {
    for body in [
        "if (x is Cat) x.me$0ow()",
        "if (x !is Cat) return\n    x.me$0ow()",
        "if (x is Cat && x.me$0ow()) println()",
        "when (x) { is Cat -> x.me$0ow() }",
        "(x as Cat).me$0ow()",
        "(x as? Cat)?.me$0ow()",
    ] {
        eprintln!("{body}");
        check(&format!(
            "
//- /a.kt
class Cat {{
    fun meow() = true
        ^^^^
}}
fun f(x: Any) {{
    {body}
}}
"
        ));
    }
}

#[test]
fn destructuring_generics_and_operators() {
    check(
        r"
//- /a.kt
class Item(val id: Int)
               ^^
data class Pair2(val first: Item, val second: Item)
fun f(p: Pair2) { val (a, b) = p; b.i$0d }
",
    );
    check(
        r"
//- /a.kt
class Item(val id: Int)
               ^^
class Box<T>(val held: T)
fun f(box: Box<Item>) = box.held.i$0d
",
    );
    check(
        r"
//- /a.kt
class Item(val id: Int)
               ^^
class Store { operator fun get(key: String): Item = Item(1) }
fun f(store: Store) = store[key].i$0d
",
    );
    check(
        r"
//- /a.kt
class Item(val id: Int)
               ^^
fun f(all: Map<String, List<Item>>) { for ((key, items) in all) { items.forEach { it.i$0d } } }
",
    );
    check(
        r"
//- /a.kt
infix fun Int.upTo(other: Int) = 1
              ^^^^
val x = 1 up$0To 2
",
    );
    check(
        r"
//- /a.kt
class Item
      ^^^^
typealias Items = List<It$0em>
",
    );
}

#[test]
fn texts_have_names() {
    for text in ["\"a $na$0me\"", "\"$na$0me b\"", "\"${na$0me.length} $x\""] {
        check(&format!(
            "
//- /a.kt
fun f(name: String, x: Int) = {text}
      ^^^^
"
        ));
    }
}

#[test]
fn shadowing_by_own_value() {
    check(
        r"
//- /a.kt
fun f(context: String?) {
      ^^^^^^^
    val context = con$0text ?: return
}
",
    );
}

#[test]
fn references_and_rename() {
    check_references(
        r#"
//- /a.kt
package app
class User(val name: String)
               ^^^^
fun User.greet() = "hello $name"
                           ^^^^
//- /b.kt
package app
fun f(user: User) = user.na$0me + User(name = "a").name
                         ^^^^        ^^^^        ^^^^
"#,
    );
    rename::check(
        r"
//- /a.kt
package app.model
fun old() = 1
//- /b.kt
package app
import app.model.old
val x = ol$0d()
",
    );
    rename::check(
        r#"
//- /a.kt
interface Named {
    fun old(): String
}
class User(val id: Int) : Named {
    override fun ol$0d() = "$id"
}
fun f(named: Named, user: User) = named.old() + user.old()
class Other {
    fun old~() = 1
}
"#,
    );
    rename::check(
        r#"
//- /a.kt
data class User(val ol$0d: String)
fun f(user: User) = "${user.old} ${User(old = "a").old}"
"#,
    );
}

#[test]
fn renames_of_what_java_uses_by_another_name_are_refused() {
    rename::refused(
        r"
//- /a.kt
class User(val ol$0d: String)
//- /A.java
class A { String f(User user) { return user.getOld(); } }
",
        "fresh",
        "`getOld` in another language",
    );
}

#[test]
fn unused_imports() {
    diagnostics::check(
        r"
//- /a.kt
package app.model
class User
class Other
fun User.show() = 1
fun User.hide() = 1
operator fun User.plus(other: User) = this
//- /b.kt
package app
import app.model.Other
import app.model.User
import app.model.hide
import app.model.plus
import app.model.show
import library.Unknown
import library.Mentioned
/** [Mentioned] is linked. */
fun f(user: User) = user.show()
",
        &[
            "b.kt:2 unused-import Other",
            "b.kt:4 unused-import hide",
            "b.kt:7 unused-import Unknown",
        ],
    );
}

#[test]
fn nothing_is_called_undefined() {
    diagnostics::check(
        r"
//- /b.kt
package app
import library.Something
class A : Base() { fun f() = Something.missing(Nowhere()) + nothing.x }
",
        &[],
    );
}
