//! Queries right after the start, while the workspace is still being indexed.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tests::Server;

const FILES: usize = 2_000;

/// Modules that nothing leads to, long enough that reading them all takes a while.
fn write_others(root: &Path, ending: &str, text: impl Fn(usize, usize) -> String) {
    for n in 0..FILES {
        let folder = root.join(format!("other/d{}", n % 40));
        std::fs::create_dir_all(&folder).unwrap();
        let mut all = String::new();
        for k in 0..120 {
            write!(all, "{}", text(n, k)).unwrap();
        }
        std::fs::write(folder.join(format!("m{n}.{ending}")), all).unwrap();
    }
}

/// Asks at once, and checks the answer and that it came before everything was read.
fn check(fixture: &str, ending: &str, text: impl Fn(usize, usize) -> String) {
    let setup = Server::builder(fixture).capability("window/workDoneProgress", json!(true));
    let server = setup.prepare(|root| write_others(root, ending, text)).start();
    server.open_cursor();
    server.check_definition();
    assert_early(&server, "definition");
}

/// That not everything has been read, which takes long.
fn assert_early(server: &Server, what: &str) {
    // The end is reported by another thread than the one that answers.
    std::thread::sleep(Duration::from_millis(100));
    let is_end = |message: &Value| message["params"]["value"]["kind"] == "end";
    assert!(!server.take_unread().iter().any(is_end), "{what} came after everything was read");
}

#[test]
fn a_member_of_a_base_behind_imports() {
    let fixture = "
//- /shapes/__init__.py
from .round import *
//- /shapes/round.py
from .base import Base
class Circle(Base):
    pass
def make() -> Circle:
    return Circle()
//- /shapes/base.py
class Base:
    def area(self):
#       ^^^^ definition
        return 1
//- /main.py
from shapes import make
c = make()
c.ar$0ea()
";
    let text = |n, k| format!("def f{n}_{k}(a, b):\n    return f{n}_{k}(a + b, [a for a in b])\n");
    check(fixture, "py", text);
}

#[test]
fn a_function_behind_re_exports() {
    let fixture = "
//- /src/index.ts
export * from './shapes';
//- /src/shapes/index.ts
export { area as surface } from './round.js';
//- /src/shapes/round.ts
export function area(r: number) { return r; }
//              ^^^^ definition
//- /main.ts
import { surface } from './src';
sur$0face(1);
";
    let text =
        |n, k| format!("export function f{n}_{k}(a: number) {{ return f{n}_{k}(a + 1); }}\n");
    check(fixture, "ts", text);
}

#[test]
fn a_class_of_another_package() {
    let fixture = "
//- /src/a/shapes/Base.java
package a.shapes;
public class Base {
    public int area() { return 1; }
//             ^^^^ definition
}
//- /src/a/shapes/Circle.java
package a.shapes;
public class Circle extends Base {}
//- /src/a/Main.java
package a;
import a.shapes.Circle;
class Main {
    int main(Circle c) { return c.ar$0ea(); }
}
";
    let text = |n: usize, k: usize| match k {
        0 => format!("package other.d{};\nclass M{n} {{\n", n % 40),
        119 => "}\n".to_owned(),
        _ => format!("    int f{k}(int a) {{ return this.f{k}(a + {n}); }}\n"),
    };
    check(fixture, "java", text);
}

#[test]
fn a_unique_function_of_c() {
    let fixture = "
//- /include/shapes.h
int area(int r);
//- /src/shapes.c
#include \"../include/shapes.h\"
int area(int r) { return r; }
//  ^^^^ definition
//- /src/main.c
#include \"../include/shapes.h\"
int main(void) { return ar$0ea(1); }
";
    let text = |n, k| format!("static int f{n}_{k}(int a) {{ return a + {k}; }}\n");
    check(fixture, "c", text);
}

#[test]
fn queries_at_a_position_do_not_wait_for_indexing() {
    let fixture = "
//- /shapes/__init__.py
from .base import Base
//- /shapes/base.py
class Base:
    def area(self) -> int:
        return 1
def make() -> Base:
    return Base()
//- /main.py
from shapes.base import make
thing$0 = make()
";
    let other = |n, k| format!("def f{n}_{k}(a, b):\n    return f{n}_{k}(a + b, [a for a in b])\n");
    let asked = [
        ("textDocument/hover", "make", "def make() -> Base"),
        ("textDocument/declaration", "make", "base.py"),
        ("textDocument/typeDefinition", "thing", "base.py"),
        ("textDocument/prepareRename", "make", "make"),
        ("textDocument/implementation", "make", "base.py"),
    ];
    for (method, name, expected) in asked {
        let setup = Server::builder(fixture).capability("window/workDoneProgress", json!(true));
        let server = setup.prepare(|root| write_others(root, "py", other)).start();
        server.open_cursor();
        let text = server.disk_text("main.py");
        let answer = server.request_at(method, "main.py", text.rfind(name).unwrap(), &text);
        assert!(answer.to_string().contains(expected), "{method}: {answer}");
        assert_early(&server, method);
    }
}

#[test]
fn tools_find_symbols_and_their_uses_before_everything_is_read() {
    let fixture = "
//- /shapes/base.py
class Base:
    def area(self) -> int:
        return 1
//- /shapes/round.py
from .base import Base
def surface(base: Base) -> int:
    return base.area()
";
    let other = |n, k| format!("def f{n}_{k}(a, b):\n    return f{n}_{k}(a + b, [a for a in b])\n");
    let base = "shapes/base.py";
    let calls = [
        ("find_symbol", json!({ "name_path": "Base/area" }), base),
        ("find_symbol", json!({ "name_path": "are", "substring_matching": true }), base),
        ("find_referencing_symbols", json!({ "name_path": "Base/area", "path": base }), "surface"),
        ("lsp_references", json!({ "path": base, "line": 2, "name": "area" }), "round.py"),
    ];
    for (tool, parameters, expected) in calls {
        let setup = Server::builder(fixture).capability("window/workDoneProgress", json!(true));
        let server = setup.prepare(|root| write_others(root, "py", other)).start();
        let answer = server.tool(tool, parameters).unwrap();
        assert!(answer.to_string().contains(expected), "{tool}: {answer}");
        assert_eq!(answer["reading"], Value::Null, "{tool}: the answer is whole: {answer}");
        assert_early(&server, tool);
    }
}
