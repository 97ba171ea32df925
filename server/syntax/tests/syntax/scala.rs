use expect_test::expect;

use crate::snapshot::{folds, highlights, outline, well_indented};

pub(crate) const SOURCE: &str = r#"package a.b

import c.{D, E}

/** Of it. */
@deprecated class User(val id: Int) extends Base with Other {
  private val name: String = s"a $id\n"
  var count = 1
  def run(x: Int): Option[String] = {
    x match {
      case 1 => Some(name)
      case _ => None
    }
  }
  type T = Int
}
object User {
  def apply = new User(1)
}
trait P {
  def q: Unit
}
enum Color {
  case Red, Green
}
"#;

#[test]
fn outline_items() {
    expect![[r#"
        namespace a.b
        class User (val id: Int)
          property name String
          property count
          method run (x: Int)
          type T
        module User
          function apply
        trait P
          method q
        enum Color
          enum_member Red
          enum_member Green
    "#]]
    .assert_eq(&outline("scala", SOURCE));
}

#[test]
fn highlight_classes() {
    expect![[r#"
        attribute: deprecated
        comment.documentation: /** Of it. */
        constant.member: Red Green
        constructor: Some
        escape: \n
        function: run apply q
        function.macro: s
        keyword: package import class val extends with private val var def match case case type object def new trait def enum case
        namespace: a b c
        number: 1 1 1
        operator: @ = = = => _ => = =
        property: name count
        string: "a  "
        type: D E Base Other Option None T User
        type.builtin: Int String Int String Int Unit
        type.class: User User
        type.enum: Color
        type.interface: P
        variable: id x name
        variable.parameter: id x
    "#]].assert_eq(&highlights("scala", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["6-15 Code, 9-13 Code, 10-12 Code, 17-18 Code, 20-21 Code, 23-24 Code"]
        .assert_eq(&folds("scala", SOURCE));
}

#[test]
fn bodies_are_indented() {
    well_indented("scala", 2, SOURCE);
}
