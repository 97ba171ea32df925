//! The formatters that people use, on text that is not saved: what comes back is what they make of it.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use client::{Answer, Client};
use serde_json::json;
use tests::{Encoding, Home, apply_edits};

/// The folder of a program, put before all others.
fn path_with(folders: &[PathBuf]) -> OsString {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(folders.iter().cloned().chain(std::env::split_paths(&usual))).unwrap()
}

/// A project with one file, whose formatter is `program` with `arguments`, looked for in `folders`.
struct Project<'a> {
    home: Home,
    file: &'a str,
    language: &'a str,
    folders: Vec<PathBuf>,
}

impl<'a> Project<'a> {
    fn new(file: &'a str, language: &'a str, settings: &[(&str, &str)]) -> Self {
        let home = Home::new();
        std::fs::write(home.root().join(file), "").unwrap();
        for (path, text) in settings {
            std::fs::write(home.root().join(path), text).unwrap();
        }
        Self { home, file, language, folders: Vec::new() }
    }

    /// The document as it is open, after an editor has applied what the server answers; the file
    /// on the disk is another.
    fn formatted(&self, text: &str) -> String {
        let mut command = self.home.command();
        command.arg("lsp").env("PATH", path_with(&self.folders));
        let client = Client::spawn(&mut command).unwrap();
        client.on_request(|request, _| match request.method.as_str() {
            "window/showMessageRequest" => Answer::Result(json!({ "title": "Allow once" })),
            _ => Answer::Default,
        });
        client.initialize(&self.home.root(), json!({ "window": { "showMessage": {} } })).unwrap();
        let uri = format!("file://{}", self.home.root().join(self.file).display());
        let open = json!({ "textDocument": {
            "uri": uri, "languageId": self.language, "version": 1, "text": text,
        } });
        client.notify("textDocument/didOpen", open).unwrap();
        let params = json!({
            "textDocument": { "uri": uri },
            "options": { "tabSize": 4, "insertSpaces": true },
        });
        let edits = client.request("textDocument/formatting", params).unwrap();
        let edits = edits.as_array().expect("a formatter has run");
        apply_edits(text, edits, Encoding::Utf16).unwrap()
    }

    /// What the program itself makes of the text.
    fn run_formatter(&self, program: &Path, arguments: &[&str], text: &str) -> String {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.home.root());
        command.env("PATH", path_with(&self.folders));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{program:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Both make the same of the text, and something of it.
    fn check_same_result(&self, program: &Path, arguments: &[&str], text: &str) {
        let own = self.run_formatter(program, arguments, text);
        assert_ne!(own, text, "{program:?} has nothing to do");
        assert_eq!(self.formatted(text), own, "{program:?}");
        assert_eq!(std::fs::read_to_string(self.home.root().join(self.file)).unwrap(), "");
    }
}

#[test]
fn rustfmt() {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let bin = PathBuf::from(String::from_utf8(sysroot.stdout).unwrap().trim()).join("bin");
    let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let settings = [("Cargo.toml", manifest), ("rustfmt.toml", "max_width = 40\n")];
    let mut project = Project::new("a.rs", "rust", &settings);
    project.folders.push(bin.clone());
    let text =
        "fn  é( a:u32,b:u32 )->u32{\n  let 𝛼=\"😀\" ; a+b+some_long_name+another_long_name }\n";
    project.check_same_result(&bin.join("rustfmt"), &["--edition", "2024"], text);
}

#[test]
fn gofmt() {
    let Some(delve) = tests::component("delve") else { return tests::skip("gofmt", "delve") };
    let files = delve.ancestors().find(|folder| folder.ends_with("files")).unwrap();
    let bin = files.join("usr/lib/go-1.24/bin");
    let mut project = Project::new("a.go", "go", &[("go.mod", "module a\n")]);
    project.folders.push(bin.clone());
    let text = r#"package a

import ("os"
"fmt")


func  f( ) {
if true {
fmt.Println( os.Args )}}
"#;
    project.check_same_result(&bin.join("gofmt"), &[], text);
}

#[test]
fn ruff() {
    let Some(ruff) = tests::component("ruff") else { return tests::skip("ruff", "ruff") };
    let project = Project::new("a.py", "python", &[("pyproject.toml", "[tool.ruff]\n")]);
    // That of the project's own environment.
    let bin = project.home.root().join(".venv/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::copy(&ruff, bin.join("ruff")).unwrap();
    let text = "x = { 'a':1,\n  'b' : [1,2 ,3] }\r\ndef  f( a,b = 2 ):\r\n\treturn  a\n";
    project.check_same_result(&ruff, &["format", "--stdin-filename", "a.py", "-"], text);
}

#[test]
fn prettier() {
    let Some(prettier) = tests::component("prettier") else {
        return tests::skip("prettier", "prettier");
    };
    let Some(node) = tests::component("node") else { return tests::skip("prettier", "node") };
    let mut project =
        Project::new("a.ts", "typescript", &[(".prettierrc", "{ \"semi\": false }\n")]);
    project.folders.push(node.parent().unwrap().to_owned());
    // As npm installs it: a link to the package next to it.
    let modules = project.home.root().join("node_modules");
    let package = prettier.ancestors().nth(2).unwrap();
    std::fs::create_dir_all(modules.join(".bin")).unwrap();
    let copied = Command::new("cp").arg("-a").args([package, &modules]).status().unwrap();
    assert!(copied.success());
    std::os::unix::fs::symlink("../prettier/bin/prettier.cjs", modules.join(".bin/prettier"))
        .unwrap();
    let text = "const  a = {b :1, 'c': \"😀\"};\nfunction f( ) : number { return a .b }\n";
    project.check_same_result(&modules.join(".bin/prettier"), &["--stdin-filepath", "a.ts"], text);
}
