//! Go's packages: folders under a module's path.

use super::{Located, Module, Project};

/// What a `go.mod` says.
#[derive(Debug, PartialEq)]
pub(super) struct GoModule {
    folder: Box<str>,
    path: Box<str>,
}

impl Located for GoModule {
    fn folder(&self) -> &str {
        &self.folder
    }
}

impl GoModule {
    pub(super) fn read(folder: &str, text: &str) -> Self {
        let path = text.lines().find_map(|l| l.trim().strip_prefix("module ")).unwrap_or("");
        let path = path.split("//").next().unwrap_or("").trim().trim_matches('"');
        Self { folder: folder.into(), path: path.into() }
    }
}

impl Project {
    pub(super) fn go(&self, name: &str) -> Option<Module> {
        for module in self.go.iter().filter(|m| !m.path.is_empty()) {
            if let Some(rest) = name.strip_prefix(&*module.path)
                && (rest.is_empty() || rest.starts_with('/'))
            {
                let folder = super::join(&module.folder, rest)?;
                return (!self.in_folder(&folder).is_empty())
                    .then(|| Module::Folder(folder.into()));
            }
        }
        if !self.go.is_empty() || !name.contains('.') {
            return None;
        }
        // Without a go.mod: the longest end of the path that is a folder here.
        let mut rest = name;
        while let Some((_, tail)) = rest.split_once('/') {
            rest = tail;
            if rest.contains('/') && !self.in_folder(rest).is_empty() {
                return Some(Module::Folder(rest.into()));
            }
        }
        None
    }
}

/// The systems that Go can build for.
const SYSTEMS: &[&str] = &[
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];

/// The processors that Go can build for.
const PROCESSORS: &[&str] = &[
    "386",
    "amd64",
    "amd64p32",
    "arm",
    "armbe",
    "arm64",
    "arm64be",
    "loong64",
    "mips",
    "mipsle",
    "mips64",
    "mips64le",
    "mips64p32",
    "mips64p32le",
    "ppc",
    "ppc64",
    "ppc64le",
    "riscv",
    "riscv64",
    "s390",
    "s390x",
    "sparc",
    "sparc64",
    "wasm",
];

/// Whether a tag names the system or the processor that this runs on, as Go calls them.
pub(crate) fn is_this_platform(tag: &str) -> bool {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "x86" => "386",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64",
        "loongarch64" => "loong64",
        other => other,
    };
    tag == system || tag == processor
}

/// Whether a file's name says that it is for another system or processor:
/// `*_GOOS.go`, `*_GOARCH.go`, `*_GOOS_GOARCH.go`, each with or without `_test`.
pub(crate) fn is_for_other_platform(path: &str) -> bool {
    let Some(stem) = super::last(path).strip_suffix(".go") else { return false };
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    let Some((rest, end)) = stem.rsplit_once('_') else { return false };
    let other = |tag: &str| !is_this_platform(tag);
    if PROCESSORS.contains(&end) {
        let system = rest.rsplit_once('_').map(|(_, s)| s).filter(|s| SYSTEMS.contains(s));
        return other(end) || system.is_some_and(other);
    }
    SYSTEMS.contains(&end) && other(end)
}
