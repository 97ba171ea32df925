//! Tests definitions in dependencies, with trees laid out as each tool creates them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Environment, Libraries};
use crate::{Change, FileError, Headless, Root, Workspace};

/// A temporary folder with a project, a home and a system.
struct Tree(tempfile::TempDir);

impl Tree {
    /// A line `//- path` begins a file.
    fn new(files: &str) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for file in files.split("//- ").skip(1) {
            let (path, text) = file.split_once('\n').unwrap();
            tree.write(path.trim(), text);
        }
        tree
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn open(&self) -> Workspace {
        self.open_in("project")
    }

    fn open_in(&self, project: &str) -> Workspace {
        let root = Arc::new(Root::open(&self.at(project)).unwrap());
        let workspace = Workspace::with_index_cache(None, vec![]);
        workspace.set_roots(vec![root.clone()]);
        let (home, bin, go) = (self.at("home"), self.at("system/bin"), self.at("system/go"));
        let environment = [("HOME", &*home), ("PATH", &*bin), ("GOROOT", &*go)];
        let environment = Environment::from_variables(environment);
        workspace.indexer().set_libraries(Libraries::find(&[&root], &environment));
        workspace.snapshot().index_on_demand();
        workspace
    }

    /// The definitions of the last occurrence of `name`: `path:line origin`.
    fn definitions_of(&self, file: &str, name: &str) -> Vec<String> {
        self.definitions_in(&self.open(), file, name)
    }

    fn definitions_in(&self, workspace: &Workspace, file: &str, name: &str) -> Vec<String> {
        let snapshot = workspace.snapshot();
        let never = AtomicBool::new(false);
        let document = snapshot.document_or_file(self.at(file).to_str().unwrap()).unwrap();
        let offset = document.text().to_string().rfind(name).unwrap();
        let found = snapshot.definition(&document, offset, &never).unwrap();
        let above = format!("file://{}/", self.at("").to_str().unwrap().trim_end_matches('/'));
        let shown = |l: &crate::Location| {
            let path = l.uri.strip_prefix(&above).unwrap_or(&l.uri);
            let path = path.replace("%40", "@").replace("%21", "!");
            format!("{path}:{} {}", l.text.line_of(l.name_span.start) + 1, l.origin.as_str())
        };
        found.iter().map(shown).collect()
    }
}

const PYTHON: &str = r#"
//- project/app.py
import os
import requests
from requests import Session
os.getcwd()
requests.fetch('x')
Session().close()
//- project/.venv/pyvenv.cfg
home = HOME
version = 3.11.2
//- project/.venv/lib/python3.11/site-packages/requests/__init__.py
from .api import fetch
from .sessions import Session
//- project/.venv/lib/python3.11/site-packages/requests/api.py
def fetch(url):
    pass
//- project/.venv/lib/python3.11/site-packages/requests/sessions.py
class Session:
    def close(self):
        pass
//- system/bin/python3
//- system/lib/python3.11/os.py
def getcwd():
    pass
"#;

#[test]
fn python_resolves_into_a_virtual_environment_and_the_standard_library() {
    let tree = Tree::new(PYTHON);
    let packages = "project/.venv/lib/python3.11/site-packages/requests";
    assert_eq!(
        tree.definitions_of("project/app.py", "fetch"),
        [format!("{packages}/api.py:1 library")]
    );
    assert_eq!(
        tree.definitions_of("project/app.py", "close"),
        [format!("{packages}/sessions.py:2 library")]
    );
    assert_eq!(
        tree.definitions_of("project/app.py", "getcwd"),
        ["system/lib/python3.11/os.py:1 library"]
    );
}

#[test]
fn a_link_out_of_the_project_is_not_an_environment() {
    let tree = Tree::new(PYTHON);
    fs::rename(tree.at("project/.venv"), tree.at("elsewhere")).unwrap();
    symlink("../elsewhere", tree.at("project/.venv")).unwrap();
    let found = tree.definitions_of("project/app.py", "fetch");
    assert!(found.iter().all(|f| !f.contains("library")), "{found:?}");
}

#[test]
fn an_environment_cannot_name_an_arbitrary_folder_as_its_home() {
    let tree = Tree::new(PYTHON);
    tree.write("secret/lib/python3.11/os.py", "def getcwd(): pass\n");
    tree.write("secret/lib/python3.11/secret.py", "");
    let cfg = format!("home = {}\n", tree.at("secret/bin").display());
    tree.write("project/.venv/pyvenv.cfg", &cfg);
    assert_eq!(
        tree.definitions_of("project/app.py", "getcwd"),
        ["system/lib/python3.11/os.py:1 library"]
    );
    let snapshot = tree.open().snapshot();
    let secret = tree.at("secret/lib/python3.11/secret.py");
    assert!(snapshot.locate_to_read(secret.to_str().unwrap()).is_err());
}

