//! Import updates when files are moved.

use std::sync::atomic::AtomicBool;

use crate::fixture::fixture;
use names::{FileId, RenameSources};
use text::Text;

/// The changed lines after files move, in order of file: `path: line`. Edits that need confirmation
/// end in `?`.
fn follow(files: &str, pairs: &[(&str, &str)]) -> Vec<String> {
    let fixture = fixture(&format!("{files}//- /zz/cursor.py\n$0\n"));
    let pairs: Vec<_> = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    let text = |file: FileId| Some(Text::new(&fixture.sources[file.0 as usize]));
    let never = AtomicBool::new(false);
    let holding = fixture.index.files_affected_by_move(&pairs);
    let sources = RenameSources { text: &text, files_with_name: &holding, interrupt: &never };
    let edits = fixture.index.import_edits_for_move(&pairs, &sources);
    let mut out = Vec::new();
    for file in edits.chunk_by(|a, b| a.file == b.file) {
        let source = &fixture.sources[file[0].file.0 as usize];
        let mut changed = source.clone();
        let mut lines = Vec::new();
        for edit in file.iter().rev() {
            changed.replace_range(edit.span.clone(), &edit.new_text);
            let mark = if edit.reason.needs_confirmation() { "?" } else { "" };
            lines.push((source[..edit.span.start].matches('\n').count(), mark));
        }
        lines.reverse();
        lines.dedup();
        for (line, mark) in lines {
            let path = &fixture.paths[file[0].file.0 as usize];
            out.push(format!(
                "{path}: {}{mark}",
                changed.lines().nth(line).unwrap_or_default().trim()
            ));
        }
    }
    out
}

const WEB: &str = "\
//- /tsconfig.json
{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] } } }
//- /src/lib/shapes.ts
import { unit } from '../unit';
export const shape = unit;
//- /src/lib/index.ts
export * from './shapes';
//- /src/unit.ts
export const unit = 1;
//- /src/app.ts
import { shape } from './lib/shapes';
import { shape as again } from '@/lib/shapes.js';
import { shape as third } from '@/lib/shapes';
import { shape as fourth } from './lib';
const old = require('./lib/shapes.ts');
";

#[test]
fn relative_and_mapped_imports_are_updated() {
    assert_eq!(
        follow(WEB, &[("src/lib/shapes.ts", "src/forms/box.ts")]),
        [
            "src/lib/index.ts: export * from '../forms/box';",
            "src/app.ts: import { shape } from './forms/box';",
            "src/app.ts: import { shape as third } from '@/forms/box';",
            "src/app.ts: const old = require('./forms/box.ts');",
        ]
    );
}

#[test]
fn imports_of_a_moved_file_are_updated() {
    assert_eq!(
        follow(WEB, &[("src/lib/shapes.ts", "src/lib/deep/shapes.ts")])[0],
        "src/lib/shapes.ts: import { unit } from '../../unit';"
    );
}

#[test]
fn a_moved_folder_moves_its_files() {
    assert_eq!(
        follow(WEB, &[("src/lib", "src/forms")]),
        [
            "src/app.ts: import { shape } from './forms/shapes';",
            "src/app.ts: import { shape as third } from '@/forms/shapes';",
            "src/app.ts: import { shape as fourth } from './forms';",
            "src/app.ts: const old = require('./forms/shapes.ts');",
        ]
    );
}

const PYTHON: &str = "\
//- /pkg/__init__.py
//- /pkg/shapes.py
from . import units
from .units import one
//- /pkg/units.py
one = 1
//- /pkg/sub/__init__.py
//- /app.py
import pkg.shapes
import pkg.shapes as s
from pkg import shapes
from pkg import shapes as t, units
from pkg.shapes import one
";

#[test]
fn renamed_python_modules_are_updated() {
    assert_eq!(
        follow(PYTHON, &[("pkg/shapes.py", "pkg/forms.py")]),
        [
            "app.py: import pkg.forms",
            "app.py: import pkg.forms as s",
            "app.py: from pkg import forms as shapes",
            "app.py: from pkg import forms as t, units",
            "app.py: from pkg.forms import one",
        ]
    );
}

