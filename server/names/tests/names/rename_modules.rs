//! Rename of modules that are named after their files.
#![allow(clippy::unwrap_used)]

use crate::fixture::fixture;
use names::{FileId, RenameError};

/// The paths that change when the module `old` at `$0` is renamed to `fresh`.
#[track_caller]
fn moves(text: &str) -> Vec<String> {
    let f = fixture(text);
    let (file, offset) = (FileId(f.cursor.0), f.cursor.1);
    let module = f.index.module_at(file, offset).expect("no module");
    assert_eq!(&f.sources[f.cursor.0 as usize][module.span.clone()], "old");
    assert_eq!(f.index.prepare_rename(file, offset).unwrap().span, module.span);
    let moves = f.index.module_moves(&module, "fresh").unwrap();
    moves.into_iter().map(|m| format!("{} {}", m.from, m.to)).collect()
}

#[track_caller]
fn none(text: &str) {
    let f = fixture(text);
    let found = f.index.module_at(FileId(f.cursor.0), f.cursor.1);
    assert_eq!(found, None);
}

#[test]
fn python_modules_and_packages() {
    let files = "\n//- /pkg/__init__.py\n//- /pkg/old.py\nx = 1\n//- /app.py\n";
    for line in [
        "import pkg.o$0ld",
        "from pkg.ol$0d import x",
        "from pkg import ol$0d",
        "from pkg import old\nol$0d.x",
        "import pkg.old as o\nimport pkg.old\npkg.o$0ld.x",
    ] {
        assert_eq!(moves(&format!("{files}{line}\n")), ["pkg/old.py pkg/fresh.py"], "{line}");
    }
    let package = "\n//- /old/__init__.py\nx = 1\n//- /old/a.py\n//- /app.py\n";
    for line in ["import o$0ld", "from ol$0d import a", "import o$0ld.a", "from ol$0d.a import y"] {
        assert_eq!(moves(&format!("{package}{line}\n")), ["old fresh"], "{line}");
    }
    let stub = "\n//- /old.py\nx = 1\n//- /old.pyi\nx: int\n//- /app.py\nimport ol$0d\n";
    let mut both = moves(stub);
    both.sort();
    assert_eq!(both, ["old.py fresh.py", "old.pyi fresh.pyi"]);
    // An alias is local to the import, and an external module is not part of the project.
    none(&format!("{files}import pkg.old as m$0\n"));
    none(&format!("{files}import o$0s\n"));
    none(&format!("{files}from pkg.old import x$0\n"));
}

#[test]
fn rust_modules() {
    let manifest = "\n//- /Cargo.toml\n[package]\nname = \"app\"\n";
    let file = format!("{manifest}//- /src/old.rs\npub struct A;\n//- /src/lib.rs\n");
    for line in ["mod o$0ld;", "mod old;\nuse crate::ol$0d::A;", "mod old;\nfn f() -> ol$0d::A {}"]
    {
        assert_eq!(moves(&format!("{file}{line}\n")), ["src/old.rs src/fresh.rs"], "{line}");
    }
    let folder = format!("{manifest}//- /src/old/mod.rs\n//- /src/lib.rs\nmod o$0ld;\n");
    assert_eq!(moves(&folder), ["src/old src/fresh"]);
    let both = "//- /src/old.rs\nmod a;\n//- /src/old/a.rs\n//- /src/lib.rs\nmod o$0ld;\n";
    let both = moves(&format!("{manifest}{both}"));
    assert_eq!(both, ["src/old.rs src/fresh.rs", "src/old src/fresh"]);
    none(&format!("{manifest}//- /src/lib.rs\nmod o$0ld {{ pub fn f() {{}} }}\n"));
}

#[test]
fn specifiers() {
    let files = "\n//- /lib/old.ts\nexport const x = 1;\n//- /app.ts\n";
    for line in ["import { x } from './lib/o$0ld';", "export * from './lib/ol$0d.js';"] {
        assert_eq!(moves(&format!("{files}{line}\n")), ["lib/old.ts lib/fresh.ts"], "{line}");
    }
    let folder = "\n//- /lib/old/index.ts\nexport const x = 1;\n//- /app.ts\n";
    assert_eq!(
        moves(&format!("{folder}import {{ x }} from './lib/o$0ld';\n")),
        ["lib/old lib/fresh"]
    );
    none(&format!("{files}import {{ x$0 }} from './lib/old';\n"));
    none(&format!("{files}import {{ y }} from 'rea$0ct';\n"));
}

#[test]
fn existing_files_are_not_replaced() {
    let f = fixture("\n//- /old.py\n//- /fresh/__init__.py\n//- /app.py\nimport o$0ld\n");
    let module = f.index.module_at(FileId(f.cursor.0), f.cursor.1).unwrap();
    let refused = f.index.module_moves(&module, "fresh").unwrap_err();
    assert!(matches!(refused, RenameError::NotRenamable { .. }), "{refused}");
    let refused = f.index.module_moves(&module, "a b").unwrap_err();
    assert!(matches!(refused, RenameError::Invalid { .. }), "{refused}");
}
