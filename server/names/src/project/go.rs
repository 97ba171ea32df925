//! Go packages: folders under a module path.

use super::{Located, Module, Project, parent};
use crate::index::FileId;

/// The contents of a `go.mod` or `go.work`.
#[derive(Debug, PartialEq)]
pub(super) struct GoModule {
    folder: Box<str>,
    /// The module path; empty for a `go.work`.
    path: Box<str>,
    /// Modules replaced by folders of the project.
    replaced: Vec<(Box<str>, Box<str>)>,
    /// The folders of the modules that a `go.work` uses.
    used: Vec<Box<str>>,
}

impl Located for GoModule {
    fn folder(&self) -> &str {
        &self.folder
    }

    fn kind(&self) -> bool {
        self.path.is_empty()
    }
}

impl GoModule {
    /// Parses a `go.mod` or `go.work`.
    pub(super) fn read(folder: &str, text: &str) -> Self {
        let mut read =
            Self { folder: folder.into(), path: "".into(), replaced: vec![], used: vec![] };
        let mut block = "";
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or("").trim();
            let words: Vec<&str> = line.split_whitespace().map(|w| w.trim_matches('"')).collect();
            let (verb, rest) = match words[..] {
                [verb, "("] => {
                    block = verb;
                    continue;
                }
                [")"] => {
                    block = "";
                    continue;
                }
                [verb @ ("module" | "replace" | "use"), ref rest @ ..] if block.is_empty() => {
                    (verb, rest)
                }
                ref rest => (block, rest),
            };
            match (verb, rest) {
                ("module", [path]) => read.path = (*path).into(),
                ("replace", [name, "=>", to] | [name, _, "=>", to]) if to.starts_with('.') => {
                    read.replaced.extend(
                        super::join_normalized(folder, to).map(|to| ((*name).into(), to.into())),
                    );
                }
                ("use", [at]) => {
                    read.used.extend(super::join_normalized(folder, at).map(Into::into))
                }
                _ => {}
            }
        }
        read
    }

    /// The import path of the module's root package.
    fn prefix(&self) -> &str {
        // Packages of the standard library are imported by their folder alone.
        if &*self.path == "std" { "" } else { &self.path }
    }

    /// Whether a folder is in the module.
    fn is_around(&self, folder: &str) -> bool {
        within(folder, &self.folder).is_some()
    }
}

/// The rest of a path below another; empty if they are equal.
fn within<'p>(path: &'p str, above: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(above)?;
    (above.is_empty() || rest.is_empty() || rest.starts_with('/'))
        .then(|| rest.trim_start_matches('/'))
}

impl Project {
    /// The folder that an import of the file's own module refers to, if it contains no package.
    pub(crate) fn go_folder(&self, file: FileId, name: &str) -> Option<String> {
        let from = parent(self.path(file));
        let mut around = self.go.iter().filter(|m| !m.path.is_empty() && m.is_around(from));
        // Of nested modules, only the innermost contains the package.
        let own = around.next()?;
        let replaced = own.replaced.iter().any(|(path, _)| within(name, path).is_some());
        let others =
            self.go.iter().any(|m| m.folder != own.folder && within(name, &m.path).is_some());
        let folder = super::join_normalized(&own.folder, within(name, own.prefix())?)?;
        (!replaced && !others && self.in_folder(&folder).is_empty()).then_some(folder)
    }

    /// Resolves a Go import: `replace` directives, the file's own module, modules of a `go.work`,
    /// `vendor`, then other modules.
    pub(super) fn go(&self, file: FileId, name: &str) -> Option<Module> {
        let from = parent(self.path(file));
        let at = |folder: &str, rest: &str| {
            let folder = super::join_normalized(folder, rest)?;
            (!self.in_folder(&folder).is_empty()).then(|| Module::Folder(folder.into()))
        };
        let in_module = |m: &GoModule| at(&m.folder, within(name, m.prefix())?);
        let modules = || self.go.iter().filter(|m| !m.path.is_empty());
        let own = modules().find(|m| m.is_around(from));
        let work = self.go.iter().find(|m| m.path.is_empty() && m.is_around(from));
        let replaced = |m: &GoModule| {
            let all = m.replaced.iter();
            let longest = all.filter_map(|(path, to)| Some((path.len(), to, within(name, path)?)));
            let (_, to, rest) = longest.max_by_key(|r| r.0)?;
            at(to, rest)
        };
        let used = |m: &&GoModule| work.is_some_and(|w| w.used.contains(&m.folder));
        let vendor = || {
            let name = format!("vendor/{name}");
            super::ancestors(self.path(file)).find_map(|folder| at(folder, &name))
        };
        let found = work
            .and_then(replaced)
            .or_else(|| own.and_then(replaced))
            .or_else(|| own.and_then(in_module))
            .or_else(|| modules().filter(used).find_map(in_module))
            .or_else(vendor)
            .or_else(|| modules().find_map(in_module));
        if found.is_some() || !self.go.is_empty() || !name.contains('.') {
            return found;
        }
        // Without a `go.mod`: the longest suffix of the path that is a folder here.
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

impl Project {
    /// The import path by which a file would import the package in a folder.
    pub(crate) fn go_path(&self, file: FileId, folder: &str) -> Option<String> {
        let joined = |path: &str, rest: &str| match (path, rest) {
            (path, "") => path.to_owned(),
            ("", rest) => rest.to_owned(),
            (path, rest) => format!("{path}/{rest}"),
        };
        let own = self.go.iter().filter(|m| !m.path.is_empty());
        let own = own.filter_map(|m| Some(joined(m.prefix(), within(folder, &m.folder)?)));
        let theirs = self.libraries.iter().filter(|l| l.language == "go").filter_map(|l| {
            let rest = within(folder, &l.path)?;
            Some(joined(&l.name, rest))
        });
        let mut all = own.chain(theirs).filter(|name| !name.is_empty());
        all.find(|name| self.module(file, "go", name, 0) == Some(Module::Folder(folder.into())))
    }
}

/// The values of GOOS.
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

/// The values of GOARCH.
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

/// Whether a tag is the GOOS or GOARCH of this machine.
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

/// Whether a file name restricts the file to another platform: `*_GOOS.go`, `*_GOARCH.go`,
/// `*_GOOS_GOARCH.go`, each with or without `_test`.
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

/// Whether a file is compiled only for tests.
pub(crate) fn is_go_test(path: &str) -> bool {
    path.ends_with("_test.go")
}
