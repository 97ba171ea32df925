//! Python: what a `match` captures, type parameters, and where heads are evaluated.

use crate::fixture::{check, check_references};

#[test]
fn a_rest_is_captured() {
    check(
        "
//- /a.py
match f():
    case [first, *rest]:
                  ^^^^
        print(first, re$0st)
",
    );
    check(
        "
//- /a.py
match f():
    case {\"key\": value, **rest}:
                 ^^^^^
        print(rest, val$0ue)
",
    );
}

#[test]
fn a_field_pattern_captures_and_names_the_field() {
    check(
        "
//- /a.py
match f():
    case Point(x=left):
                 ^^^^
        print(le$0ft)
",
    );
    check(
        "
//- /a.py
class Point:
    x = 1
    ^
match f():
    case Point(x$0=left):
        pass
",
    );
}

#[test]
fn an_as_pattern_has_the_class_type() {
    check(
        "
//- /a.py
class Point:
    x = 1
    ^
match f():
    case Point() as p if p.$0x:
        pass
",
    );
    check(
        "
//- /a.py
match f():
    case (1 | 2) as num if num > 1:
                    ^^^
        print(n$0um)
",
    );
}

#[test]
fn a_capture_in_a_nested_pattern_has_references() {
    check_references(
        "
//- /a.py
def g(v):
    match v:
        case [{\"a\": (one$0, _)}] | (one,):
                     ^^^          ^^^
            return one
                   ^^^
",
    );
}

#[test]
fn a_dotted_name_in_a_pattern_refers() {
    check(
        "
//- /a.py
class Color:
    RED = 1
    ^^^
match f():
    case Color.R$0ED | Color.RED:
        pass
",
    );
    check(
        "
//- /a.py
class Color:
      ^^^^^
    RED = 1
match f():
    case {Color.RED: Co$0lor()}:
        pass
",
    );
}

#[test]
fn a_parenthesised_pattern_is_the_whole() {
    check(
        "
//- /a.py
class Point:
    x = 1
    ^
match Point():
    case (p):
        p.$0x
",
    );
}

#[test]
fn type_parameters_are_seen_where_they_are_written_for() {
    check(
        "
//- /a.py
def f[Item: int, *Rest, **Spec](x: It$0em) -> Item: ...
      ^^^^
",
    );
    check(
        "
//- /a.py
class Box[Item]:
          ^^^^
    def get(self) -> It$0em: ...
",
    );
    check(
        "
//- /a.py
type Pair[Item = int] = tuple[Item, It$0em]
          ^^^^
",
    );
    check(
        "
//- /a.py
type Pair[Item] = tuple[Item, Item]
     ^^^^
x: Pa$0ir[int]
",
    );
}

#[test]
fn a_default_is_evaluated_around_the_function() {
    check(
        "
//- /a.py
class A:
    limit = 10
    ^^^^^
    def f(self, n=lim$0it): ...
",
    );
    check(
        "
//- /a.py
class A:
    class Inner: ...
          ^^^^^
    def f(self) -> Inn$0er: ...
",
    );
}

#[test]
fn a_comprehension_goes_through_what_the_class_around_it_has() {
    check(
        "
//- /a.py
class A:
    rows = [1]
    ^^^^
    cells = [cell for cell in ro$0ws]
",
    );
}
