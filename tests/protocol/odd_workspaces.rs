//! Names in workspaces with something odd in them: what is right beside it stays right.

use std::path::Path;
use std::time::Duration;

use client::Client;
use serde_json::json;
use tests::{RESPONSE_TIMEOUT, Server};

const FIXTURE: &str = "
//- /src/shapes.ts
export function area(r: number) { return r; }
//              ^^^^ definition
//- /src/main.ts
import { area } from './shapes';
ar$0ea(1);
";

fn check(prepare: impl FnOnce(&Path)) {
    let server = Server::builder(FIXTURE).prepare(prepare).start();
    server.open_cursor();
    server.check_definition();
    // Once more, when everything is indexed.
    let found = server.request("workspace/symbol", json!({ "query": "area" })).unwrap();
    assert!(found.as_array().is_some_and(|found| !found.is_empty()), "{found}");
    server.check_definition();
}

#[test]
fn cyclic_links() {
    check(|root| {
        let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, root.join(at)).unwrap();
        link(".", "src/self");
        link("..", "src/up");
        link("one", "two");
        link("two", "one");
        link("shapes.ts", "src/forms.ts");
        link("loop.ts", "src/loop.ts");
        link("/proc/self/root", "everything");
    });
}

#[test]
fn a_huge_generated_file() {
    check(|root| {
        let line = "export const area = { \"generated\": [1, 2, 3] };\n";
        std::fs::write(root.join("src/generated.ts"), line.repeat(200_000)).unwrap();
        // One line, and one level for each bracket.
        let deep = format!("x = {}{}\n", "[".repeat(300_000), "]".repeat(300_000));
        std::fs::write(root.join("src/deep.py"), deep).unwrap();
        std::fs::File::create(root.join("src/holes.js")).unwrap().set_len(1 << 40).unwrap();
    });
}

#[test]
fn broken_project_files() {
    check(|root| {
        let write = |name: &str, text: &[u8]| std::fs::write(root.join(name), text).unwrap();
        write("package.json", b"{ \"name\": [,");
        write("src/package.json", b"\xff\xfe\0\0");
        write("tsconfig.json", br#"{ "extends": "./tsconfig.json", "compilerOptions": 7 }"#);
        write("src/tsconfig.json", br#"{ "extends": "../tsconfig.json", "references": [{}] }"#);
        write("Cargo.toml", b"[package\nname = 1\n[[[");
        write("go.mod", b"module \nreplace => =>\n");
        write("compile_commands.json", &b"[{".repeat(10_000));
        std::fs::create_dir(root.join("jsconfig.json")).unwrap();
    });
}

#[test]
fn two_servers_see_each_others_changes() {
    let setup = Server::builder(FIXTURE);
    let (root, mut command) = (setup.home().root(), setup.home().command());
    let first = setup.start();
    first.open_cursor();
    first.check_definition();
    let mut second = Client::spawn(command.arg("lsp")).unwrap();
    second.set_timeout(RESPONSE_TIMEOUT);
    second.initialize(&root, json!({})).unwrap();
    let write = |name: &str, text: &str| {
        let call = json!({ "command": "tandem.write_file",
            "arguments": [{ "path": name, "content": text }] });
        second.request("workspace/executeCommand", call).unwrap();
    };
    let symbols = |name: &str| {
        let found = first.request("workspace/symbol", json!({ "query": name })).unwrap();
        found.as_array().map_or(0, Vec::len)
    };
    assert_eq!(symbols("perimeter"), 0);
    write("src/more.ts", "export function perimeter(r: number) { return r; }\n");
    let started = std::time::Instant::now();
    while symbols("perimeter") != 1 {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "what the other server wrote is not seen");
        std::thread::sleep(Duration::from_millis(10));
    }
    first.check_definition();
}
