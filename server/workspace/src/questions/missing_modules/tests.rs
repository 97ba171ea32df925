//! Modules that are not installed, in projects on disk.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::{Root, Workspace};

/// What is said of the modules that `app.…` imports, in a project of `files`: `severity message`.
fn said(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().canonicalize().unwrap();
    for (path, text) in files {
        let path = at.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let root = Arc::new(Root::open(&at).unwrap());
    let workspace = Workspace::keeping_index_in(None, vec![]);
    workspace.set_roots(vec![root.clone()]);
    workspace.indexer().find_libraries(&[root]);
    let snapshot = workspace.snapshot();
    snapshot.index_on_demand();
    let app = files.iter().find(|(path, _)| path.starts_with("app.")).unwrap().0;
    let document = snapshot.document_or_file(at.join(app).to_str().unwrap()).unwrap();
    let found = snapshot.findings(&document, &AtomicBool::new(false)).unwrap();
    let modules = found.iter().filter(|f| f.module.is_some());
    modules.map(|f| format!("{:?} {}", f.severity(), f.message())).collect()
}

const VENV: (&str, &str) = (".venv/pyvenv.cfg", "home = /nowhere/bin\n");
const REQUESTS: (&str, &str) = (".venv/lib/python3.12/site-packages/requests/__init__.py", "");
const INFO: (&str, &str) =
    (".venv/lib/python3.12/site-packages/requests-2.0.dist-info/METADATA", "");

#[test]
fn what_nothing_declares_is_a_warning() {
    let app = ("app.py", "import reqeusts, os\nimport requests\nfrom other.part import x\n");
    let declared = ("requirements.txt", "requests>=2  # for all\n");
    assert_eq!(
        said(&[VENV, REQUESTS, INFO, app, declared]),
        [
            "Warning `reqeusts` is not installed in `.venv` and no dependency declares it",
            "Warning `other` is not installed in `.venv` and no dependency declares it",
        ]
    );
}

#[test]
fn what_is_declared_and_not_installed_is_a_hint() {
    let app = ("app.py", "import yaml\nimport unknown\n\ndef f():\n    import late\n");
    let declared = ("pyproject.toml", "[project]\ndependencies = [\n  \"PyYAML>=6\",\n]\n");
    assert_eq!(
        said(&[VENV, REQUESTS, INFO, app, declared]),
        [
            "Hint `yaml` is not installed in `.venv`",
            // What is declared and not installed may bring it.
            "Hint `unknown` is not installed in `.venv`",
            "Hint `late` is not installed in `.venv`",
        ]
    );
}

#[test]
fn without_an_environment_of_the_project_it_is_a_hint() {
    let app = ("app.py", "import surely_not_installed_anywhere\n");
    assert_eq!(said(&[app]), ["Hint `surely_not_installed_anywhere` is not installed"]);
}

#[test]
fn what_may_be_missing_or_is_there_is_not_told() {
    let app = (
        "app.py",
        "\
import sys, tomllib, _thread
import beside, compiled, stubs_only, editable, inner
from . import nothing
try:
    import optional
except ImportError:
    optional = None
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import for_types
from contextlib import suppress
with suppress(ImportError):
    import suppressed
",
    );
    let packages = ".venv/lib/python3.12/site-packages";
    let compiled = format!("{packages}/compiled.cpython-312-x86_64-linux-gnu.so");
    let stubs = format!("{packages}/stubs_only-stubs/__init__.pyi");
    let finder = format!("{packages}/__editable___x_finder.py");
    assert!(
        said(&[
            VENV,
            app,
            ("beside.py", ""),
            ("src/inner/part.py", ""),
            (&compiled, ""),
            (&stubs, ""),
            (&finder, "MAPPING = {'editable': '/elsewhere/editable'}\n"),
        ])
        .is_empty()
    );
}

const PACKAGE: (&str, &str) =
    ("package.json", "{ \"dependencies\": { \"there\": \"1\", \"late\": \"1\" } }");
const THERE: (&str, &str) = ("node_modules/there/package.json", "{ \"name\": \"there\" }");
const TYPED: (&str, &str) = ("node_modules/@types/typed/index.d.ts", "export type T = 1;");
const NODE: (&str, &str) = (
    "app.ts",
    "import a from 'lodahs';\nimport b from 'there';\nimport { c } from 'late/part';\n\
     import type { T } from 'typed';\nimport fs from 'fs';\n",
);

#[test]
fn packages_that_nothing_declares_are_a_warning() {
    assert_eq!(
        said(&[PACKAGE, THERE, TYPED, NODE]),
        [
            "Warning `lodahs` is not installed in `node_modules` and no dependency declares it",
            "Hint `late/part` is not installed in `node_modules`",
        ]
    );
}

#[test]
fn packages_of_a_project_that_is_not_installed_are_a_hint() {
    let app = ("app.ts", "import a from 'lodahs';\n");
    assert_eq!(said(&[PACKAGE, app]), ["Hint `lodahs` is not installed"]);
    let plug_and_play = (".pnp.cjs", "");
    assert_eq!(said(&[PACKAGE, app, plug_and_play]), [""; 0]);
    let renamed = ("vite.config.ts", "export default { resolve: { alias: { lodahs: './x' } } };");
    assert_eq!(said(&[PACKAGE, app, renamed]), [""; 0]);
}
