use expect_test::expect;

use crate::snapshot::{class_of, folds, highlights, outline, well_indented};

pub(crate) const SOURCE: &str = r##"# c
defmodule A.B do
  @moduledoc """
  Doc `x`
  """
  use GenServer
  alias A.{C, D}
  import Enum, only: [map: 2]
  @attr 1
  @type t :: %A{a: integer()}
  @spec foo(integer) :: atom
  defstruct [:a, b: 1]
  def foo(a, b \\ 2) when a > 1 do
    x = %{"b" => ~r/a+/i, a: 1}
    case x do
      {:ok, v} -> v |> map(&(&1 + 1))
      _ ->
        nil
    end
    if a == 1 and not true do
      "hi #{a}\n"
    else
      'c'
    end
  rescue
    e in RuntimeError -> reraise e
  end
  defp bar, do: :ok
  defmacro m(x), do: quote(do: unquote(x))
  defguard is_x(x) when x > 1
  defdelegate z(a), to: B
end
defimpl P, for: A do
  def f(x), do: fn y -> y end
end
defprotocol P do
  def f(x)
end
test "it works", %{a: a} do
  assert a.b.c == ?a
end
"##;

#[test]
fn declarations_are_listed() {
    expect![[r#"
        module A.B
          type t
          struct defstruct
          function foo (a, b \\ 2)
          function bar
          macro m (x)
          macro is_x (x)
          function z (a)
        impl P A
          method f (x)
        interface P
          method f (x)
        function test it works
    "#]]
    .assert_eq(&outline("elixir", SOURCE));
}

#[test]
fn identifiers_keywords_and_literals_are_highlighted() {
    expect![[r#"
        attribute: @ moduledoc @ attr @ type @ spec
        boolean: true
        comment: # c
        comment.documentation:
          Doc

        constant.builtin: nil
        escape: \n
        function: integer foo foo map bar m is_x z f f test assert b c
        keyword: defmodule do use alias import defstruct def do case do end if do else end rescue reraise end defp defmacro quote unquote defguard defdelegate end defimpl do def fn end end defprotocol do def end do end
        keyword.operator: when and in when
        markup.raw: x
        namespace: A.B GenServer A C D Enum RuntimeError B P A P
        number: 2 1 1 2 1 1 1 1 1 1
        operator: :: :: \\ > = => + -> |> & & + -> == not -> > -> ==
        property: only:  map:  a:  b:  a:  do:  do:  do:  to:  for:  do:  a:
        string: """ """ "b" "hi  " 'c' "it works" ?a
        string.regexp: ~r/ a /i
        string.special: :a :ok :ok
        type.struct: A
        variable: t integer atom a b a x x v v _ a a e e x x x x a x y y x a a
    "#]].assert_eq(&highlights("elixir", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["2-31 Code, 3-5 Code, 6-8 Imports, 13-26 Code, 15-18 Code, 20-23 Code, 22-23 Code, 25-26 Code, 33-34 Code, 36-37 Code, 39-40 Code"].assert_eq(&folds("elixir", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("elixir", 2, SOURCE);
}

#[test]
fn documentation_is_markdown() {
    assert_eq!(class_of("elixir", SOURCE, "x`"), "markup.raw");
    assert_eq!(class_of("elixir", SOURCE, "+/i"), "operator");
}
