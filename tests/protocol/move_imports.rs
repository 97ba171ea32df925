//! `move_file` takes imports along, as a rename of a file in the editor does.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /src/shapes.ts
import { unit } from './unit';
export const shape = unit;
//- /src/unit.ts
export const unit = 1;
//- /src/app.ts
import { shape } from './shapes';
//- /pkg/__init__.py
//- /pkg/box.py
from . import units
from .units import one
x = one
//- /pkg/units.py
one = 1
//- /pkg/notes.txt
words
//- /main.py
from pkg.box import x
import pkg.box
//- /notes.txt
pkg.box
";

fn source_and_destination(source: &str, destination: &str) -> Value {
    json!({ "source": source, "destination": destination })
}

fn leftovers(server: &Server) -> Vec<String> {
    let mut left = Vec::new();
    let mut folders = vec![server.root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_string_lossy().starts_with(".tandem-") {
                left.push(entry.path().display().to_string());
            }
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    left
}

#[test]
fn imports_follow_a_file_and_come_back_with_it() {
    let server = Server::start(FIXTURE);
    let moved =
        server.must("move_file", source_and_destination("src/shapes.ts", "src/deep/forms.ts"));
    let imports = json!([
        { "path": "src/app.ts", "edits": 1 },
        { "path": "src/shapes.ts", "edits": 1 },
    ]);
    assert_eq!(moved["imports"], imports, "{moved}");
    assert_eq!(server.disk_text("src/app.ts"), "import { shape } from './deep/forms';\n");
    let forms = "import { unit } from '../unit';\nexport const shape = unit;\n";
    assert_eq!(server.disk_text("src/deep/forms.ts"), forms);
    server.must("undo_action", json!({ "action": moved["action"] }));
    assert_eq!(server.disk_text("src/app.ts"), "import { shape } from './shapes';\n");
    assert!(server.disk_text("src/shapes.ts").starts_with("import { unit } from './unit'"));
    assert!(!server.path("src/deep").exists());
    assert_eq!(leftovers(&server), Vec::<String>::new());
}

#[test]
fn import_updates_can_be_turned_off() {
    let server = Server::start(FIXTURE);
    let mut arguments = source_and_destination("src/shapes.ts", "src/forms.ts");
    arguments["update_imports"] = json!(false);
    let moved = server.must("move_file", arguments);
    assert_eq!(moved.get("imports"), None, "{moved}");
    assert_eq!(server.disk_text("src/app.ts"), "import { shape } from './shapes';\n");
}

#[test]
fn uncertain_edits_are_reported() {
    let server = Server::start(FIXTURE);
    let moved = server.must("move_file", source_and_destination("pkg/box.py", "pkg/inner/box.py"));
    assert_eq!(moved["left_out_count"], 1, "{moved}");
    assert_eq!(moved["left_out"][0]["path"], "main.py");
    assert_eq!(moved["left_out"][0]["text"], "import pkg.box");
    assert!(server.disk_text("main.py").starts_with("from pkg.inner.box import x\n"));
    let inner = server.disk_text("pkg/inner/box.py");
    assert_eq!(inner, "from .. import units\nfrom ..units import one\nx = one\n");
}

#[test]
fn a_folder_moves_with_the_edits_inside_of_it() {
    let server = Server::start(FIXTURE);
    let before = server.disk_text("pkg/box.py");
    let moved = server.must("move_file", source_and_destination("pkg", "lib/deep/box"));
    assert!(server.disk_text("main.py").starts_with("from lib.deep.box.box import x\n"));
    assert_eq!(server.disk_text("lib/deep/box/notes.txt"), "words\n");
    assert!(!server.path("pkg").exists());
    let action = moved["action"].clone();
    let undone = server.must("undo_action", json!({ "action": action }));
    assert_eq!(server.disk_text("pkg/box.py"), before);
    assert!(server.disk_text("main.py").starts_with("from pkg.box import x\n"));
    server.must("undo_action", json!({ "action": undone["action"] }));
    assert!(server.disk_text("main.py").starts_with("from lib.deep.box.box import x\n"));
    assert_eq!(leftovers(&server), Vec::<String>::new());
}

const INNER: &str = "
//- /web/lib/a.ts
import { b } from '../b';
import { c } from './c';
export const a = b + c;
//- /web/lib/c.ts
export const c = 1;
//- /web/b.ts
import { c } from './lib/c';
export const b = c;
";

#[test]
fn files_in_a_folder_that_moves_are_edited_with_it_and_back() {
    let server = Server::start(INNER);
    // An open document counts as its file, where it is saved.
    server.open_file("web/lib/a.ts");
    let before = server.disk_text("web/lib/a.ts");
    let moved = server.must("move_file", source_and_destination("web/lib", "web/deep/lib"));
    assert_eq!(moved["imports"][0], json!({ "path": "web/b.ts", "edits": 1 }), "{moved}");
    assert_eq!(moved["imports"][1], json!({ "path": "web/lib/a.ts", "edits": 1 }), "{moved}");
    let a = server.disk_text("web/deep/lib/a.ts");
    assert_eq!(a, before.replace("'../b'", "'../../b'"));
    assert!(server.disk_text("web/b.ts").starts_with("import { c } from './deep/lib/c'"));
    assert_eq!(leftovers(&server), Vec::<String>::new());
    let undone = server.must("undo_action", json!({ "action": moved["action"] }));
    assert_eq!(server.disk_text("web/lib/a.ts"), before);
    assert!(server.disk_text("web/b.ts").starts_with("import { c } from './lib/c'"));
    server.must("undo_action", json!({ "action": undone["action"] }));
    assert_eq!(server.disk_text("web/deep/lib/a.ts"), a);
    assert_eq!(leftovers(&server), Vec::<String>::new());
}

#[test]
fn an_edited_file_can_replace_another() {
    let server = Server::start(FIXTURE);
    let mut arguments = source_and_destination("src/shapes.ts", "pkg/notes.txt");
    arguments["overwrite"] = json!(true);
    let moved = server.must("move_file", arguments);
    assert_eq!(moved["overwritten"], true, "{moved}");
    assert!(server.disk_text("pkg/notes.txt").starts_with("import { unit } from '../src/unit'"));
    server.must("undo_action", json!({ "action": moved["action"] }));
    assert_eq!(server.disk_text("pkg/notes.txt"), "words\n");
    assert!(server.disk_text("src/shapes.ts").starts_with("import { unit } from './unit'"));
}

const MODULES: &str = "
//- /pkg/__init__.py
//- /pkg/box.py
x = 1
//- /main.py
from pkg import box
import pkg.box
print(box.x, pkg.box.x)
//- /README.md
See `box`.
//- /web/lib/index.ts
import { b } from '../b';
export const a = b;
//- /web/b.ts
export const b = 1;
//- /web/app.ts
import { a } from './lib';
";

#[test]
fn a_module_is_renamed_with_its_file() {
    let server = Server::start(MODULES);
    let at = json!({ "path": "main.py", "line": 1, "name": "box", "new_name": "crate" });
    let done = server.must("lsp_rename", at);
    assert!(!server.path("pkg/box.py").exists() && server.path("pkg/crate.py").exists(), "{done}");
    let main = server.disk_text("main.py");
    assert_eq!(main, "from pkg import crate as box\nimport pkg.crate\nprint(box.x, pkg.crate.x)\n");
    assert_eq!(done["mentions"]["places"][0]["path"], "README.md", "{done}");
    server.must("undo_action", json!({ "action_id": done["action"] }));
    assert!(server.path("pkg/box.py").exists());
    assert!(server.disk_text("main.py").starts_with("from pkg import box\n"));
}

#[test]
fn a_folder_module_is_renamed_with_its_contents() {
    let server = Server::start(MODULES);
    let at = json!({ "path": "web/app.ts", "line": 1, "name": "lib", "new_name": "kit" });
    let done = server.must("lsp_rename", at);
    assert_eq!(server.disk_text("web/app.ts"), "import { a } from './kit';\n");
    assert_eq!(
        server.disk_text("web/kit/index.ts"),
        "import { b } from '../b';\nexport const a = b;\n"
    );
    let moved = done["files"].as_array().unwrap().iter().find(|f| f["path"] == "web/lib");
    assert_eq!(moved.unwrap()["moved_to"], "web/kit", "{done}");
}

#[test]
fn an_editor_renames_the_file_of_a_module_itself() {
    let edit_of = |operations: Value| {
        let mut setup = Server::builder(MODULES)
            .capability("workspace/workspaceEdit/documentChanges", json!(true));
        if !operations.is_null() {
            setup = setup.capability("workspace/workspaceEdit/resourceOperations", operations);
        }
        let server = setup.start();
        server.open_file("main.py");
        let place = json!({
            "textDocument": { "uri": server.uri("main.py") },
            "position": { "line": 0, "character": 17 },
        });
        let prepared = server.request("textDocument/prepareRename", place.clone()).unwrap();
        let start = json!({ "line": 0, "character": 16 });
        assert!(prepared["start"] == start || prepared["range"]["start"] == start, "{prepared}");
        let mut params = place;
        params["newName"] = json!("crate");
        (server.request("textDocument/rename", params), server.uri("pkg/crate.py"))
    };
    let (edit, to) = edit_of(json!(["rename"]));
    let edit = edit.unwrap();
    let operations = edit["documentChanges"].as_array().unwrap();
    let last = operations.last().unwrap();
    assert_eq!((&last["kind"], &last["newUri"]), (&json!("rename"), &json!(to)), "{edit}");
    let (refused, _) = edit_of(Value::Null);
    assert!(format!("{refused:?}").contains("its file must be renamed"), "{refused:?}");
}

#[test]
fn files_whose_imports_change_are_checked_before_the_move() {
    let rules = "//- /.tandem/config.toml\n[policy.deny]\nwrite = [\"src/app.ts\"]\n";
    let server = Server::start(&format!("{FIXTURE}{rules}"));
    let denied = server.must_fail(
        "move_file",
        source_and_destination("src/shapes.ts", "src/forms.ts"),
        "E_DENIED",
    );
    assert!(denied.message.contains("src/app.ts"), "{denied:?}");
    assert!(server.path("src/shapes.ts").exists());
    let mut arguments = source_and_destination("src/shapes.ts", "src/forms.ts");
    arguments["update_imports"] = json!(false);
    server.must("move_file", arguments);
    assert!(server.path("src/forms.ts").exists());
}

#[test]
fn an_edit_that_moves_a_file_lists_imports_it_does_not_update() {
    let server = Server::start(FIXTURE);
    let patch = "diff --git a/src/shapes.ts b/src/deep/forms.ts\nsimilarity index 100%\n\
                 rename from src/shapes.ts\nrename to src/deep/forms.ts\n";
    let moved = server.must("apply_edit", json!({ "patch": patch }));
    let expected = json!([
        { "path": "src/app.ts", "line": 1, "text": "import { shape } from './shapes';",
          "why": "would have to become `./deep/forms`" },
        { "path": "src/shapes.ts", "line": 1, "text": "import { unit } from './unit';",
          "why": "would have to become `../unit`" },
    ]);
    assert_eq!(moved["imports_left"], expected, "{moved}");
    assert_eq!(moved["imports_left_count"], 2, "{moved}");
    assert_eq!(server.disk_text("src/app.ts"), "import { shape } from './shapes';\n");
    server.must("undo_action", json!({ "action": moved["action"] }));
    // What the edit itself brings up to date is not listed.
    let patch = "\
*** Begin Patch
*** Update File: src/shapes.ts
*** Move to: src/deep/forms.ts
@@
-import { unit } from './unit';
+import { unit } from '../unit';
*** Update File: src/app.ts
@@
-import { shape } from './shapes';
+import { shape } from './deep/forms';
*** End Patch
";
    let moved = server.must("apply_edit", json!({ "patch": patch }));
    assert_eq!(moved.get("imports_left"), None, "{moved}");
}
