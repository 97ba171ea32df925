//! Indentation follows the file's own style where styles differ.

use crate::snapshot::{reindented, well_indented};

const GOOGLE: &str = "\
namespace deep {
class Box {
 public:
  explicit Box(const Item& item,
               int size)
      : item_(item),
        size_(size) {}

 private:
  Item item_;  // what is in it, which
               // may be nothing
  int size_;
};

void put(
    int a, int b) {
  switch (a) {
    case 1:
      return;
    default:
      go(a,
         b);
  }
  const char* all =
      \"one\"
      \"two\";
  if (a == 1 &&
      b == 2) {
    go(b,
       a);
  }
  for (int i = 0;
       i < 10;
       ++i) {
    go(i, i);
  }
}
}  // namespace deep
";

const LLVM: &str = "\
namespace {
class Box {
public:
  Box() {}
};
int put(int a) {
  switch (a) {
  case 1:
    return 2;
  // What is not known.
  default:
    return 3;
  }
}
} // namespace
";

const KERNEL: &str = "\
static int
put(int a)
{
\tswitch (a) {
\tcase 1:
\t\tbreak;
\t}
\treturn a +
\t\tgo(a,
\t\t   a);
}
";

#[test]
fn styles_of_c() {
    well_indented("cpp", 2, GOOGLE);
    well_indented("cpp", 2, LLVM);
    assert_eq!(reindented("c", "\t", KERNEL), KERNEL);
}

#[test]
fn a_misplaced_line_is_indented_like_similar_lines() {
    let broken = GOOGLE
        .replace("   case 1:", " case 1:")
        .replace("      return;", "return;")
        .replace("\n       a);", "\na);")
        .replace("  int size_;\n", "      int size_;\n")
        .replace("        size_(size)", "size_(size)");
    assert_ne!(broken, GOOGLE);
    assert_eq!(reindented("cpp", "  ", &broken), GOOGLE);
}

/// If a block is moved, its continuation lines move along.
#[test]
fn continuation_lines_move_along() {
    let moved = "int f() {\n      go(a,\n          b,\n         c);\n}\n";
    let back = "int f() {\n  go(a,\n      b,\n     c);\n}\n";
    assert_eq!(reindented("cpp", "  ", moved), back);
}

#[test]
fn styles_of_shells() {
    let git = "\
if test -n \"$a\"
then
\tcase \"$a\" in
\t-h|--help)
\t\tusage
\t\t;;
\t# The rest.
\t*)
\t\tgo ||
\t\tdie
\t\t;;
\tesac
fi
while test $# -gt 0
do
\tshift
\techo |
\twhile read a
\tdo
\t\tcat <<-EOF &&
\ttext
   of any kind
\tEOF
\t\tgo
\tdone
done
";
    assert_eq!(reindented("bash", "\t", git), git);
    let google = "\
main()
{
  case $a in
    x) go ;;
    *)
      stay
      ;;
  esac
  go --long \\
    --words
  one \\
    || two
  go \\
    && {
      stay
    }
  lists=(
    a
  )
}
";
    well_indented("bash", 2, google);
    let all_of_it = "f()\n{\n    go\n} &&\n    f\n";
    well_indented("bash", 4, all_of_it);
}

/// Bats tests have blocks that the shell grammar parses as words.
#[test]
fn blocks_of_bats_are_left_alone() {
    let bats = "@test \"all\" {\n  run go\n    [ a ]\n}\n";
    assert_eq!(reindented("bash", "  ", bats), bats);
}

#[test]
fn styles_of_nix() {
    let source = "\
{ pkgs, lib, ... }:

with lib;

let
  one = 1;
  two = { a, b }:
    a
    + b;
in

assert one == 1;

{
  name = \"x\";

  list =
    [
      one
      two
    ];

  made = pkgs.runCommand \"x\"
    {
      buildInputs = [ ];
    }
    ''
        text
    '';

  chosen =
    if one == 1
    then two
    else if one == 2
    then
      three
    else
      let
        a = 1;
      in
      a;

  more = map
    (x: {
      inherit x;
    })
    (attrNames made);
}
";
    well_indented("nix", 2, source);
}

