//! Random repositories, created with the `git` program.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use crate::test_repo::TestRepo;

/// A deterministic random number generator.
pub(crate) struct Random(u64);

impl Random {
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

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
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

fn text(random: &mut Random, lines: usize) -> Vec<u8> {
    let words = ["alpha", "beta", "gamma", "delta", "return x;", "}", "", "    if y {", "fn f() {"];
    let mut text = Vec::new();
    for number in 0..lines {
        let word = random.pick(&words);
        let end = if random.one_in(40) { "\r\n" } else { "\n" };
        // Mostly unique lines, so that there is only one minimal diff.
        let line = if random.one_in(6) {
            format!("{word}{end}")
        } else {
            format!("{word} {number} {}{end}", random.below(1_000_000))
        };
        text.extend_from_slice(line.as_bytes());
    }
    if random.one_in(8) {
        text.extend_from_slice(b"no end");
    }
    text
}

/// Creates a repository with files in every state.
pub(crate) fn random_repository(repo: &mut TestRepo, random: &mut Random) {
    repo.git(&["init", "-q"]);
    if random.one_in(12) {
        repo.git(&["config", "core.autocrlf", if random.one_in(2) { "true" } else { "input" }]);
    }
    if random.one_in(3) {
        repo.write(
            ".gitattributes",
            "crlf.txt text eol=crlf\n*.md text=auto\n*.bin binary\na.txt ident\n",
        );
    }
    if random.one_in(2) {
        repo.write(".gitignore", "*.o\n/build/\nignored*\n!ignored-not\n");
    }
    let steps = random.below(12);
    for _ in 0..steps {
        change_files(repo, random, true);
        match random.below(8) {
            0 => {
                let name = format!("topic-{}", random.below(4));
                let _ = repo.run(&["checkout", "-q", "-b", &name]);
            }
            1 => {
                let name = format!("topic-{}", random.below(4));
                let _ = repo.run(&["checkout", "-q", &name]);
            }
            2 => {
                let name = format!("topic-{}", random.below(4));
                let _ = repo.run(&["merge", "-q", "--no-edit", &name]);
                if !repo.run(&["diff", "--quiet", "--diff-filter=U"]).status.success()
                    && random.one_in(2)
                {
                    return;
                }
            }
            3 => {
                let _ = repo.run(&["tag", &format!("v{}", random.below(9))]);
            }
            _ => {}
        }
        let _ = repo.run(&["add", "-A"]);
        let _ = repo.run(&["commit", "-q", "-m", &format!("step {}", random.below(1_000))]);
    }
    if random.one_in(10) {
        let _ = repo.run(&["checkout", "-q", "--detach"]);
    }
    match random.below(16) {
        0 | 1 => shallow(repo, random),
        2 | 3 => linked_work_tree(repo),
        4 | 5 => submodule(repo, random),
        6 | 7 => sparse(repo),
        _ => {}
    }
    // Uncommitted changes.
    for _ in 0..random.below(5) {
        change_files(repo, random, false);
        if random.one_in(2) {
            let _ = repo.run(&["add", "-A"]);
        }
    }
    if random.one_in(4) {
        repo.write("new/only/here.txt", "x\n");
        repo.write("new/ignored.o", "x\n");
        repo.write("build/out", "x\n");
        repo.write("ignored-not", "x\n");
    }
    if random.one_in(6) {
        let _ = repo.run(&["add", "-N", "."]);
    }
    if random.one_in(6) {
        let _ = repo.run(&["rm", "-q", "--cached", "--ignore-unmatch", "a.txt", "src/lib.rs"]);
    }
}

/// Truncates history like a shallow clone.
fn shallow(repo: &mut TestRepo, random: &mut Random) {
    let last = format!("HEAD~{}", random.below(3));
    let out = repo.run(&["rev-parse", "--verify", "-q", &last]);
    if out.status.success() {
        fs::write(repo.at(".git/shallow"), out.stdout).unwrap();
    }
}

/// Continues in a linked work tree.
fn linked_work_tree(repo: &mut TestRepo) {
    let other = repo.root.with_file_name("linked");
    let to = other.to_str().unwrap().to_owned();
    if repo.run(&["worktree", "add", "-q", "-b", "linked", &to]).status.success() {
        repo.root = other.canonicalize().unwrap();
    }
}

/// Adds a submodule and changes something in it.
fn submodule(repo: &mut TestRepo, random: &mut Random) {
    let mut other = TestRepo::new(repo.root.with_file_name("other"));
    other.git(&["init", "-q"]);
    other.write("s.txt", "s\n");
    other.git(&["add", "-A"]);
    other.git(&["commit", "-q", "-m", "inner"]);
    let from = other.root.to_str().unwrap().to_owned();
    if !repo.run(&["submodule", "--quiet", "add", &from, "inner"]).status.success() {
        return;
    }
    if random.one_in(2) {
        let _ = repo.run(&["commit", "-q", "-m", "with another"]);
    }
    match random.below(4) {
        0 => repo.write("inner/s.txt", "changed\n"),
        1 => repo.write("inner/new.txt", "new\n"),
        2 => {
            let mut inner = TestRepo::new(repo.at("inner"));
            inner.git(&["commit", "-q", "--allow-empty", "-m", "more"]);
        }
        _ => {}
    }
}

/// Makes the checkout sparse.
fn sparse(repo: &mut TestRepo) {
    let _ = repo.run(&["sparse-checkout", "set", "--no-cone", "/*", "!/src/", "!/docs/"]);
}

/// Changes some files.
fn change_files(repo: &mut TestRepo, random: &mut Random, is_committed: bool) {
    for _ in 0..=random.below(4) {
        let name = path(random.pick(NAMES));
        let file = repo.at(&name);
        match random.below(14) {
            0..=2 => {
                let lines = 1 + random.below(60);
                if !file.is_symlink() {
                    repo.write(&name, text(random, lines));
                }
            }
            3..=7 => {
                if let Ok(old) = fs::read(&file)
                    && !file.is_symlink()
                {
                    fs::write(&file, edited(random, &old)).unwrap();
                }
            }
            8 => {
                let _ = fs::remove_file(&file);
            }
            9 => {
                let to = path(random.pick(NAMES));
                if is_committed && !repo.at(&to).exists() && file.is_file() && !file.is_symlink() {
                    if let Some(parent) = repo.at(&to).parent() {
                        fs::create_dir_all(parent).unwrap();
                    }
                    let args =
                        [OsStr::new("mv"), OsStr::new("--"), name.as_os_str(), to.as_os_str()];
                    let _ = repo.run(&args);
                }
            }
            10 => {
                if file.is_file() && !file.is_symlink() {
                    let mode = if random.one_in(2) { 0o755 } else { 0o644 };
                    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
                }
            }
            11 => {
                let bytes: Vec<u8> =
                    (0..200).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
                if !file.is_symlink() {
                    repo.write(&name, bytes);
                }
            }
            // git ignores attributes of links, libgit2 applies them: create no link with
            // attributes.
            12 if file.extension() != Some(OsStr::new("bin")) => {
                let _ = fs::remove_file(&file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                // libgit2 does not detect renamed links: give each a different target.
                let to =
                    format!("{}{}", random.pick(&["a", "/etc/passwd"]), random.below(1_000_000));
                let _ = symlink(to, &file);
            }
            _ => {
                let name = format!("untracked-{}", random.below(3));
                repo.write(name, text(random, 3));
            }
        }
    }
}

fn edited(random: &mut Random, old: &[u8]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        old.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(lines.len() + 1);
        match random.below(4) {
            0 if at < lines.len() => {
                lines.remove(at);
            }
            1 if at < lines.len() => lines[at] = text(random, 1),
            2 if at < lines.len() => {
                let line = String::from_utf8_lossy(&lines[at]).replace(' ', "  ");
                lines[at] = line.into_bytes();
            }
            _ => {
                let many = 1 + random.below(4);
                let text = text(random, many);
                lines.splice(at..at, [text]);
            }
        }
    }
    lines.concat()
}
