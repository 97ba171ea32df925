//! Hostile paths, and the outcomes that the contract allows for each.

use std::path::Path;

/// The class of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Leads out as it is written.
    Out,
    /// Is no path at all.
    NotPath,
    /// A link that escapes the workspace or dangles.
    LinkOut,
    /// A name below such a link.
    ThroughLink,
    /// A link that leads round in a circle.
    Loop,
    /// A FIFO or socket.
    Special,
    /// Names that programs run or trust.
    Guarded,
    /// The root itself.
    Root,
    /// A file that has another name outside.
    HardLink,
    /// Looks like a trick and is a name like any other, or none that is there.
    Odd,
}

/// All of them, for this workspace.
pub(super) fn hostile(root: &Path, around: &Path) -> Vec<(Class, String)> {
    let root = root.to_str().unwrap();
    let around = around.to_str().unwrap();
    let mut paths = Vec::new();
    let mut all = |class: Class, some: &[&str]| {
        paths.extend(some.iter().map(|path| (class, (*path).to_owned())));
    };
    all(
        Class::Out,
        &[
            "..",
            "../",
            "../secret",
            "../secret/s.txt",
            "./../secret/s.txt",
            "dir/../../secret/s.txt",
            "dir/../../workspace/../secret/s.txt",
            "dir/deep/../../../secret/s.txt",
            "no-such/../../secret/s.txt",
            "..//secret//s.txt",
            "../secret/./s.txt",
            "../secret/new.txt",
            "../new-folder/new.txt",
            "../workspace-evil/s.txt",
            "../../../../../../../../../../../../etc/passwd",
            "/",
            "//",
            "/etc/passwd",
            "//etc/passwd",
            "/./etc/passwd",
            "/proc/self/environ",
            "/proc/self/root/etc/passwd",
            "/dev/zero",
            "/dev/stdin",
            "/dev/fd/0",
            "/tmp",
            "file:///etc/passwd",
            "FILE:///etc/passwd",
            "file:///",
            "file:/etc/passwd",
            "/proc/self/cwd/a.txt",
        ],
    );
    all(
        Class::Out,
        &[
            &format!("{around}/secret/s.txt"),
            &format!("{around}/secret"),
            &format!("{root}-evil/s.txt"),
            &format!("{root}-evil"),
            &format!("{root}/.."),
            &format!("{root}/../secret/s.txt"),
            &format!("{root}/../workspace-evil/s.txt"),
            &format!("{root}/dir/../../secret/s.txt"),
            &format!("/../..{around}/secret/s.txt"),
            &format!("file://{around}/secret/s.txt"),
            &format!("file://localhost{around}/secret/s.txt"),
            &format!("file://{root}/../secret/s.txt"),
            &format!("file://{root}/%2e%2e/secret/s.txt"),
            &format!("file://{root}/%2E%2E%2Fsecret/s.txt"),
            &format!("file://{root}/..%2fsecret/s.txt"),
            &format!("file://{root}-evil/s.txt"),
            &format!("{}.txt", "n".repeat(256)),
            &"long/".repeat(1_000),
            &"../".repeat(200),
            &format!("{}secret/s.txt", "dir/../".repeat(300) + "../"),
        ],
    );
    all(
        Class::NotPath,
        &[
            "\0",
            "a\0.txt",
            "a.txt\0",
            "../secret/s.txt\0.txt",
            "http://localhost/a.txt",
            "https://example.org/a.txt",
            "ftp://host/a.txt",
            "vscode-remote://x/a.txt",
            "untitled:///a.txt",
            "file://otherhost/etc/passwd",
            "file://evil@/etc/passwd",
            "javascript://a.txt",
        ],
    );
    all(
        Class::NotPath,
        &[
            &format!("file://otherhost{root}/a.txt"),
            &format!("file://{root}/a%00.txt"),
            &format!("file://{root}/%ff%fe.txt"),
        ],
    );
    all(
        Class::LinkOut,
        &[
            "out",
            "out-absolute",
            "out-dir",
            "out-dir-absolute",
            "up",
            "slash",
            "chain-1",
            "chain-2",
            "dir/back-and-out",
            "dir/../out",
            "./out",
            "out-dangling",
            "out-new",
            "magic-root",
            "magic-cwd",
            "magic-fd",
            "zero",
            "tty",
            "evil",
        ],
    );
    all(Class::LinkOut, &[&format!("{root}/out"), &format!("file://{root}/out")]);
    all(
        Class::ThroughLink,
        &[
            "out-dir/s.txt",
            "out-dir/deep/s.txt",
            "out-dir/new.txt",
            "out-dir/new/new.txt",
            "out-dir-absolute/s.txt",
            "up/secret/s.txt",
            "slash/etc/passwd",
            "evil/s.txt",
            "magic-root/etc/passwd",
            "magic-cwd/secret/s.txt",
            "out-dir/../secret/s.txt",
            "up/secret/new.txt",
            "out-dangling/new.txt",
        ],
    );
    all(Class::Loop, &["loop-a", "loop-b", "self"]);
    all(Class::ThroughLink, &["loop-a/x", "self/x/y"]);
    all(Class::Special, &["fifo", "socket", "dir/../fifo"]);
    all(
        Class::Guarded,
        &[
            ".git/config",
            ".git/hooks/pre-commit",
            ".GIT/config",
            ".Git/hooks/x",
            "dir/.git/config",
            ".vscode/tasks.json",
            ".VSCODE/tasks.json",
            ".idea/workspace.xml",
            ".tandem/config.toml",
            "x.code-workspace",
            "dir/X.CODE-WORKSPACE",
            "dir/../.git/config",
            "./.vscode/tasks.json",
            ".git./config",
            ".git /config",
            ".vscode.../tasks.json",
            "tree/.git/config",
        ],
    );
    all(Class::Root, &[".", "./", "dir/..", "./.", "dir/deep/../.."]);
    all(Class::Root, &[root, &format!("{root}/"), &format!("file://{root}")]);
    all(Class::HardLink, &["hard.txt", "./hard.txt"]);
    all(
        Class::Odd,
        &[
            "..\\secret\\s.txt",
            "dir\\..\\..\\secret\\s.txt",
            "C:\\Windows\\win.ini",
            "C:/x",
            "c:a",
            "\\\\host\\share",
            "\\\\?\\C:\\x",
            "?/C:/x",
            "jar:file:///a.txt!/b",
            "",
            "~",
            "~/.ssh/id_rsa",
            "~root/x",
            "$HOME/x",
            "${HOME}/x",
            "%HOME%",
            "$(id)",
            "`id`",
            "a.txt; id",
            "a.txt\n../secret/s.txt",
            "\u{2024}\u{2024}/secret/s.txt",
            "\u{ff0e}\u{ff0e}/secret/s.txt",
            "..\u{2215}secret\u{2215}s.txt",
            "..\u{ff0f}secret",
            ".\u{200b}./secret/s.txt",
            "\u{202e}txt.a",
            ".. /secret/s.txt",
            "... /s.txt",
            ".../s.txt",
            "..../s.txt",
            "..;/secret/s.txt",
            "%2e%2e/secret/s.txt",
            "..%2fsecret%2fs.txt",
            "%252e%252e/s.txt",
            "..%c0%afsecret",
            "a.txt/",
            "a.txt/.",
            "a.txt/x",
            "a.txt/..",
            "a.txt.",
            "a.txt ",
            " a.txt",
            "A.TXT",
            "dir/./deep/.//c.txt",
            "-rf",
            "--help",
            "@a.txt",
            "!a.txt",
            "CON",
            "NUL",
            "a.txt:ads",
            "a.txt::$DATA",
            "*",
            "**/../../secret/*",
            "{..,dir}/s.txt",
            "[.][.]/secret/s.txt",
            "?",
            "a..b.txt",
            "a\u{301}.txt",
            "\u{feff}a.txt",
            "\r\n",
            "\t",
            " ",
            "sub/\u{fffd}\u{fffd}.txt",
        ],
    );
    paths
}