const NODE: &str = r#"
//- project/src/app.ts
import { open } from 'typed';
import { shut } from '@scope/split/deep';
import { plain } from 'bare';
open();
shut();
plain();
//- project/node_modules/typed/package.json
{"name": "typed", "exports": {".": {"types": "./lib/index.d.ts", "default": "./lib/index.js"}}}
//- project/node_modules/typed/lib/index.d.ts
export { open } from './open';
//- project/node_modules/typed/lib/open.d.ts
export declare function open(): void;
//- project/node_modules/@scope/split/package.json
{"name": "@scope/split", "exports": {"./deep": {"import": "./x/deep.mjs"}}}
//- project/node_modules/@scope/split/x/deep.mjs
export function shut() {}
//- node_modules/bare/package.json
{"name": "bare", "main": "main.js"}
//- node_modules/bare/main.js
exports.plain = function () {};
//- node_modules/@types/bare/package.json
{"name": "@types/bare", "types": "index.d.ts"}
//- node_modules/@types/bare/index.d.ts
export function plain(): void;
"#;

#[test]
fn node_resolves_exports_types_and_main() {
    let tree = Tree::new(NODE);
    let at = |name| tree.definitions_of("project/src/app.ts", name);
    assert_eq!(at("open"), ["project/node_modules/typed/lib/open.d.ts:1 library"]);
    assert_eq!(at("shut"), ["project/node_modules/@scope/split/x/deep.mjs:1 library"]);
    assert_eq!(at("plain"), ["node_modules/@types/bare/index.d.ts:1 library"]);
}

/// React as it is installed: minified modules, and types in a separate package.
const REACT: &str = r#"
//- project/src/app.jsx
import React, { useState } from 'react';
import { jsx } from 'react/jsx-runtime';
const [count, set] = useState(0);
React.useEffect(() => {});
jsx();
//- project/node_modules/react/package.json
{"name": "react", "main": "index.js", "exports": {
  ".": {"react-server": "./react.react-server.js", "default": "./index.js"},
  "./jsx-runtime": {"default": "./jsx-runtime.js"}}}
//- project/node_modules/react/index.js
if (process.env.NODE_ENV === 'production') { module.exports = require('./cjs/react.min.js'); }
//- project/node_modules/react/cjs/react.min.js
exports.useState=function(a){return a};exports.useEffect=function(a){};
//- project/node_modules/react/jsx-runtime.js
exports.jsx = function () {};
//- project/node_modules/@types/react/package.json
{"name": "@types/react", "types": "index.d.ts", "exports": {
  ".": {"types@<=5.0": {"default": "./ts5.0/index.d.ts"}, "types": {"default": "./index.d.ts"}},
  "./jsx-runtime": {"types": {"default": "./jsx-runtime.d.ts"}}}}
//- project/node_modules/@types/react/index.d.ts
export = React;
export as namespace React;
declare namespace React {
  function useState<S>(initialState: S | (() => S)): [S, (s: S) => void];
  function useEffect(effect: () => void): void;
}
//- project/node_modules/@types/react/jsx-runtime.d.ts
export function jsx(): void;
"#;

#[test]
fn a_package_without_types_uses_those_of_its_types_package() {
    for ending in ["jsx", "js", "tsx", "ts"] {
        let tree = Tree::new(&REACT.replace("app.jsx", &format!("app.{ending}")));
        let at = |name| tree.definitions_of(&format!("project/src/app.{ending}"), name);
        let types = "project/node_modules/@types/react";
        assert_eq!(at("useState"), [format!("{types}/index.d.ts:4 library")], "{ending}");
        assert_eq!(at("useEffect"), [format!("{types}/index.d.ts:5 library")], "{ending}");
        assert_eq!(at("jsx"), [format!("{types}/jsx-runtime.d.ts:1 library")], "{ending}");
    }
}

#[test]
fn rust_resolves_into_the_crates_of_the_lock_file() {
    let tree = Tree::new(
        r#"
//- project/Cargo.toml
[package]
name = "app"
//- project/Cargo.lock
[[package]]
name = "app"
version = "0.1.0"
dependencies = [
 "dep-one 2.0.0",
]

[[package]]
name = "dep-one"
version = "1.0.0"
source = "registry+https://x"

[[package]]
name = "dep-one"
version = "2.0.0"
source = "registry+https://x"
//- project/src/main.rs
use dep_one::shapes::Shape;
fn main() { Shape::draw(); }
//- home/.cargo/registry/src/index/dep-one-1.0.0/src/lib.rs
pub mod shapes;
//- home/.cargo/registry/src/index/dep-one-2.0.0/src/lib.rs
pub mod shapes;
//- home/.cargo/registry/src/index/dep-one-2.0.0/src/shapes.rs
pub struct Shape;
impl Shape {
    pub fn draw() {}
}
"#,
    );
    let folder = "home/.cargo/registry/src/index/dep-one-2.0.0/src";
    let found = tree.definitions_of("project/src/main.rs", "draw");
    assert_eq!(found, [format!("{folder}/shapes.rs:3 library")]);
}

