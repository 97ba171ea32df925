//! Compares the walk to git's own decisions on ignored files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Folder, Visitor, WalkOptions, is_excluded_from_walk, walk};
use crate::{FileKind, FilePath, Root};

static NEVER_CANCELLED: AtomicBool = AtomicBool::new(false);

#[derive(Default)]
struct All<const LONG: bool>(Vec<Vec<u8>>);

impl<const ARE_VISITS_SLOW: bool> Visitor for All<ARE_VISITS_SLOW> {
    const ARE_VISITS_SLOW: bool = ARE_VISITS_SLOW;

    fn should_visit(&mut self, _: &Folder, _: &[u8], kind: FileKind) -> bool {
        kind == FileKind::File
    }

    fn visit(&mut self, _: &Folder, _: &OsStr, path: &[u8], _: FileKind) {
        self.0.push(path.to_vec());
    }
}

fn walked<const LONG: bool>(root: &Path, start: &str, options: WalkOptions) -> BTreeSet<String> {
    let root = Arc::new(Root::open(root).unwrap());
    let start = FilePath::from_root(&root).descendant(start);
    let walked = walk(&start, options, &NEVER_CANCELLED, All::<LONG>::default).unwrap();
    let all: Vec<_> = walked.visitors.into_iter().flat_map(|visitor| visitor.0).collect();
    let count = all.len();
    let all: BTreeSet<_> =
        all.into_iter().map(|path| String::from_utf8_lossy(&path).into_owned()).collect();
    assert_eq!(all.len(), count, "visited twice");
    all
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn the_walk_ignores_what_git_ignores() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(root).env_clear().env("PATH", "/usr/bin:/bin");
        let output = git.env("HOME", root).env("GIT_CONFIG_NOSYSTEM", "1").output();
        let output = output.expect("git is needed for this test");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    git(&["init", "-q"]);
    write(root, ".git/info/exclude", "excluded\n*.ex\n!sub/keep.ex\n");
    write(
        root,
        ".gitignore",
        "\u{feff}bom.txt\r\n# no\n\n*.log\n!keep.log\n/top\nbuild/\ndocs/*.md\n**/gen\na/**/z\n\\#odd\n\\!odd\n\
         trail   \nspace\\ \n[abc].cls\n[!x]y.cls\n[\nfoo/**\n!foo/in\n*.{a,b}\nx?y\nd[\n\\\n",
    );
    write(root, "sub/.gitignore", "!keep.log2\n*.log2\nonly/\n!*.log\n/here\n");
    write(root, "sub/deep/.gitignore", "*\n!wanted\n");
    for name in [
        "bom.txt",
        "a.log",
        "keep.log",
        "top",
        "sub/top",
        "build/x",
        "sub/build/x",
        "sub/build2/x",
        "docs/a.md",
        "docs/sub/a.md",
        "gen",
        "p/q/gen/x",
        "a/z",
        "a/b/c/z",
        "#odd",
        "!odd",
        "trail",
        "trail   ",
        "space ",
        "space",
        "a.cls",
        "zy.cls",
        "xy.cls",
        "foo/in",
        "foo/out",
        "excluded",
        "sub/excluded",
        "q.ex",
        "sub/keep.ex",
        "f.a",
        "f.{a,b}",
        "xAy",
        "x/y",
        "d[",
        "sub/x.log",
        "sub/keep.log2",
        "sub/y.log2",
        "sub/only/x",
        "only/x",
        "sub/here",
        "sub/in/here",
        "sub/deep/wanted",
        "sub/deep/unwanted",
        "sub/deep/more/wanted",
        "name with\nnewline",
        "\\",
        "plain/é.txt",
    ] {
        write(root, name, "");
    }
    let listed = git(&["ls-files", "-z", "--others", "--exclude-standard"]);
    let theirs: BTreeSet<_> = listed
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    let options = WalkOptions { hidden: true, ..WalkOptions::default() };
    let ours = walked::<true>(root, "", options);
    assert_eq!(ours, theirs);
    assert_eq!(walked::<false>(root, "", options), ours);

    // `is_left_out` agrees with the walk for each file.
    let opened = Arc::new(Root::open(root).unwrap());
    let start = FilePath::from_root(&opened);
    let everything =
        walked::<false>(root, "", WalkOptions { hidden: true, no_ignore: true, max_depth: None });
    for name in everything {
        let is_met = ours.contains(&name);
        assert_eq!(
            !is_excluded_from_walk(&start.descendant(&name), &start, options),
            is_met,
            "{name:?}"
        );
    }
    // Rules of parent folders apply when a walk begins further down.
    let below: BTreeSet<_> = ours.iter().filter(|name| name.starts_with("sub/")).cloned().collect();
    assert_eq!(walked::<true>(root, "sub", options), below);
}

#[test]
fn depth_is_counted_from_the_start_and_links_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for name in ["one", "a/two", "a/b/three", "a/b/c/four"] {
        write(root, name, "");
    }
    std::os::unix::fs::symlink("..", root.join("a/up")).unwrap();
    std::os::unix::fs::symlink("/etc", root.join("a/out")).unwrap();
    let depth = |most, start: &str| {
        let options = WalkOptions { max_depth: Some(most), ..WalkOptions::default() };
        walked::<true>(root, start, options).len()
    };
    assert_eq!((depth(1, ""), depth(2, ""), depth(3, ""), depth(9, "")), (1, 2, 3, 4));
    assert_eq!((depth(1, "a"), depth(2, "a")), (1, 2));
}

#[test]
fn names_that_are_not_utf8_and_large_folders_are_walked() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for name in [&b"bad\xff"[..], b"new\nline", &[b'x'; 255]] {
        std::fs::write(root.join(OsStr::from_bytes(name)), "").unwrap();
    }
    (0..5_000).for_each(|n| write(root, &format!("many/{n}"), ""));
    assert_eq!(walked::<true>(root, "", WalkOptions::default()).len(), 5_003);
    assert_eq!(walked::<false>(root, "", WalkOptions::default()).len(), 5_003);
    let mut deep = "d/".repeat(150);
    deep.push_str("file");
    write(root, &deep, "");
    assert!(walked::<true>(root, "", WalkOptions::default()).contains(&deep));
}

#[test]
fn a_nested_repository_has_its_own_rules() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for (name, text) in [
        (".git/HEAD", ""),
        (".gitignore", "*.o\n"),
        ("a.o", ""),
        ("inner/.git/HEAD", ""),
        ("inner/.gitignore", "*.x\n"),
        ("inner/a.o", ""),
        ("inner/a.x", ""),
    ] {
        write(root, name, text);
    }
    let found = walked::<true>(root, "", WalkOptions::default());
    assert_eq!(found, BTreeSet::from(["inner/a.o".to_owned()]));
}
