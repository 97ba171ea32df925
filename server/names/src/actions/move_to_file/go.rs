//! Go: another file of the same package.

use std::collections::BTreeSet;

use super::needs::{import_of, item_of};
use super::{Needs, Parts, Subject, dropped};
use crate::actions::site::{Site, snake_case};
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};
use crate::project::last;

/// Words that a file's name ends in for one system only.
const SYSTEMS: &[&str] = &[
    "test",
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "illumos",
    "ios",
    "js",
    "linux",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "386",
    "amd64",
    "arm",
    "arm64",
    "loong64",
    "mips",
    "mips64",
    "mips64le",
    "mipsle",
    "ppc64",
    "ppc64le",
    "riscv64",
    "s390x",
    "wasm",
    "unix",
];

pub(super) fn file_name(subject: &Subject<'_>, own: &str) -> String {
    let snake = snake_case(subject.name);
    let test = if own.ends_with("_test.go") { "_test" } else { "" };
    let plain = snake.strip_prefix("test_").filter(|_| !test.is_empty());
    let snake = plain.map_or(snake.clone(), str::to_owned);
    let ends = snake.rsplit('_').next().unwrap_or("");
    match SYSTEMS.contains(&ends) && snake.contains('_') {
        true => format!("{}{test}.go", snake.replace('_', "")),
        false => format!("{snake}{test}.go"),
    }
}

pub(super) fn parts(
    site: &Site<'_>,
    subject: &Subject<'_>,
    needs: &Needs,
) -> Result<Parts, ActionRefusal> {
    let own = site.resolver.path(site.file);
    let root = site.place.syntax.root();
    let mut cursor = root.walk();
    let package = root.named_children(&mut cursor).find(|n| n.kind() == "package_clause");
    let shape = |why: &str| refusal(Why::Shape, why);
    let package = package.ok_or_else(|| shape("the file says no package"))?;
    let above = &site.source[..package.start_byte()];
    if above.contains("//go:build") || above.contains("// +build") {
        return Err(shape("the file is built only under a condition"));
    }
    if above.contains("DO NOT EDIT") {
        return Err(shape("the file is made by a program, which would make it again"));
    }
    let stem = last(own).trim_end_matches(".go").trim_end_matches("_test");
    let ends = stem.rsplit('_').next().unwrap_or("");
    if stem.contains('_') && SYSTEMS.contains(&ends) {
        return Err(shape("the file's name says on which systems it is built"));
    }
    let code = subject.code(site);
    for word in ["//go:embed", "//go:linkname", "//export ", "C."] {
        let word_c = word == "C." && super::words(code, "C").any(|at| code[at..].starts_with("C."));
        if word != "C." && code.contains(word) || word_c {
            return Err(shape("it goes with other lines of this file"));
        }
    }
    if matches!(subject.name, "init" | "main" | "_") && subject.declared.kind().starts_with("func")
    {
        return Err(shape("what a program begins with stays where it is"));
    }
    if subject.declared.kind() == "var_declaration" && site.has_effects(subject.declared) {
        let why = "variables that are worked out in the beginning are so in the order of files";
        return Err(refusal(Why::Order, why));
    }
    let mut cursor = root.walk();
    for declared in root.named_children(&mut cursor).filter(|n| n.kind() == "import_declaration") {
        let text = site.text(declared);
        let dots = text.lines().any(|l| {
            let l = l.trim().trim_start_matches("import").trim();
            l.starts_with(". \"") || l.contains("\"C\"")
        });
        if dots {
            return Err(refusal(Why::Unknown, "the file imports names without saying which"));
        }
    }
    let known = |name: &str| {
        BUILT_IN.contains(&name)
            || site.resolver.defined(name).any(|id| {
                site.resolver.folder(id.file) == site.resolver.folder(site.file)
                    && site.resolver.def(id).scope == 0
            })
    };
    if let Some(name) = needs.outside.iter().find(|n| !known(n)) {
        return Err(refusal(Why::Unknown, format!("it is not known what `{name}` means")));
    }
    let mut lines = BTreeSet::new();
    for &d in &needs.imports {
        import_of(site, d)?;
        let spec = item_of(site, d, &["import_spec"]);
        let spec = spec.ok_or_else(|| shape("an import is not written as usual"))?;
        let path = spec.child_by_field_name("path").map_or("", |p| site.text(p));
        // Those of the language itself come first.
        let outside = path.split('/').next().unwrap_or("").contains('.');
        lines.insert((outside, path.to_owned(), site.text(spec).to_owned()));
    }
    let mut head = format!("{}\n", site.text(package));
    match lines.len() {
        0 => {}
        1 => lines.iter().for_each(|(.., spec)| head.push_str(&format!("\nimport {spec}\n"))),
        _ => {
            head.push_str("\nimport (\n");
            let mut group = None;
            for (outside, _, spec) in &lines {
                if group.is_some_and(|g| g != *outside) {
                    head.push('\n');
                }
                group = Some(*outside);
                head.push_str(&format!("\t{spec}\n"));
            }
            head.push_str(")\n");
        }
    }
    let old = dropped(site, subject, needs, &|_| false)?;
    Ok(Parts { head, code: code.to_owned(), old, others: Vec::new() })
}

const BUILT_IN: &[&str] = &[
    "any",
    "bool",
    "byte",
    "comparable",
    "complex64",
    "complex128",
    "error",
    "float32",
    "float64",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "rune",
    "string",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintptr",
    "true",
    "false",
    "iota",
    "nil",
    "append",
    "cap",
    "clear",
    "close",
    "complex",
    "copy",
    "delete",
    "imag",
    "len",
    "make",
    "max",
    "min",
    "new",
    "panic",
    "print",
    "println",
    "real",
    "recover",
    "_",
];