#[test]
fn go_resolves_into_the_module_cache() {
    let tree = Tree::new(
        r#"
//- project/go.mod
module example.com/app

require (
	github.com/Some/dep v1.2.3
)
//- project/main.go
package main

import "github.com/Some/dep/sub"

func main() { sub.Run() }
//- home/go/pkg/mod/github.com/!some/dep@v1.2.3/sub/a.go
package sub
//- home/go/pkg/mod/github.com/!some/dep@v1.2.3/sub/b.go
package sub

func Run() {}
"#,
    );
    let folder = "home/go/pkg/mod/github.com/!some/dep@v1.2.3/sub";
    let found = tree.definitions_of("project/main.go", "Run");
    assert_eq!(found, [format!("{folder}/b.go:3 library")]);
}

#[test]
fn go_builtins_resolve_to_their_documentation() {
    let tree = Tree::new(
        r#"
//- project/go.mod
module example.com/app
//- project/main.go
package main

import "fmt"

func cap(x int) int { return x }

func main() { var all []string; fmt.Println(len(all), cap(1)) }
//- system/go/src/fmt/print.go
package fmt

func Println(a ...any) {}
//- system/go/src/builtin/builtin.go
package builtin

type int int
type string string

type Type int

func len(v Type) int
func cap(v Type) int
"#,
    );
    let definitions_of = |name| tree.definitions_of("project/main.go", name);
    let file = "system/go/src/builtin/builtin.go";
    assert_eq!(definitions_of("len("), [format!("{file}:8 library")]);
    assert_eq!(definitions_of("string"), [format!("{file}:4 library")]);
    assert_eq!(definitions_of("Println"), ["system/go/src/fmt/print.go:3 library"]);
    assert_eq!(definitions_of("cap("), ["project/main.go:5 same_file"]);
}

const JAVA: &str = r#"
//- project/app/Main.java
package app;

import java.util.List;
import java.util.*;

class Main {
    void run(List<String> all, Set<String> some, String text) {
        all.addFirst("x");
        all.add(1, "x");
        all.forEach(System.out::println);
        some.stream();
        text.strip();
        List.of();
        new Odd();
        all.get(0).isBlank();
        java.util.List<String> third = null;
    }
}
"#;

