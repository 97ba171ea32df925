//! Repositories made at random, by the `git` program.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use crate::program::Place;

/// Numbers that are the same for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

const NAMES: &[&[u8]] = &[
    b"a.txt",
    b"b.txt",
    b"src/main.rs",
    b"src/lib.rs",
    b"src/deep/er/x.c",
    b"with blank.txt",
    b"-dash",
    b"no\nline",
    b"quo\"te",
    b"tab\there",
    b"\xff\xfe.bin",
    b"\xc3\xa9t\xc3\xa9.txt",
    b"docs/\xe9.md",
    b"z*glob?.txt",
    b"crlf.txt",
    b"auto.md",
];

fn path(name: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(name))
}

fn text(dice: &mut Dice, lines: usize) -> Vec<u8> {
    let words = ["alpha", "beta", "gamma", "delta", "return x;", "}", "", "    if y {", "fn f() {"];
    let mut text = Vec::new();
    for number in 0..lines {
        let word = dice.pick(&words);
        let end = if dice.one_in(40) { "\r\n" } else { "\n" };
        // Mostly lines of their own, so that the differences are told in one way only.
        let line = if dice.one_in(6) {
            format!("{word}{end}")
        } else {
            format!("{word} {number} {}{end}", dice.below(1_000_000))
        };
        text.extend_from_slice(line.as_bytes());
    }
    if dice.one_in(8) {
        text.extend_from_slice(b"no end");
    }
    text
}

/// Makes a repository, with something in every state.
pub(crate) fn repository(place: &mut Place, dice: &mut Dice) {
    place.git(&["init", "-q"]);
    if dice.one_in(12) {
        place.git(&["config", "core.autocrlf", if dice.one_in(2) { "true" } else { "input" }]);
    }
    if dice.one_in(3) {
        place.write(
            ".gitattributes",
            "crlf.txt text eol=crlf\n*.md text=auto\n*.bin binary\na.txt ident\n",
        );
    }
    if dice.one_in(2) {
        place.write(".gitignore", "*.o\n/build/\nignored*\n!ignored-not\n");
    }
    let steps = dice.below(12);
    for _ in 0..steps {
        work(place, dice, true);
        match dice.below(8) {
            0 => {
                let name = format!("topic-{}", dice.below(4));
                let _ = place.run(&["checkout", "-q", "-b", &name]);
            }
            1 => {
                let name = format!("topic-{}", dice.below(4));
                let _ = place.run(&["checkout", "-q", &name]);
            }
            2 => {
                let name = format!("topic-{}", dice.below(4));
                let _ = place.run(&["merge", "-q", "--no-edit", &name]);
                if !place.run(&["diff", "--quiet", "--diff-filter=U"]).status.success()
                    && dice.one_in(2)
                {
                    return;
                }
            }
            3 => {
                let _ = place.run(&["tag", &format!("v{}", dice.below(9))]);
            }
            _ => {}
        }
        let _ = place.run(&["add", "-A"]);
        let _ = place.run(&["commit", "-q", "-m", &format!("step {}", dice.below(1_000))]);
    }
    if dice.one_in(10) {
        let _ = place.run(&["checkout", "-q", "--detach"]);
    }
    match dice.below(16) {
        0 | 1 => shallow(place, dice),
        2 | 3 => linked(place),
        4 | 5 => submodule(place, dice),
        6 | 7 => sparse(place),
        _ => {}
    }
    // What is left half done.
    for _ in 0..dice.below(5) {
        work(place, dice, false);
        if dice.one_in(2) {
            let _ = place.run(&["add", "-A"]);
        }
    }
    if dice.one_in(4) {
        place.write("new/only/here.txt", "x\n");
        place.write("new/ignored.o", "x\n");
        place.write("build/out", "x\n");
        place.write("ignored-not", "x\n");
    }
    if dice.one_in(6) {
        let _ = place.run(&["add", "-N", "."]);
    }
    if dice.one_in(6) {
        let _ = place.run(&["rm", "-q", "--cached", "--ignore-unmatch", "a.txt", "src/lib.rs"]);
    }
}

/// Cuts history off, as a clone with a depth has it.
fn shallow(place: &mut Place, dice: &mut Dice) {
    let last = format!("HEAD~{}", dice.below(3));
    let out = place.run(&["rev-parse", "--verify", "-q", &last]);
    if out.status.success() {
        fs::write(place.at(".git/shallow"), out.stdout).unwrap();
    }
}

