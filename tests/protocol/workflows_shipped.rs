//! The workflows that come with the program, on small projects.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tests::{Home, Server};

use crate::git::{git, repository};

/// A server whose person approves everything, with the toolchain of this machine and an empty registry.
fn start(fixture: &str, prepare: impl FnOnce(&Path)) -> Server {
    let builder =
        Server::builder(fixture).capability("window/showMessage", json!({})).prepare(prepare);
    let client = client::Client::spawn(toolchain(builder.home()).arg("lsp")).unwrap();
    let server = builder.with_client(client).initialize();
    server.answer_requests(|request, _| match request.method.as_str() {
        "window/showMessageRequest" => client::Answer::Result(json!({ "title": "Allow once" })),
        _ => client::Answer::Default,
    });
    server
}

fn toolchain(home: &Home) -> Command {
    let mut command = home.command();
    let default = std::env::home_dir().map(|home| home.join(".rustup").into_os_string());
    command.envs(std::env::var_os("RUSTUP_HOME").or(default).map(|value| ("RUSTUP_HOME", value)));
    command.env("CARGO_HOME", home.outside().join("cargo"));
    command
}

fn run(server: &Server, workflow: &str, inputs: Value) -> Value {
    let result = server.must("workflow", json!({ "workflow": workflow, "inputs": inputs }));
    assert_eq!(result["state"], "done", "{result}");
    result["output"].clone()
}

const PACKAGES: &str = r#"
//- /Cargo.toml
[workspace]
members = ["one", "two"]
resolver = "2"
//- /one/Cargo.toml
[package]
name = "one"
version = "0.1.0"
edition = "2021"
//- /one/src/lib.rs
pub fn greet() -> &'static str {
    "hi"
}
//- /two/Cargo.toml
[package]
name = "two"
version = "0.1.0"
edition = "2021"
[dependencies]
one = { path = "../one" }
//- /two/src/lib.rs
pub fn twice() -> String {
    format!("{0}{0}", one::greet())
}
#[test]
fn says_it_twice() {
    assert_eq!(twice(), "hihi");
}
//- /README.md
Call `greet`.
//- /CHANGELOG.md
# 0.2.0
//- /.gitignore
/target
Cargo.lock
.env
//- /.env
SECRET=1
"#;

#[test]
fn release_checks() {
    let server = start(PACKAGES, repository);
    let good = json!({ "version": "0.2.0", "test": "cargo test --offline -q" });
    assert_eq!(run(&server, "release-checks", good), json!({ "ready": true, "failed": [] }));
    git(&server.root(), &["tag", "v0.3.0"]);
    server.write("one/src/lib.rs", "// FIXME\npub fn greet() -> &'static str { \"ho\" }\n");
    let bad = json!({ "version": "0.3.0", "test": "cargo test --offline -q" });
    let output = run(&server, "release-checks", bad);
    let failed = output["failed"].as_array().unwrap().iter();
    let failed: Vec<_> = failed.map(|f| f["check"].as_str().unwrap()).collect();
    assert_eq!(failed, ["committed", "markers", "tag", "changelog", "tests"], "{output}");
}

#[test]
fn rename_across_packages() {
    let server = start(PACKAGES, repository);
    let inputs = json!({
        "path": "one/src/lib.rs", "name_path": "greet", "new_name": "hello", "check": "cargo test --offline -q",
    });
    let output = run(&server, "rename-across-packages", inputs);
    assert_eq!(
        output,
        json!({
            "renamed": ["one/src/lib.rs", "two/src/lib.rs"], "documents": 1, "left": [],
        })
    );
    assert!(server.disk_text("two/src/lib.rs").contains("one::hello()"));
    assert_eq!(server.disk_text("README.md"), "Call `hello`.\n");
    server.must("undo_action", json!({}));
    assert!(server.disk_text("two/src/lib.rs").contains("one::greet()"));
    assert_eq!(server.disk_text("README.md"), "Call `greet`.\n");
}