/// The files of a JDK's source archive.
const JDK: &[(&str, &str)] = &[
    ("java.base/java/util/List.java", "package java.util;
public interface List<E> extends Collection<E> {
    boolean add(E e);
    void add(int index, E element);
    static <E> List<E> of() { return null; }
    default void addFirst(E e) {}
}
"),
    ("java.base/java/util/Collection.java", "package java.util;
public interface Collection<E> extends Iterable<E> { Object stream(); }
"),
    ("java.base/java/util/Set.java", "package java.util;
public interface Set<E> extends Collection<E> {}
"),
    ("java.base/java/lang/Iterable.java", "package java.lang;
public interface Iterable<T> { void forEach(Object action); }
"),
    ("java.base/java/lang/String.java", "package java.lang;
public final class String { public String strip() { return this; } boolean isBlank() { return true; } }
"),
    ("java.base/java/lang/System.java", "package java.lang;
import java.io.PrintStream;
public final class System { public static final PrintStream out = null; }
"),
    ("java.base/java/io/PrintStream.java", "package java.io;
public class PrintStream { public void println(Object x) {} }
"),
    ("java.desktop/java/awt/List.java", "package java.awt;
public class List {}
"),
    ("../../../evil.java", "class Evil {}"),
];

fn archive(path: &Path, files: &[(&str, &str)]) {
    use std::io::Write;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut archive = zip::ZipWriter::new(fs::File::create(path).unwrap());
    for (name, text) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
}

#[test]
fn java_resolves_into_the_source_archive_of_a_jdk() {
    let tree = Tree::new(JAVA);
    archive(&tree.at("home/.jdks/21.0.2/lib/src.zip"), JDK);
    archive(&tree.at("home/.jdks/8/lib/src.zip"), &[]);
    let definitions_of = |name: &str| -> Vec<String> {
        let all = tree.definitions_of("project/app/Main.java", name);
        all.iter()
            .map(|l| l.rsplit_once("java/").map_or(l.clone(), |(_, l)| l.to_owned()))
            .collect()
    };
    for (name, expected) in [
        ("addFirst", "List.java:6 library"),
        ("add(1", "List.java:4 library"),
        ("forEach", "Iterable.java:2 library"),
        ("stream", "Collection.java:2 library"),
        ("strip", "String.java:2 library"),
        ("of()", "List.java:5 library"),
        ("isBlank", "String.java:2 library"),
        ("Set<", "Set.java:2 library"),
        ("String text", "String.java:2 library"),
        ("List<String> third", "List.java:2 library"),
        ("List;", "List.java:2 library"),
        ("println", "PrintStream.java:2 library"),
        ("out::", "System.java:3 library"),
    ] {
        let found = definitions_of(name);
        assert!(found.len() == 1 && found[0].ends_with(expected), "{name}: {found:?}");
    }
    assert_eq!(definitions_of("Odd"), [""; 0]);
    let unpacked = fs::read_dir(tree.at("home/.cache/tandem/sources")).unwrap().count();
    assert_eq!(unpacked, 1, "only the newest JDK is used");
    assert!(!tree.at("home/evil.java").exists());
}

#[test]
fn a_dependency_that_is_opened_counts_as_a_project() {
    let tree = Tree::new(
        r#"
//- home/.cargo/registry/src/index/alpha-1.0.0/Cargo.toml
[package]
name = "alpha"
[dependencies]
beta = "1"
//- home/.cargo/registry/src/index/alpha-1.0.0/Cargo.lock
[[package]]
name = "alpha"
version = "1.0.0"
dependencies = ["beta"]
[[package]]
name = "beta"
version = "1.0.0"
source = "registry"
//- home/.cargo/registry/src/index/alpha-1.0.0/src/lib.rs
pub mod part;
pub fn run() { part::own(); beta::other() }
//- home/.cargo/registry/src/index/alpha-1.0.0/src/part.rs
pub fn own() {}
//- home/.cargo/registry/src/index/beta-1.0.0/src/lib.rs
pub fn other() {}
"#,
    );
    let sources = "home/.cargo/registry/src/index";
    let workspace = tree.open_in(&format!("{sources}/alpha-1.0.0"));
    let definitions_of =
        |name| tree.definitions_in(&workspace, &format!("{sources}/alpha-1.0.0/src/lib.rs"), name);
    assert_eq!(definitions_of("own"), [format!("{sources}/alpha-1.0.0/src/part.rs:1 import")]);
    assert_eq!(definitions_of("other"), [format!("{sources}/beta-1.0.0/src/lib.rs:1 library")]);
    let snapshot = workspace.snapshot();
    snapshot.locate("src/part.rs").unwrap();
    snapshot.build_index(&AtomicBool::new(false), &|_| {});
    let files = snapshot.index_counts().languages.iter().map(|l| l.files).sum::<usize>();
    assert_eq!(files, 2);
}

#[test]
fn dependencies_are_readable_but_never_written() {
    let tree = Tree::new(NODE);
    let workspace = tree.open();
    let snapshot = workspace.snapshot();
    let never = AtomicBool::new(false);
    let write_lock = workspace.write_lock(&never).unwrap();
    let outside = tree.at("node_modules/bare/main.js");
    let outside = outside.to_str().unwrap();
    let file = snapshot.read(&snapshot.locate_to_read(outside).unwrap()).unwrap();
    assert!(matches!(snapshot.locate(outside), Err(FileError::Forbidden { .. })));
    assert!(matches!(snapshot.locate_entry(outside), Err(FileError::Forbidden { .. })));
    let inside = snapshot.locate("project/../node_modules/typed/lib/index.d.ts").unwrap();
    let inside = snapshot.read(&inside).unwrap();
    let new =
        |path: &str| Change::Create { path: snapshot.locate(path).unwrap(), text: String::new() };
    let edit = |file: &crate::FileText| Change::Edit {
        file: file.clone(),
        edits: vec![(0..0, "x".to_owned())],
        after: "x".to_owned(),
    };
    let changes = [
        edit(&file),
        edit(&inside),
        Change::Delete { file: file.clone() },
        Change::Delete { file: inside.clone() },
        new("node_modules/new.js"),
        Change::Folder { path: snapshot.locate("node_modules/typed/folder").unwrap() },
        Change::Move {
            file: snapshot.read(&snapshot.locate("src/app.ts").unwrap()).unwrap(),
            to: snapshot.locate("node_modules/typed/app.ts").unwrap(),
            after: String::new(),
        },
    ];
    for change in changes {
        let shown = format!("{change:?}");
        let done =
            workspace.commit(&write_lock, "test", &snapshot, &[change], &Headless::default());
        let Err(crate::CommitError::File(FileError::Forbidden { .. })) = done else {
            panic!("{shown}: {:?}", done.err());
        };
    }
    assert_eq!(fs::read(outside).unwrap(), b"exports.plain = function () {};\n");
    assert!(!Path::new(&tree.at("project/node_modules/new.js")).exists());
}