#[test]
fn qualified_uses_change_with_the_import() {
    let files = "\
//- /app.py
import pkg.shapes
pkg.shapes.one
def f(pkg): return pkg.shapes
from pkg import shapes
shapes.one
import pkg as p
p.shapes.one
//- /other.py
import pkg.shapes
lib = 1
//- /pkg/__init__.py
//- /pkg/shapes.py
one = 1
";
    assert_eq!(
        follow(files, &[("pkg/shapes.py", "pkg/forms.py")]),
        [
            "app.py: import pkg.forms",
            "app.py: pkg.forms.one",
            "app.py: from pkg import forms as shapes",
            "app.py: p.forms.one",
            "other.py: import pkg.forms",
        ]
    );
    // The first component is bound in the file, where the new name may be taken.
    assert_eq!(
        follow(files, &[("pkg", "lib")]),
        [
            "app.py: import lib.shapes",
            "app.py: lib.shapes.one",
            "app.py: from lib import shapes",
            "app.py: import lib as p",
            "other.py: import lib.shapes?",
        ]
    );
    // Qualified uses are not updated to a longer name.
    assert_eq!(
        follow(files, &[("pkg/shapes.py", "pkg/a/forms.py")])[0],
        "app.py: import pkg.a.forms?"
    );
}

#[test]
fn python_modules_move_between_packages() {
    assert_eq!(
        follow(PYTHON, &[("pkg/shapes.py", "pkg/sub/shapes.py")]),
        [
            "pkg/shapes.py: from .. import units",
            "pkg/shapes.py: from ..units import one",
            "app.py: import pkg.sub.shapes?",
            "app.py: import pkg.sub.shapes as s",
            "app.py: from pkg.sub import shapes",
            "app.py: from pkg import units",
            // One line more than before.
            "app.py: from pkg.sub import shapes as t",
        ]
    );
}

#[test]
fn a_submodule_is_imported_from_its_new_package() {
    let files = "\
//- /pkg/__init__.py
//- /pkg/shapes.py
one = 1
//- /pkg/units.py
from . import shapes
//- /pkg/sub/__init__.py
//- /app.py
from pkg import (
    shapes,
)
def f():
    from pkg import units, shapes as s  # late
";
    assert_eq!(
        follow(files, &[("pkg/shapes.py", "pkg/sub/forms.py")]),
        [
            "pkg/units.py: from .sub import forms as shapes",
            "app.py: forms,?",
            "app.py: from pkg import units",
        ]
    );
}

#[test]
fn a_python_package_moves_as_a_folder() {
    assert_eq!(
        follow(PYTHON, &[("pkg", "lib/box")]),
        [
            "app.py: import lib.box.shapes?",
            "app.py: import lib.box.shapes as s",
            "app.py: from lib.box import shapes",
            "app.py: from lib.box import shapes as t, units",
            "app.py: from lib.box.shapes import one",
        ]
    );
}

#[test]
fn go_imports_follow_a_folder() {
    let files = "\
//- /go.mod
module example.com/app
//- /old/a.go
package old

func Run() {}
//- /old/inner/b.go
package inner

func Run() {}
//- /main.go
package main

import (
	\"example.com/app/old\"
	\"example.com/app/old/inner\"
)

func main() { old.Run(); inner.Run() }
";
    assert_eq!(
        follow(files, &[("old", "internal/new")]),
        [
            "main.go: \"example.com/app/internal/new\"",
            "main.go: \"example.com/app/internal/new/inner\"",
        ]
    );
}

