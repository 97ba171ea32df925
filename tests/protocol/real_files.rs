//! Real files of public packages in every language, of which `TANDEM_SAMPLES` names the list
//! (`cargo xtask setup` brings them): the server answers all that their syntax can be asked.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tests::Server;

/// The requests for each file, and whether a file may have an empty result.
const REQUESTS: [(&str, bool); 6] = [
    ("documentSymbol", false),
    ("semanticTokens/full", false),
    ("foldingRange", true),
    ("documentLink", true),
    ("documentColor", true),
    ("diagnostic", true),
];

#[test]
fn every_syntax_query_is_answered() {
    let Some(list) = std::env::var_os("TANDEM_SAMPLES").map(PathBuf::from) else { return };
    let folder = list.parent().unwrap_or(Path::new(""));
    let server = Server::start("//- /a.txt\n\n");
    let mut wrong = Vec::new();
    let mut asked = 0;
    for path in std::fs::read_to_string(&list).unwrap().lines() {
        let Ok(text) = std::fs::read_to_string(folder.join(path)) else { continue };
        // As they are named there, so that their language is found by that.
        let uri = server.uri(path);
        let document = json!({ "uri": uri, "languageId": "", "version": 1, "text": text });
        server.notify("textDocument/didOpen", json!({ "textDocument": document })).unwrap();
        for (what, may_be_empty) in REQUESTS {
            asked += 1;
            let method = format!("textDocument/{what}");
            let answer = match server.request(&method, json!({ "textDocument": { "uri": uri } })) {
                Ok(answer) => answer,
                Err(error) => {
                    wrong.push(format!("{path}, {what}: {error:?}"));
                    continue;
                }
            };
            let is_empty = answer.as_array().is_some_and(Vec::is_empty) || answer == Value::Null;
            if is_empty
                && !may_be_empty
                && text.len() > 1_000
                && !WITHOUT_DECLARATIONS.contains(&path)
            {
                wrong.push(format!("{path}, {what}: nothing"));
            }
        }
        server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } })).unwrap();
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(asked > 200, "{asked}");
}

/// Files that declare nothing.
const WITHOUT_DECLARATIONS: &[&str] = &[];
