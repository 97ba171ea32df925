use expect_test::expect;

use crate::snapshot::{folds, highlights, outline};

pub(crate) const SOURCE: &str = r#"(** Of it. *)
open List
module M = struct
  type t = { name : string; mutable id : int }
  type kind = On of int | Off
  exception Bad
  let limit = 3
  let run ?(a = 1) x = match x with
    | On n -> List.map (fun y -> y + n) [a]
    | Off -> raise Bad
end
module type S = sig
  val f : int -> int
end
external id : 'a -> 'a = "%identity"
class c = object
  method m = "a\n"
end
"#;

#[test]
fn outline_items() {
    expect![[r#"
        module M
          type t
            field name
            field id
          type kind
            enum_member On
            enum_member Off
          class Bad
          variable limit
          function run
        interface S
          method f int -> int
        function id
        class c
          method m
    "#]]
    .assert_eq(&outline("ocaml", SOURCE));
}

#[test]
fn highlight_classes() {
    expect![[r#"
        comment.documentation: (** Of it. *)
        constant.member: On Off On Off Bad
        escape: %i \n
        function: run map f id
        function.builtin: raise
        function.method: m
        keyword: open module struct type mutable type of exception let let match with fun end module type sig val end external class object method end
        namespace: List M List S
        number: 3 1
        operator: = = = | = ? = = | -> -> + | -> = -> -> = = =
        property: name id
        string: " dentity" "a "
        type: t kind Bad
        type.builtin: string int int int int
        type.class: c
        type.parameter: 'a 'a
        variable: limit x n y n a
        variable.parameter: a x y
    "#]].assert_eq(&highlights("ocaml", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["3-10 Code, 8-10 Code, 12-13 Code, 16-17 Code"].assert_eq(&folds("ocaml", SOURCE));
}

#[test]
fn operators_and_polymorphic_variants_are_listed() {
    let source = "let (++) x y = x\ntype t = [ `A | `B of int ]\nlet f (x : [ `C ]) = x\n";
    let listed = "function (++)\ntype t\n  enum_member `A\n  enum_member `B\nfunction f\n";
    assert_eq!(outline("ocaml", source), listed);
    assert_eq!(
        outline("ocaml_interface", "val (++) : t -> t -> t\n"),
        "function (++) t -> t -> t\n"
    );
}
