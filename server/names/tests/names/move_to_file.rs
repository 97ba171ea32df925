//! `move_to_file`: moving definitions to files of their own.

use crate::fixture::actions::{
    ActionOptions, check, check_with_options, plan, refused, refused_without_texts,
};

const MOVE: &str = "move_to_file";

#[test]
fn python_moves_imports_and_updates_users() {
    check(
        MOVE,
        "//- /p/__init__.py\n//- /p/a.py\n\"\"\"Doc.\"\"\"\nimport os\nimport sys\nfrom typing import Any, List\n\nX = 1\n\n\n# What it is.\ndef $0helpMe(p: Any):\n    return os.path.join(p)\n\n\ndef g(x: List):\n    return sys.argv\n//- /p/b.py\nfrom .a import helpMe, g\n\nhelpMe(1), g(2)\n//- /c.py\nfrom p.a import helpMe as h\nh(1)\n",
        "//- /p/__init__.py\n//- /p/a.py\n\"\"\"Doc.\"\"\"\nimport sys\nfrom typing import List\n\nX = 1\n\n\ndef g(x: List):\n    return sys.argv\n//- /p/b.py\nfrom .help_me import helpMe\nfrom .a import g\n\nhelpMe(1), g(2)\n//- /c.py\nfrom p.help_me import helpMe as h\nh(1)\n//- /p/help_me.py\nimport os\nfrom typing import Any\n\n\n# What it is.\ndef helpMe(p: Any):\n    return os.path.join(p)\n",
    );
}

#[test]
fn python_reimports_moved_code_that_is_still_used() {
    check(
        MOVE,
        "//- /a.py\nclass $0Shape:\n    pass\n\n\ndef f() -> Shape:\n    return Shape()\n//- /b.py\nimport a\na.Shape()\n",
        "//- /a.py\nfrom shape import Shape\n\n\ndef f() -> Shape:\n    return Shape()\n//- /b.py\nimport a\na.Shape()\n//- /shape.py\nclass Shape:\n    pass\n",
    );
    let options = ActionOptions { to: Some("other.py"), ..ActionOptions::default() };
    check_with_options(
        MOVE,
        "//- /a.py\ndef k():\n    return 1\n\n\ndef $0f():\n    return k()\n//- /b.py\nfrom a import f\nf()\n",
        "//- /a.py\ndef k():\n    return 1\n//- /b.py\nfrom other import f\nf()\n//- /other.py\nfrom a import k\n\n\ndef f():\n    return k()\n",
        &options,
    );
}

#[test]
fn python_keeps_linter_comments_and_type_checking_guards() {
    check(
        MOVE,
        "//- /a.py\nimport typing as t\nfrom _x import y  # type: ignore\nfrom k import (  # noqa: F401\n    m,\n    n,  # plain\n)\n\nif t.TYPE_CHECKING:\n    from z import Z  # noqa\n    from z import Y\n\n\ndef $0f(p: \"Z\"):\n    return y(m, p)\n\n\ndef g(p: \"Y\"):\n    return n\n",
        "//- /a.py\nimport typing as t\nfrom k import (  # noqa: F401\n    n,  # plain\n)\n\nif t.TYPE_CHECKING:\n    from z import Y\n\n\ndef g(p: \"Y\"):\n    return n\n//- /f.py\nimport typing as t\nfrom _x import y  # type: ignore\nfrom k import m  # noqa: F401\n\nif t.TYPE_CHECKING:\n    from z import Z  # noqa\n\n\ndef f(p: \"Z\"):\n    return y(m, p)\n",
    );
}

