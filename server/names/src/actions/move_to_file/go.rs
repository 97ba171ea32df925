//! Go: moves a definition to another file of the package.

use std::collections::BTreeSet;

use super::dependencies::{import_item, import_of};
use super::{Dependencies, MovePlan, MovedItem, remove_unused_imports};
use crate::actions::context::{ActionContext, snake_case};
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};
use crate::project::last;

/// Suffixes of file names that restrict the file to tests or to a platform.
const FILE_NAME_CONSTRAINTS: &[&str] = &[
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

pub(super) fn file_name(item: &MovedItem<'_>, own: &str) -> String {
    let snake = snake_case(item.name);
    let test = if own.ends_with("_test.go") { "_test" } else { "" };
    let plain = snake.strip_prefix("test_").filter(|_| !test.is_empty());
    let snake = plain.map_or(snake.clone(), str::to_owned);
    let ends = snake.rsplit('_').next().unwrap_or("");
    match FILE_NAME_CONSTRAINTS.contains(&ends) && snake.contains('_') {
        true => format!("{}{test}.go", snake.replace('_', "")),
        false => format!("{snake}{test}.go"),
    }
}

pub(super) fn plan(
    ctx: &ActionContext<'_>,
    item: &MovedItem<'_>,
    dependencies: &Dependencies,
) -> Result<MovePlan, ActionRefusal> {
    let own = ctx.resolver.path(ctx.file);
    let root = ctx.request.syntax.root();
    let mut cursor = root.walk();
    let package = root.named_children(&mut cursor).find(|n| n.kind() == "package_clause");
    let shape = |why: &str| refusal(Reason::Unsupported, why);
    let package = package.ok_or_else(|| shape("the file has no package clause"))?;
    let above = &ctx.source[..package.start_byte()];
    if above.contains("//go:build") || above.contains("// +build") {
        return Err(shape("the file has build constraints"));
    }
    if above.contains("DO NOT EDIT") {
        return Err(shape("the file is generated"));
    }
    let stem = last(own).trim_end_matches(".go").trim_end_matches("_test");
    let ends = stem.rsplit('_').next().unwrap_or("");
    if stem.contains('_') && FILE_NAME_CONSTRAINTS.contains(&ends) {
        return Err(shape("the file's name restricts it to a platform"));
    }
    let code = item.code(ctx);
    for word in ["//go:embed", "//go:linkname", "//export ", "C."] {
        let word_c =
            word == "C." && super::word_offsets(code, "C").any(|at| code[at..].starts_with("C."));
        if word != "C." && code.contains(word) || word_c {
            return Err(shape("it depends on directives or C code in this file"));
        }
    }
    if matches!(item.name, "init" | "main" | "_") && item.declared.kind().starts_with("func") {
        return Err(shape("an entry point cannot be moved"));
    }
    if item.declared.kind() == "var_declaration" && ctx.has_effects(item.declared) {
        let why = "package variables are initialised in the order of files";
        return Err(refusal(Reason::Order, why));
    }
    let mut cursor = root.walk();
    for declared in root.named_children(&mut cursor).filter(|n| n.kind() == "import_declaration") {
        let text = ctx.text(declared);
        let dots = text.lines().any(|l| {
            let l = l.trim().trim_start_matches("import").trim();
            l.starts_with(". \"") || l.contains("\"C\"")
        });
        if dots {
            return Err(refusal(Reason::Unknown, "the file has a dot import or uses cgo"));
        }
    }
    let known = |name: &str| {
        UNIVERSE_NAMES.contains(&name)
            || ctx.resolver.definitions_named(name).any(|id| {
                ctx.resolver.folder(id.file) == ctx.resolver.folder(ctx.file)
                    && ctx.resolver.def(id).scope == 0
            })
    };
    if let Some(name) = dependencies.outside.iter().find(|n| !known(n)) {
        return Err(refusal(Reason::Unknown, format!("`{name}` does not resolve")));
    }
    let mut lines = BTreeSet::new();
    for &d in &dependencies.imports {
        import_of(ctx, d)?;
        let spec = import_item(ctx, d, &["import_spec"]);
        let spec = spec.ok_or_else(|| shape("an import is not supported"))?;
        let path = spec.child_by_field_name("path").map_or("", |p| ctx.text(p));
        // Standard library imports come first.
        let outside = path.split('/').next().unwrap_or("").contains('.');
        lines.insert((outside, path.to_owned(), ctx.text(spec).to_owned()));
    }
    let mut head = format!("{}\n", ctx.text(package));
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
    let old = remove_unused_imports(ctx, item, dependencies, &|_| false)?;
    Ok(MovePlan { head, code: code.to_owned(), old, others: Vec::new() })
}

const UNIVERSE_NAMES: &[&str] = &[
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
