//! Index entries that git would not write: absolute paths, and paths with `..` or `.git`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{git, start};

const FIXTURE: &str = "//- /a.txt\none\ntwo\n//- /docs/c.txt\nc\n";

/// Writes an index (version 2) with one blob under the names in the arguments.
const WRITE_INDEX: &str = r#"
import hashlib, struct, sys
blob, names = bytes.fromhex(sys.argv[1]), sorted(name.encode() for name in sys.argv[2:])
index = b"DIRC" + struct.pack(">II", 2, len(names))
for name in names:
    entry = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100755, 0, 0, 0) + blob
    entry += struct.pack(">H", min(len(name), 0xFFF)) + name
    index += entry + b"\0" * (8 - len(entry) % 8)
open(".git/index", "wb").write(index + hashlib.sha1(index).digest())
"#;

fn write_index(root: &Path, names: &[&str]) {
    let blob = git(root, &["rev-parse", "HEAD:a.txt"]);
    let mut python = Command::new("python3");
    python.args(["-c", WRITE_INDEX, &blob]).args(names).current_dir(root);
    assert!(python.status().unwrap().success());
}

#[test]
fn hostile_names_in_a_git_index_do_not_escape() {
    let elsewhere = tempfile::tempdir().unwrap();
    let absolute = elsewhere.path().join("x");
    for name in [
        absolute.to_str().unwrap(),
        "/x",
        "//x",
        "../x",
        "..",
        "docs/../../x",
        "docs/../x",
        "./x",
        "docs//x",
        "docs/",
        ".git/hooks/post-checkout",
        ".GIT/hooks/post-checkout",
        "docs/.git/config",
    ] {
        let server = start(FIXTURE);
        let root = server.root();
        write_index(&root, &["a.txt", name]);
        let index = fs::read(root.join(".git/index")).unwrap();
        for (tool, params) in [
            ("git_status", json!({})),
            ("git_diff", json!({})),
            ("git_diff", json!({ "staged": true })),
            ("git_blame", json!({ "path": "a.txt" })),
            ("git_stage", json!({ "files": ["a.txt"] })),
            ("git_checkpoint", json!({ "action": "create" })),
            ("git_checkpoint", json!({ "action": "diff" })),
            ("git_checkpoint", json!({ "action": "restore" })),
            ("git_stash", json!({ "action": "push" })),
            ("git_stash", json!({ "action": "pop" })),
            ("git_discard", json!({ "files": ["."] })),
            ("git_commit", json!({ "message": "x" })),
            ("git_branch", json!({ "action": "switch", "name": "other", "from": "HEAD" })),
        ] {
            if let Err(error) = server.tool(tool, params) {
                assert_ne!(error.code, "E_INTERNAL", "{name}: {tool}: {}", error.data);
            }
            // A tool may have put the index in order.
            fs::write(root.join(".git/index"), &index).unwrap();
        }
        server.must("read_file", json!({ "path": "a.txt" }));
        assert!(!absolute.exists() && !Path::new("/x").exists(), "{name}");
        assert!(!server.outside().join("x").exists(), "{name}");
        assert!(!root.join(".git/hooks/post-checkout").exists(), "{name}");
        assert!(!root.join("docs/.git").exists(), "{name}");
        let kept = fs::read_to_string(root.join("docs/c.txt")).unwrap();
        assert_eq!(kept, "c\n", "{name}");
    }
}
