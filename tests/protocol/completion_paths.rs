//! Paths in imports, includes, module declarations and texts that look like one.

use serde_json::{Value, json};
use tests::Server;

/// The completion result at the cursor of a fixture, and the texts it would insert.
fn completions(fixture: &str) -> (Value, Vec<String>) {
    let server = Server::builder(fixture).start();
    server.open_cursor();
    let (path, offset) = server.fixture().cursor.clone().expect("a cursor");
    // The map covers all files, so everything is indexed by then.
    server.must("repository_map", json!({}));
    let text = server.fixture().text(&path).to_owned();
    let answer = server.request_at("textDocument/completion", &path, offset, &text);
    let items = answer["items"].as_array().cloned().unwrap_or_default();
    let names = items.iter().map(|i| i["textEdit"]["newText"].as_str().unwrap().to_owned());
    (answer.clone(), names.collect())
}

const TREE: &str = "
//- /src/shapes/box.ts
export const box = 1;
//- /src/shapes/ball.ts
export const ball = 1;
//- /src/shapes/inner/deep.ts
export const deep = 1;
//- /src/util.ts
export const util = 1;
//- /src/style.css
a {}
//- /src/.hidden.ts
export {};
//- /src/built.ts
export {};
//- /.gitignore
built.ts
out/
//- /out/made.ts
export {};
";

#[test]
fn relative_imports_are_completed_without_extensions() {
    let (answer, names) = completions(&format!(
        "{TREE}//- /src/main.ts\nimport {{ util }} from './util';\nimport {{ b }} from './$0';\n"
    ));
    assert_eq!(names, ["shapes/", "util", "style.css"], "{answer}");
    assert_eq!(answer["items"][0]["kind"], 19);
    assert_eq!(answer["items"][1]["kind"], 17);
    assert_eq!(answer["isIncomplete"], false);
}

#[test]
fn import_extensions_follow_the_other_imports() {
    let (answer, names) = completions(&format!(
        "{TREE}//- /src/main.ts\nimport {{ util }} from './util.js';\nimport {{ b }} from './shapes/b$0';\n"
    ));
    assert_eq!(names, ["ball.js", "box.js"], "{answer}");
    let range = &answer["items"][0]["textEdit"]["range"];
    assert_eq!(range["start"]["character"], 28, "{answer}");
    assert_eq!(range["end"]["character"], 29, "{answer}");
}

#[test]
fn a_partial_import_is_completed() {
    for line in [
        "import { b } from './shapes/$0",
        "const b = require('./shapes/$0",
        "import('./shapes/$0')",
    ] {
        let (answer, names) =
            completions(&format!("{TREE}//- /src/main.ts\n{line}\nconst y = 'z';\n"));
        assert_eq!(names, ["ball", "box", "inner/"], "{line}: {answer}");
    }
}

#[test]
fn an_empty_import_offers_parent_and_child_modules() {
    let (answer, names) = completions(&format!("{TREE}//- /src/main.ts\nimport x from '$0';\n"));
    assert_eq!(names, ["./", "../"], "{answer}");
}

#[test]
fn ignored_hidden_and_outside_files_are_not_offered() {
    let (answer, names) = completions(&format!("{TREE}//- /src/main.ts\nimport x from '../$0';\n"));
    assert_eq!(names, ["src/"], "{answer}");
    let (_, names) = completions(&format!("{TREE}//- /src/main.ts\nimport x from '../out/$0';\n"));
    assert_eq!(names, [""; 0]);
    let (_, names) = completions(&format!("{TREE}//- /src/main.ts\nimport x from '../../$0';\n"));
    assert_eq!(names, [""; 0]);
    let (_, names) = completions(&format!("{TREE}//- /src/main.ts\nimport x from './.h$0';\n"));
    assert_eq!(names, [".hidden"]);
}

#[test]
fn path_aliases_are_completed() {
    let (answer, names) = completions(&format!(
        "{TREE}//- /tsconfig.json\n{{ \"compilerOptions\": {{ \"baseUrl\": \".\", \"paths\": {{ \"@/*\": [\"src/*\"] }} }} }}\n\
         //- /src/main.ts\nimport {{ util }} from '@/util';\nimport {{ b }} from '@/shapes/b$0';\n"
    ));
    assert_eq!(names, ["ball", "box"], "{answer}");
}

#[test]
fn texts_that_look_like_paths_are_completed_in_full() {
    let text = "
//- /data/one.json
{}
//- /data/two words.txt
//- /app/run.py
from os import path
value = open('data/o$0')
";
    let (answer, names) = completions(text);
    assert_eq!(names, ["one.json"], "{answer}");
    for other in ["'data$0'", "'and/or$0'", "'some/where over$0'", "'/data/$0'"] {
        let (answer, names) = completions(&text.replace("'data/o$0'", other));
        assert_eq!(names, [""; 0], "{other}: {answer}");
    }
}

const HEADERS: &str = "
//- /include/lib/api.h
int api(void);
//- /include/lib/more/deep.hpp
//- /include/lib/notes.txt
//- /src/own.h
int own(void);
";

#[test]
fn includes_are_completed_from_the_include_paths_in_use() {
    let (answer, names) = completions(&format!("{HEADERS}//- /src/main.c\n#include \"$0\"\n"));
    assert_eq!(names, ["own.h", "lib/"], "{answer}");
    let (answer, names) =
        completions(&format!("{HEADERS}//- /src/main.c\n#include <lib/$0\nint x;\n"));
    assert_eq!(names, ["api.h", "more/"], "{answer}");
}

#[test]
fn undeclared_modules_are_offered() {
    let tree = "
//- /Cargo.toml
[package]
name = \"p\"
//- /src/known.rs
//- /src/kind.rs
//- /src/keep/mod.rs
//- /src/kept/other.rs
//- /src/kind/inner.rs
";
    let (answer, names) = completions(&format!("{tree}//- /src/lib.rs\nmod known;\npub mod k$0\n"));
    assert_eq!(names, ["keep", "kind"], "{answer}");
    let nested = tree.replace("//- /src/kind.rs\n", "//- /src/kind.rs\nmod $0;\n");
    let (answer, names) = completions(&nested);
    assert_eq!(names, ["inner"], "{answer}");
}

#[test]
fn trigger_characters_complete_only_where_meaningful() {
    let server = Server::builder("//- /a.py\nx = {'a': 1}\ny = x / 2\nz = x.\n").start();
    server.open_file("a.py");
    for (line, character, sign) in [(0, 8, "'"), (0, 9, ":"), (1, 7, "/")] {
        let place = json!({
            "textDocument": { "uri": server.uri("a.py") },
            "position": { "line": line, "character": character },
            "context": { "triggerKind": 2, "triggerCharacter": sign },
        });
        let answer = server.request("textDocument/completion", place).unwrap();
        assert_eq!(answer, Value::Null, "{sign}");
    }
}
