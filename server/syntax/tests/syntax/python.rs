use expect_test::expect;

use crate::look::{class_of, folds, highlights, outline, well_indented};

pub(crate) const SOURCE: &str = r##""""A module."""
import os.path
from typing import (
    Any,
)

LIMIT = 3


@cached
class Box(Base):
    """What it holds."""

    items: list[int] = []

    def put(self, item: Any, *rest, key=None) -> bool:
        # One.
        # Two.
        if item in self.items and not rest:
            return len(rest) == LIMIT
        elif item is not None:
            raise ValueError(f"no {item!r}\n")
        else:
            try:
                os.path.join(
                    "a",
                    b"c",
                )
            except OSError as e:
                print(e)
            finally:
                pass
        return [
            x
            for x in rest
        ]


match LIMIT:
    case 1:
        lambda q: q
"##;

#[test]
fn names_and_literals_differ() {
    expect![[r#"
        attribute: @ cached
        comment: # One. # Two.
        comment.documentation: """A module.""" """What it holds."""
        constant: LIMIT LIMIT LIMIT
        constant.builtin: None None
        constructor: ValueError
        escape: \n
        function.builtin: len print
        function.method: put join
        keyword: import from import class def if return elif raise else try except as finally pass return for in match case lambda
        keyword.operator: in and not is not
        namespace: os path typing
        number: 3 1
        operator: = = * = -> == !r
        property: items path
        string: f"no  " "a" b"c"
        type: Any Any OSError
        type.builtin: list int bool
        type.class: Box Base
        variable: items item rest rest item item os e e x x rest q
        variable.builtin: self self
        variable.parameter: item rest key q
    "#]].assert_eq(&highlights("python", SOURCE));
}

#[test]
fn bodies_comments_and_imports_fold() {
    expect!["2-5 Imports, 11-35 Code, 16-35 Code, 17-18 Comment, 19-32 Code, 21-22 Code, 23-32 Code, 24-32 Code, 25-27 Code, 29-30 Code, 31-32 Code, 33-35 Code, 39-41 Code, 40-41 Code"].assert_eq(&folds("python", SOURCE));
}

#[test]
fn lines_stand_as_formatters_put_them() {
    well_indented("python", 4, SOURCE);
}

#[test]
fn words_that_are_keywords_in_places_are_names_elsewhere() {
    assert_eq!(class_of("python", "match = 1\n", "match"), "variable");
    assert_eq!(class_of("python", "x.type\n", "type"), "property");
    assert_eq!(class_of("python", "type T = int\n", "type"), "keyword");
}

#[test]
fn what_a_module_has_under_a_condition_is_listed() {
    let source = "try:\n    a = 1\nexcept X:\n    b = 2\nif c:\n    d: int = 3\nelif e:\n    f = 4\n\
                  else:\n    g = 5\nwith o() as h:\n    i = 6\ndef k():\n    if l:\n        m = 7\n";
    let listed = "variable a\nvariable b\nvariable d int\nvariable f\nvariable g\nvariable i\n\
                  function k ()\n";
    assert_eq!(outline("python", source), listed);
}