#[test]
fn python_code_tied_to_its_module_is_refused() {
    refused(MOVE, "//- /a.py\ndef _k(): pass\ndef $0f():\n    return _k()\n", "scope");
    refused(MOVE, "//- /a.py\ndef $0f():\n    return __name__\n", "scope");
    refused(MOVE, "//- /a.py\ndef k(): pass\ndef $0f():\n    return k()\nf()\n", "order");
    refused(MOVE, "//- /a.py\n@app.route\ndef $0f():\n    return 1\n", "order");
    refused(MOVE, "//- /a.py\n$0X = g()\n", "order");
    refused(MOVE, "//- /a.py\n$0X, Y = 1, 2\n", "nothing");
    refused(MOVE, "//- /a.py\nX = 1\ndef $0f():\n    global X\n    X = 2\n", "assigned");
    refused(MOVE, "//- /a.py\ndef $0f(): pass\n//- /f.py\n", "conflict");
    refused(MOVE, "//- /a.py\ndef $0f(): pass\ndef f(): pass\n", "shape");
    refused(MOVE, "//- /a.py\nfrom b import *\ndef $0f():\n    return q\n//- /b.py\n", "unknown");
    refused(
        MOVE,
        "//- /a.py\ntry:\n    import q\nexcept ImportError:\n    q = None\ndef $0f():\n    return q\n",
        "assigned",
    );
    refused(MOVE, "//- /a.py\nif x:\n    import q\ndef $0f():\n    return q\n", "conditional");
}

#[test]
fn typescript_moves_imports_and_updates_users() {
    check(
        MOVE,
        "//- /s/a-b.ts\nimport { x, y } from './x';\nimport type { T } from './x';\n\n/** Doc. */\nexport function $0fooBar(t: T) {\n  return x(t);\n}\n\nexport const z = y;\n//- /s/x.ts\nexport function x(a: any) {}\nexport const y = 1;\nexport type T = string;\n//- /u.ts\nimport { fooBar, z } from './s/a-b';\nfooBar('a' + z);\n//- /v.ts\nimport { fooBar } from './s/a-b';\nfooBar('a');\n",
        "//- /s/a-b.ts\nimport { y } from './x';\n\nexport const z = y;\n//- /s/x.ts\nexport function x(a: any) {}\nexport const y = 1;\nexport type T = string;\n//- /u.ts\nimport { fooBar } from './s/foo-bar';\nimport { z } from './s/a-b';\nfooBar('a' + z);\n//- /v.ts\nimport { fooBar } from './s/foo-bar';\nfooBar('a');\n//- /s/foo-bar.ts\nimport { x } from './x';\nimport type { T } from './x';\n\n/** Doc. */\nexport function fooBar(t: T) {\n  return x(t);\n}\n",
    );
}

#[test]
fn typescript_reexports_moved_definitions() {
    check(
        MOVE,
        "//- /a.ts\nimport { q } from './q';\n\nfunction $0foo() {\n  return 1;\n}\n\nexport const z = foo() + q;\n//- /q.ts\nexport const q = 1;\n",
        "//- /a.ts\nimport { q } from './q';\nimport { foo } from './foo';\n\nexport const z = foo() + q;\n//- /q.ts\nexport const q = 1;\n//- /foo.ts\nexport function foo() {\n  return 1;\n}\n",
    );
    check(
        MOVE,
        "//- /a.ts\nexport interface $0Foo {\n  a: Bar;\n}\n\nexport type Bar = string;\n//- /index.ts\nexport * from './a';\n",
        "//- /a.ts\nexport type { Foo } from \"./foo\";\n\nexport type Bar = string;\n//- /index.ts\nexport * from './a';\n//- /foo.ts\nimport type { Bar } from \"./a\";\n\nexport interface Foo {\n  a: Bar;\n}\n",
    );
}

#[test]
fn typescript_definitions_tied_to_their_module_are_refused() {
    refused(MOVE, "//- /a.ts\nconst k = 1;\nexport function $0f() { return k; }\n", "scope");
    refused(MOVE, "//- /a.ts\nexport const $0f = g();\n", "order");
    refused(MOVE, "//- /a.ts\nexport let $0f = 1;\n", "assigned");
    refused(MOVE, "//- /a.ts\nfunction $0f() {}\n", "shape");
    refused(
        MOVE,
        "//- /a.ts\nexport function k() {}\nexport function $0f() { return k(); }\nf();\n",
        "order",
    );
    refused(
        MOVE,
        "//- /a.ts\nexport function $0f() {}\n//- /b.ts\nconst { f } = await import('./a');\n",
        "used",
    );
}

