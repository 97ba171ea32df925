//! Dependencies on disk: names lead into them, they can be read, and nothing writes there.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /app.py
from requests import fetch
fetch('x')
//- /app.ts
import { open } from 'typed';
open();
//- /.venv/pyvenv.cfg
home = /nowhere/bin
//- /.venv/lib/python3.11/site-packages/requests/__init__.py
from .api import fetch
//- /.venv/lib/python3.11/site-packages/requests/api.py
def fetch(url):
    '''Gets a page.'''
//- /node_modules/typed/package.json
{ \"name\": \"typed\", \"types\": \"index.d.ts\" }
//- /node_modules/typed/index.d.ts
export declare function open(): void;
//- /Cargo.toml
[package]
name = \"app\"
//- /Cargo.lock
[[package]]
name = \"dep\"
version = \"1.0.0\"
source = \"registry+https://x\"
//- /src/main.rs
fn main() { dep::run(); }
//- /go.mod
module example.com/app

require example.org/dep v1.0.0
//- /main.go
package main

import \"example.org/dep\"

func main() { dep.Run() }
//- /app.php
<?php
use Psr\\Log\\Logger;
class Check extends TestCase {}
(new Logger())->info(helper());
//- /vendor/composer/autoload_psr4.php
<?php
$vendorDir = dirname(__DIR__);
return array(
    'Psr\\\\Log\\\\' => array($vendorDir . '/psr/log/src'),
);
//- /vendor/composer/autoload_classmap.php
<?php
return array(
    'TestCase' => $vendorDir . '/unit/TestCase.php',
);
//- /vendor/composer/autoload_files.php
<?php
return array(
    '0e6d' => $vendorDir . '/helpers/functions.php',
);
//- /vendor/psr/log/src/Base.php
<?php
namespace Psr\\Log;
abstract class Base { public function info(string $text): void {} }
//- /vendor/psr/log/src/Logger.php
<?php
namespace Psr\\Log;
class Logger extends Base {}
//- /vendor/unit/TestCase.php
<?php
abstract class TestCase {}
//- /vendor/helpers/functions.php
<?php
if (!function_exists('helper')) {
    function helper(): string { return ''; }
}
";

/// In the user's home.
const CRATE: &str = ".cargo/registry/src/index/dep-1.0.0/src/lib.rs";
const MODULE: &str = "go/pkg/mod/example.org/dep@v1.0.0/dep.go";
const PARENT_MODULE: &str = "node_modules/above/index.js";

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn server() -> Server {
    Server::builder(FIXTURE)
        .prepare(|root| {
            let home = root.parent().unwrap();
            write(&home.join(CRATE), "/// Runs.\npub fn run() {}\n");
            write(&home.join(MODULE), "package dep\n\nfunc Run() {}\n");
            write(&home.join(PARENT_MODULE), "exports.x = 1;\n");
            write(&home.join("secret.txt"), "secret\n");
        })
        .start()
}

/// Where a name leads: the end of the URI, and the origin.
fn definitions(server: &Server, path: &str, line: usize, name: &str) -> Vec<(String, String)> {
    let place = json!({ "uri": path, "line": line, "name": name, "verbose": true });
    let found = server.must("lsp_definition", place);
    let above = format!("file://{}/", server.outside().display());
    let shown = |l: &Value| {
        let uri = l["uri"].as_str().unwrap().replace("%40", "@");
        (uri.strip_prefix(&above).unwrap().to_owned(), l["origin"].as_str().unwrap().to_owned())
    };
    found["locations"].as_array().unwrap().iter().map(shown).collect()
}

#[test]
fn names_resolve_into_dependencies_of_every_kind() {
    let server = server();
    let packages = "workspace/.venv/lib/python3.11/site-packages";
    for (path, line, name, to) in [
        ("app.py", 2, "fetch", format!("{packages}/requests/api.py")),
        ("app.ts", 2, "open", "workspace/node_modules/typed/index.d.ts".to_owned()),
        ("src/main.rs", 1, "run", CRATE.to_owned()),
        ("main.go", 5, "Run", MODULE.to_owned()),
        ("app.php", 2, "Logger", "workspace/vendor/psr/log/src/Logger.php".to_owned()),
        ("app.php", 3, "TestCase", "workspace/vendor/unit/TestCase.php".to_owned()),
        ("app.php", 4, "info", "workspace/vendor/psr/log/src/Base.php".to_owned()),
        ("app.php", 4, "helper", "workspace/vendor/helpers/functions.php".to_owned()),
    ] {
        assert_eq!(definitions(&server, path, line, name), [(to, "library".to_owned())], "{path}");
    }
}

#[test]
fn the_editor_receives_the_same() {
    let server = server();
    server.open_file("app.py");
    let place = json!({
        "textDocument": { "uri": server.uri("app.py") },
        "position": { "line": 1, "character": 2 },
    });
    let found = server.request("textDocument/definition", place.clone()).unwrap().to_string();
    assert!(found.contains("/requests/api.py"), "{found}");
    let hover = server.request("textDocument/hover", place).unwrap();
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(hover.contains("Gets a page."), "{hover}");
    assert!(hover.contains("in requests/api.py, a dependency"), "{hover}");
}

#[test]
fn dependencies_are_not_listed_as_symbols_and_not_renamed() {
    let server = server();
    assert_eq!(definitions(&server, "app.py", 2, "fetch").len(), 1);
    let symbols = server.must("lsp_workspace_symbols", json!({ "query": "fetch" }));
    assert_eq!(symbols["symbols"], json!([]));
    let asked = json!({ "uri": "app.py", "line": 2, "name": "fetch", "new_name": "get" });
    let error = server.must_fail("lsp_rename", asked, "E_UNSUPPORTED");
    assert!(error.message.contains("in a library, in requests/api.py"), "{}", error.message);
}

#[test]
fn dependencies_are_read_wherever_they_lie() {
    let server = server();
    let home = server.outside();
    for (path, text) in [(CRATE, "Runs."), (MODULE, "func Run"), (PARENT_MODULE, "exports.x")] {
        let path = home.join(path);
        let found = server.must("read_file", json!({ "path": path }));
        assert!(found["content"].as_str().unwrap().contains(text), "{found}");
        assert_eq!(found["path"], json!(path));
    }
    for path in ["secret.txt", ".cargo/config.toml", "go/pkg/secret", "node_modules/../secret.txt"]
    {
        server.must_fail("read_file", json!({ "path": home.join(path) }), "E_PATH_FORBIDDEN");
    }
}

#[test]
fn nothing_writes_into_dependencies() {
    let server = server();
    let home = server.outside();
    let mut files: Vec<_> = [CRATE, MODULE, PARENT_MODULE].iter().map(|p| home.join(p)).collect();
    files.push(server.path("node_modules/typed/index.d.ts"));
    files.push(server.path(".venv/lib/python3.11/site-packages/requests/api.py"));
    for file in &files {
        let before = std::fs::read(file).unwrap();
        let beside = file.with_file_name("new.txt");
        let line = String::from_utf8(before.clone()).unwrap().lines().next().unwrap().to_owned();
        for (tool, arguments) in [
            ("write_file", json!({ "path": file, "content": "x", "overwrite": true })),
            ("write_file", json!({ "path": beside, "content": "x" })),
            ("apply_edit", json!({ "path": file, "old_text": line, "new_text": "x" })),
            ("delete_file", json!({ "path": file })),
            ("move_file", json!({ "source": file, "destination": "taken.txt" })),
            ("move_file", json!({ "source": "app.ts", "destination": beside })),
            ("copy_file", json!({ "source": "app.ts", "destination": beside })),
            ("create_directory", json!({ "path": file.with_file_name("folder") })),
        ] {
            server.must_fail(tool, arguments, "E_PATH_FORBIDDEN");
        }
        assert_eq!(std::fs::read(file).unwrap(), before);
        assert!(!beside.exists() && !file.with_file_name("folder").exists());
    }
    assert!(server.path("app.ts").exists() && !server.path("taken.txt").exists());
}

/// A folder of a dependency and a link out change places while it is read and written to.
#[test]
fn a_race_does_not_escape_the_workspace() {
    let server = server();
    let home = server.outside();
    let folder = home.join(".cargo/registry/src/index/dep-1.0.0");
    write(&home.join("elsewhere/src/lib.rs"), "secret\n");
    symlink(home.join("elsewhere"), folder.with_file_name("aside")).unwrap();
    let (real, aside) = (folder.clone(), folder.with_file_name("aside"));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            while !is_over.load(Ordering::Relaxed) {
                renameat_with(CWD, &real, CWD, &aside, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let until = Instant::now() + Duration::from_millis(500);
        let file = home.join(CRATE);
        while Instant::now() < until {
            if let Ok(found) = server.tool("read_file", json!({ "path": file })) {
                assert_eq!(found["content"], "/// Runs.\npub fn run() {}\n");
            }
            let written = json!({ "path": file, "content": "x", "overwrite": true });
            server.must_fail("write_file", written, "E_PATH_FORBIDDEN");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let secret = std::fs::read(home.join("elsewhere/src/lib.rs")).unwrap();
    assert_eq!(secret, b"secret\n");
}

#[test]
fn declarations_of_a_dependency_do_not_hide_known_types() {
    let server = Server::start(
        "
//- /app.py
import typing as t
from model import Box
def f(box: t.Optional[Box]):
    return box.width
//- /model.py
class Box:
    width = 1
//- /.venv/pyvenv.cfg
home = /nowhere/bin
//- /.venv/lib/python3.11/site-packages/typing.py
def Optional(parameters):
    pass
",
    );
    assert_eq!(
        definitions(&server, "app.py", 4, "width"),
        [("workspace/model.py".into(), "typed_member".into())]
    );
}
