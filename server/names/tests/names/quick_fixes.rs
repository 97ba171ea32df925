//! Quick fixes: adding and removing imports, removing unused variables, sorting imports.

use crate::fixture::actions::{ActionOptions, check, offered, plan};

const ONE: &str = "remove_unused_import";
const ALL: &str = "remove_unused_imports";
const VARIABLE: &str = "remove_unused_variable";

#[test]
fn python_removes_one_or_all_unused_imports() {
    check(ONE, "//- /a.py\nimport o$0s\nimport sys\nsys\n", "//- /a.py\nimport sys\nsys\n");
    check(
        ONE,
        "//- /a.py\nfrom b import x, $0y, z\nx, z\n",
        "//- /a.py\nfrom b import x, z\nx, z\n",
    );
    check(ONE, "//- /a.py\nfrom b import x, $0y\nx\n", "//- /a.py\nfrom b import x\nx\n");
    check(
        ONE,
        "//- /a.py\nfrom b import (\n    $0x,\n    y as z,\n)\nz\n",
        "//- /a.py\nfrom b import (\n    y as z,\n)\nz\n",
    );
    check(
        ALL,
        "//- /a.py\nimport o$0s, sys\nfrom b import (\n    x,\n    y,\n    z,\n)\nimport json\ny, sys\n",
        "//- /a.py\nimport sys\nfrom b import (\n    y,\n)\ny, sys\n",
    );
    check(ALL, "//- /a.py\nfrom b import x$0, y\nimport c\n1\n", "//- /a.py\n1\n");
    check(
        ONE,
        "//- /a.py\ndef f():\n    import o$0s\n\nf()\n",
        "//- /a.py\ndef f():\n    pass\n\nf()\n",
    );
}

#[test]
fn neighbouring_code_is_kept() {
    let refused = |text: &str| plan(text, ONE, &ActionOptions::default()).is_err();
    assert!(refused("//- /a.py\nimport o$0s; x = 1\n"));
    assert!(refused("//- /a.py\nfrom b import (\n    $0x,  # why\n    y,\n)\ny\n"));
    assert_eq!(offered("//- /a.py\nimport sys\nx = $01\nsys\n"), Vec::<String>::new());
}

#[test]
fn ecma_removes_one_or_all_unused_imports() {
    let rest = "//- /b.ts\nexport const x = 1, y = 2;\nexport default 3;\n";
    let case = |action: &str, before: &str, after: &str| {
        let whole =
            |text: &str, end: &str| format!("//- /a.ts\n{text}export const q = {end};\n{rest}");
        let (before, end) = before.split_once('|').unwrap();
        check(action, &whole(before, end), &whole(after, end));
    };
    case(ONE, "import { x, $0y } from './b';\n|x", "import { x } from './b';\n");
    case(ONE, "import { $0x, y } from './b';\n|y", "import { y } from './b';\n");
    case(ONE, "import d, { $0x } from './b';\n|d", "import d from './b';\n");
    case(ONE, "import $0d, { x } from './b';\n|x", "import { x } from './b';\n");
    case(ONE, "import * as n$0s from './b';\n|1", "");
    case(ALL, "import d, { x, y as $0z } from './b';\n|1", "");
    case(ALL, "import d, { x, y as $0z } from './b';\n|d", "import d from './b';\n");
}