#[test]
fn go_moves_within_the_package() {
    check(
        MOVE,
        "//- /go.mod\nmodule m\n//- /p/a.go\npackage p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n// ReadFile reads.\nfunc $0ReadFile(x int) string {\n\treturn fmt.Sprint(x, k())\n}\n\nfunc k() int { return len(os.Args) }\n//- /q/b.go\npackage q\n\nimport \"m/p\"\n\nvar _ = p.ReadFile(1)\n",
        "//- /go.mod\nmodule m\n//- /p/a.go\npackage p\n\nimport (\n\t\"os\"\n)\n\nfunc k() int { return len(os.Args) }\n//- /q/b.go\npackage q\n\nimport \"m/p\"\n\nvar _ = p.ReadFile(1)\n//- /p/read_file.go\npackage p\n\nimport \"fmt\"\n\n// ReadFile reads.\nfunc ReadFile(x int) string {\n\treturn fmt.Sprint(x, k())\n}\n",
    );
    // An import that is named by the last component of its path is removed, too.
    check(
        MOVE,
        "//- /p/a.go\npackage p\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc $0F(r http.Request) {}\n\nvar X = os.Args\n",
        "//- /p/a.go\npackage p\n\nimport (\n\t\"os\"\n)\n\nvar X = os.Args\n//- /p/f.go\npackage p\n\nimport \"net/http\"\n\nfunc F(r http.Request) {}\n",
    );
    check(
        MOVE,
        "//- /p/a.go\npackage p\n\nimport (\n\t\"net/http\"\n)\n\nfunc $0F(r http.Request) {}\n\nvar X = 1\n",
        "//- /p/a.go\npackage p\n\n\nvar X = 1\n//- /p/f.go\npackage p\n\nimport \"net/http\"\n\nfunc F(r http.Request) {}\n",
    );
    // Comments, strings and other names of the same spelling do not use an import.
    check(
        MOVE,
        "//- /p/a.go\npackage p\n\nimport \"fmt\"\n\nfunc $0F() { fmt.Print() }\n\n// fmt\nfunc g(fmt int) string { return \"fmt\" }\n",
        "//- /p/a.go\npackage p\n\n\n// fmt\nfunc g(fmt int) string { return \"fmt\" }\n//- /p/f.go\npackage p\n\nimport \"fmt\"\n\nfunc F() { fmt.Print() }\n",
    );
    refused(MOVE, "//- /p/a.go\npackage p\n\nvar _ = $01\n", "nothing");
    refused(MOVE, "//- /p/a.go\npackage p\n\nfunc $0init() {}\n", "shape");
    refused(
        MOVE,
        "//- /p/a.go\npackage p\n\nvar $0x = f()\n\nfunc f() int { return 1 }\n",
        "order",
    );
    refused(MOVE, "//- /p/a_linux.go\npackage p\n\nfunc $0f() {}\n", "shape");
}

#[test]
fn java_types_move_to_their_own_file() {
    check(
        MOVE,
        "//- /p/A.java\npackage p;\n\nimport java.util.List;\nimport java.io.*;\n\npublic class A {\n  B b;\n}\n\n/** Doc. */\nclass $0B {\n  List<A> a;\n}\n",
        "//- /p/A.java\npackage p;\n\nimport java.io.*;\n\npublic class A {\n  B b;\n}\n//- /p/B.java\npackage p;\n\nimport java.util.List;\nimport java.io.*;\n\n/** Doc. */\nclass B {\n  List<A> a;\n}\n",
    );
    refused(MOVE, "//- /p/A.java\npackage p;\nclass $0A { }\n", "conflict");
}