#[test]
fn includes_follow_a_header() {
    let files = "\
//- /compile_commands.json
[{ \"directory\": \".\", \"command\": \"cc -Iinclude -c src/a.c\" }]
//- /include/lib/shape.h
#include \"unit.h\"
int shape(void);
//- /include/lib/unit.h
//- /src/local.h
//- /src/a.c
#include <lib/shape.h>
#include \"local.h\"
";
    assert_eq!(
        follow(files, &[("include/lib/shape.h", "include/lib/deep/form.h")]),
        ["include/lib/shape.h: #include \"../unit.h\"", "src/a.c: #include <lib/deep/form.h>"]
    );
    assert_eq!(
        follow(files, &[("src/a.c", "src/inner/a.c")]),
        ["src/a.c: #include \"../local.h\""]
    );
}

#[test]
fn renamed_rust_modules_are_updated() {
    let files = "\
//- /Cargo.toml
[package]
name = \"app\"
//- /src/lib.rs
mod shapes;
pub use shapes::Shape;
pub fn unit() -> crate::shapes::Shape { shapes::Shape }
//- /src/shapes.rs
pub struct Shape;
//- /src/other.rs
";
    assert_eq!(
        follow(files, &[("src/shapes.rs", "src/forms.rs")]),
        [
            "src/lib.rs: mod forms;",
            "src/lib.rs: pub use forms::Shape;",
            "src/lib.rs: pub fn unit() -> crate::forms::Shape { forms::Shape }",
        ]
    );
    assert!(follow(files, &[("src/shapes.rs", "src/shapes/mod.rs")]).is_empty());
}

#[test]
fn paths_to_moved_rust_modules_need_confirmation() {
    let files = "\
//- /Cargo.toml
[package]
name = \"app\"
//- /src/lib.rs
mod shapes;
mod deep;
pub use shapes::Shape;
//- /src/deep.rs
use crate::shapes::Shape;
//- /src/shapes.rs
use super::deep;
pub(super) struct Shape;
mod tests { use super::*; }
//- /src/shapes/inner.rs
use super::Shape;
";
    assert_eq!(
        follow(files, &[("src/shapes.rs", "src/deep/forms.rs")]),
        [
            "src/lib.rs: mod crate::deep::forms;?",
            "src/lib.rs: pub use crate::deep::forms::Shape;?",
            "src/deep.rs: use crate::crate::deep::forms::Shape;?",
            "src/shapes.rs: use crate::deep;?",
            "src/shapes.rs: pub(crate) struct Shape;?",
        ]
    );
    // A module that moves with its parent is still declared by it.
    let both = [("src/shapes.rs", "src/forms.rs"), ("src/shapes", "src/forms")];
    assert!(!follow(files, &both).iter().any(|edit| edit.contains('?')));
}

#[test]
fn java_classes_and_packages_follow() {
    let files = "\
//- /src/com/acme/Box.java
package com.acme;

public class Box {}
//- /src/com/app/Main.java
package com.app;

import com.acme.Box;

class Main { Box box; }
";
    assert_eq!(
        follow(files, &[("src/com/acme/Box.java", "src/com/acme/Crate.java")]),
        [
            "src/com/acme/Box.java: public class Crate {}",
            "src/com/app/Main.java: import com.acme.Crate;",
            "src/com/app/Main.java: class Main { Crate box; }",
        ]
    );
    assert_eq!(
        follow(files, &[("src/com/acme", "src/com/zenith")]),
        [
            "src/com/acme/Box.java: package com.zenith;",
            "src/com/app/Main.java: import com.zenith.Box;",
        ]
    );
}

#[test]
fn dynamic_imports_are_updated() {
    let web = "\
//- /src/lib/shapes.ts
export const shape = 1;
//- /src/app.ts
const late = () => import('./lib/shapes');
const { shape } = await import('./lib/shapes');
type All = typeof import('./lib/shapes');
let s: import('./lib/shapes').Shape;
vi.mock('./lib/shapes');
";
    assert_eq!(
        follow(web, &[("src/lib/shapes.ts", "src/forms.ts")]),
        [
            "src/app.ts: const late = () => import('./forms');",
            "src/app.ts: const { shape } = await import('./forms');",
            "src/app.ts: type All = typeof import('./forms');",
            "src/app.ts: let s: import('./forms').Shape;",
        ]
    );
}