#[test]
fn rust_go_and_java_remove_unused_imports() {
    let toml = "//- /Cargo.toml\n[package]\nname = \"one\"\n//- /src/lib.rs\npub mod a;\npub struct X;\npub struct Y;\n";
    check(
        ONE,
        &format!("{toml}//- /src/a.rs\nuse crate::{{$0X, Y}};\npub fn f() -> Y {{ Y }}\n"),
        &format!("{toml}//- /src/a.rs\nuse crate::{{Y}};\npub fn f() -> Y {{ Y }}\n"),
    );
    check(
        ALL,
        &format!("{toml}//- /src/a.rs\nuse crate::{{$0X, Y}};\npub fn f() {{}}\n"),
        &format!("{toml}//- /src/a.rs\npub fn f() {{}}\n"),
    );
    check(
        ONE,
        "//- /a.go\npackage a\n\nimport (\n\t\"f$0mt\"\n\t\"os\"\n)\n\nvar x = os.Args\n",
        "//- /a.go\npackage a\n\nimport (\n\t\"os\"\n)\n\nvar x = os.Args\n",
    );
    check(
        ONE,
        "//- /a.go\npackage a\n\nimport \"f$0mt\"\n\nvar x = 1\n",
        "//- /a.go\npackage a\n\n\nvar x = 1\n",
    );
    check(
        ONE,
        "//- /A.java\npackage a;\nimport java.util.Li$0st;\nimport java.util.Map;\nclass A { Map m; }\n",
        "//- /A.java\npackage a;\nimport java.util.Map;\nclass A { Map m; }\n",
    );
}

#[test]
fn unused_variables_without_effects_are_removed() {
    check(
        VARIABLE,
        "//- /a.py\ndef f(n):\n    unread$0 = [1, 'x']\n    return n\n",
        "//- /a.py\ndef f(n):\n    return n\n",
    );
    check(VARIABLE, "//- /a.py\ndef f(n):\n    un$0read = 1\n", "//- /a.py\ndef f(n):\n    pass\n");
    check(
        VARIABLE,
        "//- /a.ts\nexport function f() {\n  const un$0read = 1;\n  return 2;\n}\n",
        "//- /a.ts\nexport function f() {\n  return 2;\n}\n",
    );
    let refused = |text: &str| plan(text, VARIABLE, &ActionOptions::default()).is_err();
    assert!(refused("//- /a.py\ndef f(n):\n    un$0read = n()\n    return 1\n"));
    assert!(refused(
        "//- /a.ts\nexport function f() {\n  let un$0read = g(), b = 2;\n  return b;\n}\n"
    ));
}

#[test]
fn undefined_names_are_imported() {
    check(
        "add_import",
        "//- /a.py\nimport os\n\nprint(os, thi$0ng)\n//- /b.py\nthing = 1\n",
        "//- /a.py\nimport os\n\nfrom b import thing\n\nprint(os, thing)\n//- /b.py\nthing = 1\n",
    );
    check(
        "add_import",
        "//- /src/a.ts\nimport { xx } from './b';\nexport const z = xx + $0yy;\n//- /src/b.ts\nexport const xx = 1, yy = 2;\n",
        "//- /src/a.ts\nimport { xx, yy } from './b';\nexport const z = xx + yy;\n//- /src/b.ts\nexport const xx = 1, yy = 2;\n",
    );
}

#[test]
fn imports_are_sorted_within_groups() {
    let case = |before: &str, after: &str| check("organise_imports", before, after);
    case(
        "//- /a.py\n$0from sys import path\nimport json\nimport os\n\nfrom . import b\nfrom .. import c\nfrom x import Y\n\npath, json, b, c, Y\n",
        "//- /a.py\nimport json\nfrom sys import path\n\nfrom x import Y\nfrom .. import c\nfrom . import b\n\npath, json, b, c, Y\n",
    );
    case(
        "//- /a.ts\n$0import { z } from './z';\nimport { a } from 'pkg';\nimport './effect';\nimport { y } from 'y';\nimport { b } from 'b';\nexport const q = [z, a, y, b];\n",
        "//- /a.ts\nimport { a } from 'pkg';\nimport { z } from './z';\nimport './effect';\nimport { b } from 'b';\nimport { y } from 'y';\nexport const q = [z, a, y, b];\n",
    );
    case(
        "//- /a.go\npackage a\n\nimport (\n\t\"os\"\n\t\"fmt\" // prints\n\n\t\"b.c/d\"\n)\n\nvar x, y, z = os.Args, fmt.Print, d.E\n$0",
        "//- /a.go\npackage a\n\nimport (\n\t\"fmt\" // prints\n\t\"os\"\n\n\t\"b.c/d\"\n)\n\nvar x, y, z = os.Args, fmt.Print, d.E\n",
    );
    case(
        "//- /A.java\npackage a;\n\nimport java.util.Map;\nimport java.util.List;\n// kept\nimport java.io.File;\n$0class A { Map m; List l; File f; }\n",
        "//- /A.java\npackage a;\n\nimport java.util.List;\nimport java.util.Map;\n// kept\nimport java.io.File;\nclass A { Map m; List l; File f; }\n",
    );
    case(
        "//- /a.rs\n$0use std::io;\nuse std::fmt;\nuse crate::x;\npub use std::str;\nfn f() { io(fmt, x) }\n",
        "//- /a.rs\nuse crate::x;\nuse std::fmt;\nuse std::io;\npub use std::str;\nfn f() { io(fmt, x) }\n",
    );
    let order = "//- /a.py\nimport a\nimport b\n$0a, b\n";
    assert!(plan(order, "organise_imports", &ActionOptions::default()).is_err());
}