/// A project with a folder in place of the registry, in which `dep` has three versions.
fn with_dependency(root: &Path) {
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let shell = |line: &str| {
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(root.join("vendor"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{line}");
        String::from_utf8(output.stdout).unwrap()
    };
    let mut index = String::new();
    for (version, answer) in [("1.0.0", 41), ("1.1.0", 42), ("1.2.0", 43)] {
        let name = format!("dep-{version}");
        let manifest =
            format!("[package]\nname = \"dep\"\nversion = \"{version}\"\nedition = \"2021\"\n");
        write(&format!("vendor/{name}/Cargo.toml"), &manifest);
        write(
            &format!("vendor/{name}/src/lib.rs"),
            &format!("pub const ANSWER: u32 = {answer};\n"),
        );
        let sum = shell(&format!(
            "tar czf {name}.crate {name} && rm -r {name} && sha256sum {name}.crate"
        ));
        let entry = json!({
            "name": "dep", "vers": version, "deps": [], "features": {}, "yanked": false,
            "cksum": sum.split(' ').next().unwrap(),
        });
        index.push_str(&format!("{entry}\n"));
    }
    write("vendor/index/3/d/dep", &index);
    write(
        ".cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\nlocal-registry = \"vendor\"\n",
    );
    let manifest = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ndep = \"1\"\n";
    write("Cargo.toml", manifest);
    write("src/lib.rs", "#[test]\nfn answer() {\n    assert!(dep::ANSWER < 43);\n}\n");
    write(".gitignore", "/target\n");
    let cargo = |arguments: &[&str]| {
        let registry = root.parent().unwrap().join("cargo");
        let mut cargo = Command::new("cargo");
        let status =
            cargo.args(arguments).env("CARGO_HOME", registry).current_dir(root).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    cargo(&["generate-lockfile", "-q"]);
    cargo(&["update", "-q", "dep", "--precise", "1.0.0"]);
    repository(root);
}

#[test]
fn dependency_bump() {
    let server = start("", with_dependency);
    let bump = |version: &str| {
        let test = "cargo test --offline -q";
        run(
            &server,
            "dependency-bump",
            json!({ "package": "dep", "version": version, "test": test, "network": false }),
        )
    };
    let output = bump("1.1.0");
    assert_eq!(output, json!({ "bumped": true, "changed": ["Cargo.lock"] }));
    let lock = server.disk_text("Cargo.lock");
    assert!(lock.contains("1.1.0"), "{lock}");
    // The tests fail with this one.
    let output = bump("1.2.0");
    assert_eq!(output["bumped"], false, "{output}");
    assert!(output["why"].as_str().unwrap().contains("dep::ANSWER < 43"), "{output}");
    assert_eq!(server.disk_text("Cargo.lock"), lock);
    // There is no such version.
    let output = bump("7.0.0");
    assert_eq!(output["bumped"], false, "{output}");
    assert!(output["why"].as_str().unwrap().contains("dep"), "{output}");
    assert_eq!(server.disk_text("Cargo.lock"), lock);
}

#[test]
fn dependency_bump_with_npm() {
    if !Command::new("npm").arg("--version").output().is_ok_and(|o| o.status.success()) {
        return tests::skip("dependency_bump_with_npm", "npm");
    }
    let package =
        |name: &str, version: &str| format!("{{\"name\": \"{name}\", \"version\": \"{version}\"}}");
    let fixture = format!(
        "//- /package.json\n{}\n//- /dep/package.json\n{}\n//- /.gitignore\nnode_modules\n",
        package("app", "0.1.0"),
        package("dep", "2.0.0")
    );
    let server = start(&fixture, repository);
    let inputs = json!({
        "manager": "npm", "package": "dep", "version": "file:dep", "network": false,
        "test": "test $(node -p \"require('dep/package.json').version\") = 2.0.0",
    });
    let output = run(&server, "dependency-bump", inputs);
    assert_eq!(output, json!({ "bumped": true, "changed": ["package.json"] }), "{output}");
}

#[test]
fn bisect() {
    let server = start("//- /file.txt\nhi\n", |root| {
        repository(root);
        git(root, &["tag", "good"]);
        for number in 1..=9 {
            let text = format!("{} {number}\n", if number < 6 { "hi" } else { "ho" });
            std::fs::write(root.join("file.txt"), text).unwrap();
            git(root, &["commit", "-qam", &format!("change {number}")]);
        }
        std::fs::write(root.join("file.txt"), "not committed\n").unwrap();
    });
    let output = run(&server, "bisect", json!({ "good": "good", "test": "grep -q hi file.txt" }));
    assert_eq!((&output["subject"], &output["files"]), (&json!("change 6"), &json!(["file.txt"])));
    assert_eq!(server.disk_text("file.txt"), "not committed\n");
    let status = server.must("git_status", json!({}));
    assert!(status["operation"].is_null(), "{status}");
    let call = json!({ "workflow": "bisect", "inputs": { "good": "nowhere", "test": "true" } });
    let failed = server.must("workflow", call);
    assert_eq!((&failed["state"], &failed["failed"]["step"]), (&json!("failed"), &json!("search")));
}

#[test]
fn worktree_per_task() {
    let server = start(PACKAGES, repository);
    let output = run(&server, "worktree-per-task", json!({ "tasks": ["one", "two", "../out"] }));
    let worktrees = output["worktrees"].as_array().unwrap();
    for (worktree, task) in worktrees.iter().zip(["one", "two"]) {
        let folder = Path::new(worktree["path"].as_str().unwrap());
        assert!(folder.join("one/src/lib.rs").exists() && folder.join(".env").exists());
        let head =
            std::fs::read_to_string(server.root().join(format!(".git/refs/heads/task/{task}")));
        assert!(head.is_ok(), "{output}");
    }
    assert!(worktrees[2]["error"].as_str().unwrap().contains("../out"), "{output}");
}
