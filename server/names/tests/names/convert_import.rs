//! `convert_import`: other forms of an import and of its uses.

use crate::fixture::actions::{check, refused};

const PACKAGE: &str = "//- /a/__init__.py\n//- /a/b.py\nx = 1\n";

#[test]
fn python_converts_between_import_and_from_import() {
    let case = |form: &str, before: &str, after: &str| {
        let whole = |text: &str| format!("{PACKAGE}//- /m.py\n{text}");
        check(&format!("convert_import:{form}"), &whole(before), &whole(after));
    };
    case(
        "from",
        "imp$0ort a.b\n\nprint(a.b.x)\ndef f():\n    return a.b\n",
        "from a import b\n\nprint(b.x)\ndef f():\n    return b\n",
    );
    case(
        "module",
        "fr$0om a import b\n\nprint(b.x, f(b=1), q.b)\n",
        "import a.b\n\nprint(a.b.x, f(b=1), q.b)\n",
    );
    let no = |form: &str, text: &str, reason: &str| {
        refused(&format!("convert_import:{form}"), &format!("{PACKAGE}{text}"), reason);
    };
    no("from", "//- /m.py\nimp$0ort a.b\nprint(a.b, a)\n", "used");
    no("from", "//- /m.py\nimp$0ort a.b\nprint(a.b)\nb = 1\n", "conflict");
    no("from", "//- /m.py\nimp$0ort a.q\nprint(a.q)\n", "unknown");
    no("from", "//- /m.py\nimp$0ort a.b\nimport a.c\nprint(a.b)\n", "shape");
    no("module", "//- /m.py\nfr$0om a import b\ndef f(b): b\n", "unknown");
    no("module", "//- /m.py\nfr$0om a import b\n__all__ = ['b']\n", "unknown");
    no("module", "//- /m.py\nfr$0om a import b\na = b\n", "conflict");
    no("module", "//- /m.py\nfr$0om a import b\nb.x\n//- /n.py\nimport m\nm.b.x\n", "used");
    // A package's own definition shadows its submodule.
    refused(
        "convert_import:from",
        "//- /a/__init__.py\ndef b(): pass\n//- /a/b.py\n//- /m.py\nimp$0ort a.b\na.b\n",
        "unknown",
    );
}

#[test]
fn ecma_converts_between_namespace_and_named_imports() {
    let module = "//- /lib/some-mod.ts\nexport const x = 1;\nexport class Y {}\n";
    let case = |form: &str, before: &str, after: &str| {
        let whole = |text: &str| format!("{module}//- /a.ts\n{text}");
        check(&format!("convert_import:{form}"), &whole(before), &whole(after));
    };
    case(
        "named",
        "imp$0ort * as m from './lib/some-mod';\nexport const q: m.Y = [m.x, new m.Y()];\n",
        "import { x, Y } from './lib/some-mod';\nexport const q: Y = [x, new Y()];\n",
    );
    case(
        "namespace",
        "imp$0ort { x, Y as Z } from './lib/some-mod';\nexport const q: Z = [{ x }, new Z(), q.x];\n",
        "import * as someMod from './lib/some-mod';\nexport const q: someMod.Y = [{ x: someMod.x }, new someMod.Y(), q.x];\n",
    );
    let no = |form: &str, text: &str, reason: &str| {
        refused(&format!("convert_import:{form}"), &format!("{module}//- /a.ts\n{text}"), reason);
    };
    no("named", "imp$0ort * as m from './lib/some-mod';\nf(m, m.x);\n", "used");
    no("named", "imp$0ort * as m from './lib/some-mod';\nconst x = m.x;\n", "conflict");
    no("named", "imp$0ort * as m from './lib/some-mod';\nm.other;\n", "unknown");
    no("named", "imp$0ort * as m from 'elsewhere';\nm.x;\n", "unknown");
    no("namespace", "imp$0ort { x } from './lib/some-mod';\nexport { x };\n", "shape");
    no(
        "namespace",
        "imp$0ort { x, Y } from './lib/some-mod';\n/** @param {Y} y */\nfunction f(y) { x }\n",
        "unknown",
    );
    no("namespace", "imp$0ort { x } from './lib/some-mod';\nfunction f(x) { x }\n", "unknown");
}

#[test]
fn rust_merges_and_splits_imports() {
    check(
        "convert_import:split",
        "//- /a.rs\npub us$0e a::{self, b::{C, D as E}, f::*};\n",
        "//- /a.rs\npub use a::{self};\npub use a::b::C;\npub use a::b::D as E;\npub use a::f::*;\n",
    );
    check(
        "convert_import:merge",
        "//- /a.rs\nuse a::b::d;\nuse a::c;\nus$0e a::b::{c, e::f};\npub use a::b::g;\n",
        "//- /a.rs\nuse a::c;\nuse a::b::{c, d, e::f};\npub use a::b::g;\n",
    );
    refused("convert_import:merge", "//- /a.rs\nuse a::b::d;\nus$0e a::c;\n", "shape");
    refused("convert_import:merge", "//- /a.rs\n#[cfg(x)]\nuse a::b;\nus$0e a::c;\n", "shape");
    refused("convert_import:split", "//- /a.rs\n#[cfg(x)]\nus$0e a::{b, c};\n", "shape");
}