#[test]
fn names_within_an_import_are_sorted() {
    let case = |before: &str, after: &str| check("organise_imports", before, after);
    case(
        "//- /a.py\n$0from x import b10, b9 as q, Zed, A, CONST, a\n\nb10, q, Zed, A, CONST, a\n",
        "//- /a.py\nfrom x import CONST, A, Zed, a, b9 as q, b10\n\nb10, q, Zed, A, CONST, a\n",
    );
    case(
        "//- /a.py\n$0from x import (\n    b,\n    a,\n)\n\na, b\n",
        "//- /a.py\nfrom x import (\n    a,\n    b,\n)\n\na, b\n",
    );
    case(
        "//- /a.ts\n$0import { b, type a, C as d } from 'x';\nexport const q: a = [b, d];\n",
        "//- /a.ts\nimport { b, C as d, type a } from 'x';\nexport const q: a = [b, d];\n",
    );
    let toml = |edition: &str| {
        format!(
            "//- /Cargo.toml\n[package]\nname = \"one\"\nedition = \"{edition}\"\n//- /src/lib.rs\n"
        )
    };
    let before =
        "$0use x::{B, a, C::{z, self}, D10, D9, CD};\npub fn f() { g!(B a C z D10 D9 CD) }\n";
    case(
        &format!("{}{before}", toml("2021")),
        &format!(
            "{}use x::{{a, B, C::{{self, z}}, CD, D10, D9}};\npub fn f() {{ g!(B a C z D10 D9 CD) }}\n",
            toml("2021")
        ),
    );
    case(
        &format!("{}{before}", toml("2024")),
        &format!(
            "{}use x::{{B, C::{{self, z}}, CD, D9, D10, a}};\npub fn f() {{ g!(B a C z D10 D9 CD) }}\n",
            toml("2024")
        ),
    );
    let kept = "//- /a.py\n$0from x import b, a  # noqa\n\na, b\n";
    assert!(plan(kept, "organise_imports", &ActionOptions::default()).is_err());
}

#[test]
fn attributes_move_with_their_import() {
    let case = |before: &str, after: &str| check("organise_imports", before, after);
    case(
        "//- /a.rs\n//! About.\n\nuse b::B;\n#[cfg(x)]\n$0use a::A;\nfn f(_: A, _: B) {}\n",
        "//- /a.rs\n//! About.\n\n#[cfg(x)]\nuse a::A;\nuse b::B;\nfn f(_: A, _: B) {}\n",
    );
    case(
        "//- /a.ts\n/* Copyright */\nimport { b } from 'a';\n$0import * as c from 'a';\nexport const q = [b, c];\n",
        "//- /a.ts\n/* Copyright */\nimport * as c from 'a';\nimport { b } from 'a';\nexport const q = [b, c];\n",
    );
}

#[test]
fn organise_imports_is_offered_at_imports() {
    let text = "//- /a.py\nimport b\nimport a\n\na, b\nx = $01\n";
    assert_eq!(offered(text), Vec::<String>::new());
    let text = "//- /a.py\nimport b$0\nimport a\n\na, b\nx = 1\n";
    assert_eq!(offered(text), ["organise_imports"]);
}