#[test]
fn rust_items_move_to_a_child_module() {
    check(
        MOVE,
        "//- /Cargo.toml\n[package]\nname = \"one\"\n//- /src/lib.rs\npub mod a;\npub fn f() { a::go(1); }\n//- /src/a.rs\n//! Doc.\nuse std::fmt::{self, Debug};\n\n/// Goes.\npub fn $0go(x: impl Debug) -> String {\n    help();\n    format!(\"{x:?}\")\n}\n\nfn help() {}\npub fn w(f: fmt::Error) {}\n",
        "//- /Cargo.toml\n[package]\nname = \"one\"\n//- /src/lib.rs\npub mod a;\npub fn f() { a::go(1); }\n//- /src/a.rs\n//! Doc.\nuse std::fmt::{self, Debug};\nmod go;\npub use go::go;\n\nfn help() {}\npub fn w(f: fmt::Error) {}\n//- /src/a/go.rs\nuse std::fmt::Debug;\nuse super::help;\n\n/// Goes.\npub fn go(x: impl Debug) -> String {\n    help();\n    format!(\"{x:?}\")\n}\n",
    );
    // A trait whose methods are called is imported; another one is not.
    check(
        MOVE,
        "//- /Cargo.toml\n[package]\nname = \"one\"\n//- /src/lib.rs\nmod t;\nuse t::Other;\nuse t::Fold;\n\n/// As [`Fold`] has it.\npub fn $0go(x: u8) {\n    x.fold1();\n}\n\npub fn w<T: Fold + Other>(_: T) {}\n//- /src/t.rs\npub trait Fold { fn fold1(&self) {} }\npub trait Other { fn other(&self) {} }\nimpl Fold for u8 {}\n",
        "//- /Cargo.toml\n[package]\nname = \"one\"\n//- /src/lib.rs\nmod t;\nuse t::Other;\nuse t::Fold;\nmod go;\npub use go::go;\n\npub fn w<T: Fold + Other>(_: T) {}\n//- /src/t.rs\npub trait Fold { fn fold1(&self) {} }\npub trait Other { fn other(&self) {} }\nimpl Fold for u8 {}\n//- /src/go.rs\nuse super::t::Fold;\n\n/// As [`Fold`] has it.\npub fn go(x: u8) {\n    x.fold1();\n}\n",
    );
    check(
        MOVE,
        "//- /src/lib.rs\nfn g() {}\n\n/// Doc.\n#[cold] // seldom\n#[inline(never)]\nfn $0f() {}\n",
        "//- /src/lib.rs\nmod f;\n\nfn g() {}\n//- /src/f.rs\n/// Doc.\n#[cold] // seldom\n#[inline(never)]\npub(super) fn f() {}\n",
    );
    refused(MOVE, "//- /src/lib.rs\nfn $0f() { super::g() }\n", "scope");
    refused(MOVE, "//- /src/lib.rs\npub struct $0S { x: u8 }\n", "scope");
    refused(MOVE, "//- /src/lib.rs\n#[test]\nfn $0f() {}\n", "shape");
}

#[test]
fn c_is_refused() {
    refused(MOVE, "//- /a.c\nint $0f(void) { return 1; }\n", "shape");
    let found = plan("//- /a.py\ndef f():\n    $0pass\n", MOVE, &ActionOptions::default());
    assert!(found.is_err());
}

/// Member uses in other files are found by text. The file itself is checked first.
#[test]
fn python_code_needed_by_its_module_is_refused() {
    // It is used here and needs `K` of this file: other files are not read.
    let unread = "//- /a.py\nK = 1\ndef $0f():\n    return K\nf()\n//- /b.py\nimport a\na.f()\n";
    refused_without_texts(MOVE, unread, "order");
    // It is used only as a member, elsewhere.
    refused(
        MOVE,
        "//- /a.py\nK = 1\ndef $0f():\n    return K\n//- /b.py\nimport a\na.f()\n",
        "order",
    );
}

#[test]
fn python_requires_only_abstract_members() {
    let files = "//- /a.py\nclass A:\n    def f(self): ...\n//- /b.py\nfrom a import A\nclass B$0(A):\n    x = 1\n";
    refused("implement_members", files, "nothing");
    check(
        "implement_members",
        "//- /a.py\nfrom abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def f(self): ...\nclass M(A):\n    pass\n//- /b.py\nfrom a import M\nclass B$0(M):\n    x = 1\n",
        "//- /a.py\nfrom abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def f(self): ...\nclass M(A):\n    pass\n//- /b.py\nfrom a import M\nclass B(M):\n    x = 1\n\n    def f(self):\n        raise NotImplementedError\n",
    );
}