#[test]
fn ends_of_blocks_in_scala() {
    let source = "\
trait A {
  def apply(in: Int,
            b: Boolean = false): Seq[File] = {
    val p = 1
    p
  }

  def n(pre: Type): Map =
    new Map(pre)

  /** A map.
    */
  class Map(seen: Type) extends T {
    // What is in it.
    def x = 1
  }

  lazy val settings =
    Seq(
      mima := {
        m.fold {
          go()
        } { r =>
          def x = 1
        }
      }
    )

  def f(a: Int) = a match {
    case 1 =>
      2
    case _ =>
      b
        .c
  }
}
";
    well_indented("scala", 2, source);
}

#[test]
fn styles_of_java() {
    let source = "\
class A {
  int f(int a,
        int b)
      throws E {
    switch (a) {
      case 1:
      case 2: {
        return a;
      }
      default:
        return list.stream()
            .map(x -> x)
            .filter(
                x -> {
                  return true;
                });
    }
  }
}
";
    well_indented("java", 2, source);
    let flat = "\
class A {
    void f() {
        switch (a) {
        case 1:
            g(a,
              b);
        }
    }
}
";
    well_indented("java", 4, flat);
}

#[test]
fn continuation_lines_of_elixir() {
    let source = "\
defmodule A do
  @type t ::
          one
          | two

  def f(a) do
    with {:ok, b} <- a,
         {:ok, c} <- b do
      c
    end

    value =
      a
      |> g()
      |> h(fn x ->
        x
      end)

    {:ok, \"one\" <>
       value}
  end
end
";
    well_indented("elixir", 2, source);
}

#[test]
fn conditionals_of_make_follow_the_style_of_the_file() {
    let deep = "\
ifeq ($(A),1)
  B = 1
  ifdef C
    B = 2
  else
    B = 3
  endif
endif
all: one \\
     two
\tgo
";
    let flat = "\
ifeq ($(A),1)
B = 1
else
B = one \\
\ttwo
endif
all:
\tgo
";
    assert_eq!(reindented("make", "  ", deep), deep);
    assert_eq!(reindented("make", "\t", flat), flat);
}

#[test]
fn items_in_macro_arguments() {
    let flat = "wrap! {\nstruct A {\n    a: u8,\n}\nstruct B;\n}\n";
    well_indented("rust", 4, flat);
    let deep = "wrap! {\n    struct A {\n        a: u8,\n    }\n    struct B;\n}\n";
    well_indented("rust", 4, deep);
}

#[test]
fn multiline_comments_beside_code() {
    let source = "\
const A = struct {
    a: u8, // what it is
           // and is not
    b: u8,
};
";
    well_indented("zig", 4, source);
}

const MIXED_TABS: &str = "\
f() {
    for a in b; do
\tif a; then
\t    c
\telse
\t    for d in e; do
\t\tg
\t    done
\tfi
    done
}
";

#[test]
fn eight_columns_may_be_a_tab() {
    well_indented("bash", 4, MIXED_TABS);
    // A line that moves uses the same whitespace as the others.
    let moved = MIXED_TABS.replace("\t    c\n", "\tc\n").replace("\t\tg", "g");
    assert_eq!(reindented("bash", "    ", &moved), MIXED_TABS);
    // A line of the right width keeps its whitespace.
    let other = MIXED_TABS.replace("\t    c\n", "            c\n");
    assert_eq!(reindented("bash", "    ", &other), other);
    let spaces = "if a; then\n    if b; then\n        c\n\td\n    fi\nfi\n".repeat(3);
    assert_eq!(reindented("bash", "    ", &spaces), spaces);
    let tabs = "if a; then\n\tif b; then\n\t\tc\n        \td\n    fi\nfi\n";
    assert_eq!(
        reindented("bash", "\t", tabs),
        tabs.replace("    fi", "\tfi").replace("        \tf", "\t\tf")
    );
}