/// Goes on in another work tree of the repository.
fn linked(place: &mut Place) {
    let other = place.root.with_file_name("linked");
    let to = other.to_str().unwrap().to_owned();
    if place.run(&["worktree", "add", "-q", "-b", "linked", &to]).status.success() {
        place.root = other.canonicalize().unwrap();
    }
}

/// Takes another repository in, which is changed in some way.
fn submodule(place: &mut Place, dice: &mut Dice) {
    let mut other = Place::new(place.root.with_file_name("other"));
    other.git(&["init", "-q"]);
    other.write("s.txt", "s\n");
    other.git(&["add", "-A"]);
    other.git(&["commit", "-q", "-m", "inner"]);
    let from = other.root.to_str().unwrap().to_owned();
    if !place.run(&["submodule", "--quiet", "add", &from, "inner"]).status.success() {
        return;
    }
    if dice.one_in(2) {
        let _ = place.run(&["commit", "-q", "-m", "with another"]);
    }
    match dice.below(4) {
        0 => place.write("inner/s.txt", "changed\n"),
        1 => place.write("inner/new.txt", "new\n"),
        2 => {
            let mut inner = Place::new(place.at("inner"));
            inner.git(&["commit", "-q", "--allow-empty", "-m", "more"]);
        }
        _ => {}
    }
}

/// Leaves folders out of the work tree.
fn sparse(place: &mut Place) {
    let _ = place.run(&["sparse-checkout", "set", "--no-cone", "/*", "!/src/", "!/docs/"]);
}

/// Changes some files.
fn work(place: &mut Place, dice: &mut Dice, is_committed: bool) {
    for _ in 0..=dice.below(4) {
        let name = path(dice.pick(NAMES));
        let file = place.at(&name);
        match dice.below(14) {
            0..=2 => {
                let lines = 1 + dice.below(60);
                if !file.is_symlink() {
                    place.write(&name, text(dice, lines));
                }
            }
            3..=7 => {
                if let Ok(old) = fs::read(&file)
                    && !file.is_symlink()
                {
                    fs::write(&file, edited(dice, &old)).unwrap();
                }
            }
            8 => {
                let _ = fs::remove_file(&file);
            }
            9 => {
                let to = path(dice.pick(NAMES));
                if is_committed && !place.at(&to).exists() && file.is_file() && !file.is_symlink() {
                    if let Some(parent) = place.at(&to).parent() {
                        fs::create_dir_all(parent).unwrap();
                    }
                    let args =
                        [OsStr::new("mv"), OsStr::new("--"), name.as_os_str(), to.as_os_str()];
                    let _ = place.run(&args);
                }
            }
            10 => {
                if file.is_file() && !file.is_symlink() {
                    let mode = if dice.one_in(2) { 0o755 } else { 0o644 };
                    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
                }
            }
            11 => {
                let bytes: Vec<u8> =
                    (0..200).map(|_| u8::try_from(dice.below(256)).unwrap()).collect();
                if !file.is_symlink() {
                    place.write(&name, bytes);
                }
            }
            // Attributes are not for links, but libgit2 has them be.
            12 if file.extension() != Some(OsStr::new("bin")) => {
                let _ = fs::remove_file(&file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                // libgit2 finds no links that moved: each leads elsewhere.
                let to = format!("{}{}", dice.pick(&["a", "/etc/passwd"]), dice.below(1_000_000));
                let _ = symlink(to, &file);
            }
            _ => {
                let name = format!("untracked-{}", dice.below(3));
                place.write(name, text(dice, 3));
            }
        }
    }
}

fn edited(dice: &mut Dice, old: &[u8]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        old.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=dice.below(3) {
        let at = dice.below(lines.len() + 1);
        match dice.below(4) {
            0 if at < lines.len() => {
                lines.remove(at);
            }
            1 if at < lines.len() => lines[at] = text(dice, 1),
            2 if at < lines.len() => {
                let line = String::from_utf8_lossy(&lines[at]).replace(' ', "  ");
                lines[at] = line.into_bytes();
            }
            _ => {
                let many = 1 + dice.below(4);
                let text = text(dice, many);
                lines.splice(at..at, [text]);
            }
        }
    }
    lines.concat()
}
