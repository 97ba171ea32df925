use expect_test::expect;

use crate::snapshot::{folds, highlights, outline};

pub(crate) const SOURCE: &str = r#"(** Of it. *)
module M : sig
  type t
  val run : t -> int
end
exception Bad of string
"#;

#[test]
fn outline_items() {
    expect![[r#"
        module M
          type t
          function run t -> int
        class Bad
    "#]]
    .assert_eq(&outline("ocaml_interface", SOURCE));
}

#[test]
fn highlight_classes() {
    expect![[r#"
        comment.documentation: (** Of it. *)
        function: run
        keyword: module sig type val end exception of
        namespace: M
        operator: ->
        type: t t Bad
        type.builtin: int string
    "#]]
    .assert_eq(&highlights("ocaml_interface", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["2-4 Code"].assert_eq(&folds("ocaml_interface", SOURCE));
}
