use expect_test::expect;

use crate::errors::errors_by_line;
use crate::snapshot::{class_of, folds, highlights, outline, well_indented};

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
fn identifiers_and_literals_are_highlighted() {
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
        type: Any OSError
        type.builtin: list int bool
        type.class: Any Box Base
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
fn formatted_code_keeps_its_indentation() {
    well_indented("python", 4, SOURCE);
}

#[test]
fn contextual_keywords_are_identifiers_elsewhere() {
    assert_eq!(class_of("python", "match = 1\n", "match"), "variable");
    assert_eq!(class_of("python", "x.type\n", "type"), "property");
    assert_eq!(class_of("python", "type T = int\n", "type"), "keyword");
}

#[test]
fn conditional_module_members_are_listed() {
    let source = "try:\n    a = 1\nexcept X:\n    b = 2\nif c:\n    d: int = 3\nelif e:\n    f = 4\n\
                  else:\n    g = 5\nwith o() as h:\n    i = 6\ndef k():\n    if l:\n        m = 7\n";
    let listed = "variable a\nvariable b\nvariable d int\nvariable f\nvariable g\nvariable i\n\
                  function k ()\n";
    assert_eq!(outline("python", source), listed);
}

/// Each mistake gives one message, on its line.
#[test]
fn a_mistake_is_reported_on_its_line() {
    for (source, wanted) in [
        (
            "if a:\n    if b:\n        c()\n      else:\n        d()\n    e()\n",
            "4: `else` matches no `if`, `for` or `while` at this indentation: the one on line 2 is \
             at column 5",
        ),
        ("a()\nelse:\n    b()\n", "2: `else` matches no `if`, `for` or `while`"),
        (
            "try:\n    a()\n  except b:\n    c()\nd()\n",
            "3: `except` matches no `try` at this indentation: the one on line 1 is at column 1",
        ),
        ("def f():\n\ndef g():\n    pass\n", "1: expected an indented block after `def` on line 1"),
        ("class A:\n    # b\n", "1: expected an indented block after `class` on line 1"),
        (
            "def f():\n    a()\n  b()\n    c()\n\n\ndef g(): pass\n",
            "3: unindent matches no outer line: expected 4 columns as on line 2, found 2",
        ),
        ("a = 1\n  b = 2\nc = 3\n", "2: unexpected indentation: line 1 is indented less"),
        ("def f(a)\n    return a\n", "1: expected `:` after `)`"),
        ("for a in b\n    c()\nd()\n", "1: expected `:` after `b`"),
        ("for a b:\n    c()\n", "1: expected `in` after `a`"),
        ("import a\n\n\ndef f -> int:\n    return 1\n", "4: expected `(` after `f`"),
        ("a = 1\nb =\nc = 2\n", "2: expected a value after `=`"),
        ("def f():\n    a = 1 +\n    return a\n", "2: expected a value after `+`"),
        ("try:\n    a()\nb()\n", "3: expected `except` or `finally` after `try` on line 1"),
        (
            "\
def f():
    \"\"\"A.\"\"
    return 1


def g():
    \"\"\"B.\"\"\"
    return \"c\"
",
            "2: unclosed string that starts on line 2",
        ),
    ] {
        assert_eq!(errors_by_line("python", source), [wanted], "{source}");
    }
}

#[test]
fn valid_layout_has_no_errors() {
    for source in [
        "if a: b()\nelif c: d()\nelse: e()\n",
        "for a in b:\n\tc()\nelse:\n        d()\n",
        "try:\n    a()\nexcept* B:\n    c()\nelse:\n    d()\nfinally:\n    e()\n",
        "if a:\n    b()\n    # c\n# d\n    e()\nelse:\n  f()\n",
        "x = (a if b else\n  c)\ny = a \\\n      + b\nz = lambda: 0\n",
        "match a:\n    case {'b': c}:\n        d()\n    case _: pass\nmatch = 1\ncase = match\n",
        "def f(a: int = 1, /, *, b=lambda x: x) -> dict[str, int]: ...\n",
        "async def f():\n    async for a in b:\n        await c\n    async with d as e: pass\n",
        "if (a := b) and c[1:2]:\n    \"\"\"d:\n  e\"\"\"\n    f = {'g': 1,\n'h': 2}\n",
        "from a import *\nclass A: x: int; y = ...\nif a:\n    pass;\n",
        "if a:\n    b()\n\x0c\n    c()\n",
        "while a:\n    if b: continue\n    else:\n        break\nelse:\n    c()\n",
        "@a\n\n# b\n@c.d(\n    e)\ndef f(): return\n",
    ] {
        assert_eq!(errors_by_line("python", source), [""; 0], "{source}");
    }
}
