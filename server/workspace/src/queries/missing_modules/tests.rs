//! Tests diagnostics of missing modules in projects on disk.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::{Root, Workspace};

/// The findings about modules imported by `app.*` in a project of `files`: `severity message`.
fn module_findings(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().canonicalize().unwrap();
    for (path, text) in files {
        let path = at.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let root = Arc::new(Root::open(&at).unwrap());
    let workspace = Workspace::with_index_cache(None, vec![]);
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
fn an_undeclared_module_is_a_warning() {
    let app = ("app.py", "import reqeusts, os\nimport requests\nfrom other.part import x\n");
    let declared = ("requirements.txt", "requests>=2  # for all\n");
    assert_eq!(
        module_findings(&[VENV, REQUESTS, INFO, app, declared]),
        [
            "Warning `reqeusts` is not installed in `.venv` and no dependency declares it",
            "Warning `other` is not installed in `.venv` and no dependency declares it",
        ]
    );
}

#[test]
fn a_declared_module_that_is_not_installed_is_a_hint() {
    let app = ("app.py", "import yaml\nimport unknown\n\ndef f():\n    import late\n");
    let declared = ("pyproject.toml", "[project]\ndependencies = [\n  \"PyYAML>=6\",\n]\n");
    assert_eq!(
        module_findings(&[VENV, REQUESTS, INFO, app, declared]),
        [
            "Hint `yaml` is not installed in `.venv`",
            // A declared distribution that is not installed may provide it.
            "Hint `unknown` is not installed in `.venv`",
            "Hint `late` is not installed in `.venv`",
        ]
    );
}

#[test]
fn a_missing_module_without_an_environment_is_a_hint() {
    let app = ("app.py", "import surely_not_installed_anywhere\n");
    assert_eq!(module_findings(&[app]), ["Hint `surely_not_installed_anywhere` is not installed"]);
}

#[test]
fn optional_and_existing_modules_are_not_reported() {
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
        module_findings(&[
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
fn an_undeclared_package_is_a_warning() {
    assert_eq!(
        module_findings(&[PACKAGE, THERE, TYPED, NODE]),
        [
            "Warning `lodahs` is not installed in `node_modules` and no dependency declares it",
            "Hint `late/part` is not installed in `node_modules`",
        ]
    );
}

#[test]
fn packages_of_a_project_without_node_modules_are_a_hint() {
    let app = ("app.ts", "import a from 'lodahs';\n");
    assert_eq!(module_findings(&[PACKAGE, app]), ["Hint `lodahs` is not installed"]);
    let plug_and_play = (".pnp.cjs", "");
    assert_eq!(module_findings(&[PACKAGE, app, plug_and_play]), [""; 0]);
    let renamed = ("vite.config.ts", "export default { resolve: { alias: { lodahs: './x' } } };");
    assert_eq!(module_findings(&[PACKAGE, app, renamed]), [""; 0]);
}
