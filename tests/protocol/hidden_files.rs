//! What rules forbid to read, no command in the sandbox reads, whatever it is and however it is spelled.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use tests::Home;

const RULES: &str = "[policy.deny]\nread = [\".env\", \"private/\", \"*.pem\"]\n\
    [policy.allow]\nrun = [\"cat *\", \"sh make.sh\", \"sh -c *\", \"grep *\", \"python3 *\"]\n";
const SECRET: &str = "TOKEN-0f7a";

fn home(rules: &str) -> Home {
    let home = Home::new();
    let config = home.outside().join("config/tandem");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), rules).unwrap();
    let root = home.root();
    std::fs::create_dir_all(root.join("private/deep")).unwrap();
    std::fs::create_dir_all(root.join("sub")).unwrap();
    for file in [".env", "private/deep/a.txt", "sub/key.pem"] {
        std::fs::write(root.join(file), format!("{SECRET}\n")).unwrap();
    }
    std::fs::hard_link(root.join(".env"), root.join("sub/plain.txt")).unwrap();
    std::fs::hard_link(root.join("private/deep/a.txt"), root.join("sub/inner.txt")).unwrap();
    symlink("../.env", root.join("sub/link.txt")).unwrap();
    std::fs::write(root.join("open.txt"), "open\n").unwrap();
    home
}

fn run(home: &Home, script: &str) -> Value {
    std::fs::write(home.root().join("make.sh"), script).unwrap();
    let params = json!({ "command": "sh make.sh" });
    let mut command = home.command();
    command.args(["call", "run_command", &params.to_string(), "--workspace"]).arg(home.root());
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn no_spelling_shows_a_denied_file() {
    for script in [
        "cat .env",
        "cat .e*",
        "cat .e''nv",
        "cat ./sub/../.env",
        "a=env; cat .$a",
        "cat $(printf '.env')",
        "cat sub/link.txt",
        "cat sub/plain.txt",
        "cat sub/inner.txt",
        "cat < .env",
        "cat private/deep/a.txt",
        "find . -type f -exec cat {} +",
        "grep -r TOKEN .",
        "tar c . | cat",
        "cp -r . \"$TMPDIR/all\"; cat \"$TMPDIR/all/.env\" \"$TMPDIR/all/sub/key.pem\"",
        "ln .env x; cat x",
        "mv .env x; cat x",
        "mv sub sub2; cat sub2/key.pem",
        "mv private p; cat p/deep/a.txt",
        "python3 -c 'import os; print(open(\".\" + \"env\").read())'",
        "cd sub; cat ../.env key.pem",
        "cat /proc/self/cwd/.env",
        "cat /proc/self/root\"$PWD\"/.env",
        "cat /proc/1/cwd/.env /proc/1/root\"$PWD\"/.env",
        "chmod 777 .env sub/key.pem; cat .env sub/key.pem",
    ] {
        let home = home(RULES);
        let result = run(&home, &format!("({script}) 2>&1; cat open.txt"));
        let output = result["stdout"].as_str().unwrap_or_else(|| panic!("{script}: {result}"));
        assert!(!output.contains(SECRET), "{script}: {result}");
        assert!(output.contains("open"), "{script}: the rest can be read: {result}");
        if script == "cat .env" || script.starts_with("chmod") {
            // An empty answer would be a wrong one.
            assert!(output.contains("Permission denied"), "{script}: {result}");
        }
        let kept = std::fs::read_to_string(home.root().join(".env"));
        assert_eq!(kept.ok().as_deref(), Some("TOKEN-0f7a\n"), "{script}");
    }
}

/// Not even the names.
#[test]
fn git_status_leaves_denied_files_out() {
    let home = home(RULES);
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        let output = git.args(args).current_dir(home.root()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", ".env", "open.txt"]);
    let mut command = home.command();
    command.args(["call", "git_status", "{\"all_untracked\": true}", "--workspace"]);
    let output = command.arg(home.root()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("open.txt") && text.contains("sub/plain.txt"), "{text}");
    for hidden in [".env", "key.pem", "private"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
}

#[test]
fn a_file_outside_that_a_rule_names_is_hidden_as_well() {
    let home = Home::new();
    let vault = home.outside().join("vault");
    let config = home.outside().join("config/tandem");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::create_dir_all(&vault).unwrap();
    std::fs::write(vault.join("id_key"), SECRET).unwrap();
    std::fs::write(vault.join("id.pub"), "public").unwrap();
    let rules =
        "[policy.deny]\nread = [\"~/vault/*_key\"]\n[policy.allow]\nrun = [\"sh make.sh\"]\n";
    std::fs::write(config.join("config.toml"), rules).unwrap();
    let result = run(&home, "cat ../vault/*");
    let output = result["stdout"].as_str().unwrap_or_else(|| panic!("{result}"));
    assert_eq!(output, "public", "{result}");
}

#[test]
fn without_such_rules_nothing_is_hidden() {
    let home = home("[policy.allow]\nrun = [\"sh make.sh\"]\n");
    let result = run(&home, "cat .env");
    assert_eq!(result["stdout"], format!("{SECRET}\n"), "{result}");
}

/// A program that a rule denies is not started by another one either.
#[test]
fn a_denied_program_does_not_run_no_matter_what_starts_it() {
    let rules = "[policy.deny]\nrun = [\"sha1sum\"]\n[policy.allow]\nrun = [\"sh make.sh\"]\n";
    for script in [
        "sha1sum open.txt",
        "env sha1sum open.txt",
        "x=sha1; ${x}sum open.txt",
        "find open.txt -exec sha1sum {} +",
        "echo open.txt | xargs sha1sum",
        "python3 -c 'import os; os.execvp(\"sha1\" + \"sum\", [\"x\", \"open.txt\"])'",
        "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='sha1sum open.txt' .",
        "$(command -v setarch) sha1sum open.txt",
        "/lib64/ld-linux-x86-64.so.2 /usr/bin/sha1sum open.txt",
        "cp /usr/bin/sha1sum mine; ./mine open.txt",
        "make -f - <<'X'\nall:\n\tsha1sum open.txt\nX",
    ] {
        let home = home(rules);
        let result = run(&home, &format!("({script}\n) 2>&1; sha256sum open.txt"));
        let output = result["stdout"].as_str().unwrap_or_else(|| panic!("{script}: {result}"));
        // The SHA-1 and the SHA-256 of "open\n".
        assert!(!output.contains("b663d2b743e1"), "{script}: {output}");
        assert!(output.contains("30da2826a39a"), "{script}: others run: {output}");
    }
}
