//! Generated lines, checked by the rules and run by real shells.

use super::*;

/// Runs generated lines that the rules allow in real shells: nothing but allowed programs may run.
#[test]
fn real_shells_run_only_allowed_commands_of_an_allowed_line() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    const PIECES: &[&str] = &[
        "git status",
        "git",
        "status",
        "rm",
        " ",
        ";",
        "|",
        "&",
        "$(",
        "`",
        ")",
        "(",
        "\"",
        "'",
        "\n",
        "#",
        "\\",
        "{",
        "}",
        "!",
        "$",
        "=",
        "~",
        "*",
        "<",
        "2>&1",
        "$'",
        "<<",
        "[[",
        "]]",
        "awk",
        "sed",
        "export",
        "PATH=.",
        "printf -v",
        "read",
        "set -a",
        "1e rm",
        "BEGIN{system(\"rm\")}",
        "$((",
        "))",
        "[",
    ];
    let dir = tempfile::tempdir().unwrap();
    let (bin, work, log) =
        (dir.path().join("bin"), dir.path().join("work"), dir.path().join("log"));
    fs::create_dir(&bin).unwrap();
    fs::create_dir(&work).unwrap();
    // Run their arguments, as the real ones might.
    for name in ["awk", "sed"] {
        let script = format!("#!/bin/sh\necho {name} >> {}\neval \"$*\"\n", log.display());
        fs::write(bin.join(name), script).unwrap();
        fs::set_permissions(bin.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }
    for name in ["git", "rm", "status"] {
        let script = format!("#!/bin/sh\necho {name} \"$@\" >> {}\n", log.display());
        fs::write(bin.join(name), script).unwrap();
        fs::set_permissions(bin.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }
    let shells: Vec<_> =
        ["/bin/sh", "/bin/bash"].into_iter().filter(|shell| fs::exists(shell).unwrap()).collect();
    assert!(!shells.is_empty(), "there is no shell to try");
    let rules = rules(&["git status", "awk *", "sed *", "export *", "read *", "set *", "printf *"]);
    // A fixed sequence, so that a failure can be reproduced.
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).unwrap()
    };
    let (mut tried, mut run) = (0, 0);
    while run < 150 && tried < 200_000 {
        tried += 1;
        let mut line = if next(2) == 0 { "git status".to_owned() } else { String::new() };
        for _ in 0..1 + next(6) {
            line.push_str(PIECES[next(PIECES.len())]);
        }
        if !allowed(&rules, &line) {
            continue;
        }
        run += 1;
        for shell in &shells {
            let _ = fs::remove_file(&log);
            let mut child = Command::new(shell)
                .args(["-c", &line])
                .current_dir(&work)
                .env_clear()
                .env("PATH", &bin)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            child.wait().unwrap();
            // Background processes may log late.
            if line.contains('&') {
                std::thread::sleep(std::time::Duration::from_millis(30));
            }
            let ran = fs::read_to_string(&log).unwrap_or_default();
            assert!(ran.lines().all(|line| line == "git status"), "{shell} {line:?} ran {ran:?}");
            let left = fs::read_dir(&work).unwrap().count();
            assert_eq!(left, 0, "{shell} {line:?} left files behind");
        }
    }
    assert!(run >= 100, "only {run} of {tried} lines were allowed: the test says little");
}

/// Appending text to a line that is not allowed or not understood must never make it allowed
/// because of the original part.
#[test]
fn appended_text_never_allows_a_line() {
    let rules = rules(&["git status", "ls *"]);
    let bad = ["rm x", "git push", "$X", "ls $(rm)", "PATH=. ls", "git -c a=b status"];
    let joints = [";", "\n", "|", "||", "&&", "&", " ; ", "\n\n", " |\n"];
    for bad in bad {
        assert!(!allowed(&rules, bad), "{bad}");
        for joint in joints {
            for good in ["git status", "ls -l", "(ls)", "{ ls; }"] {
                for line in [format!("{bad}{joint}{good}"), format!("{good}{joint}{bad}")] {
                    assert!(!allowed(&rules, &line), "{line:?}");
                }
            }
        }
    }
}
