//! JSX in an editor: what is offered in tags, where tags lead, and what a rename of a component changes.

use serde_json::{Value, json};
use tests::Server;

const APP: &str = "
//- /Card.tsx
export interface Props { title: string; size?: number }
export function Card({ title }: Props) { return <p>{title}</p>; }
//- /App.tsx
import { useState } from 'react';
import { Card } from './Card';
export const A = () => <main><Card title='AT&T'>{useState(1)}</Card></main>;
export const B = () => <Card t />;
export const C = () => <Ca />;
export const D = () => <label cl />;
export const E = () => <main><b>x</b></
";

fn position_params(server: &Server, line: u32, character: u32) -> Value {
    json!({
        "textDocument": { "uri": server.uri("App.tsx") },
        "position": { "line": line, "character": character },
    })
}

fn labels(answer: &Value) -> Vec<&str> {
    let items = answer["items"].as_array().map_or(&[][..], |a| a);
    let mut all: Vec<&str> = items.iter().map(|i| i["label"].as_str().unwrap()).collect();
    all.sort_unstable();
    all
}

fn start() -> Server {
    let server = Server::builder(APP).start();
    server.open_file("App.tsx");
    server.wait_until_read();
    server
}

#[test]
fn tags_and_attributes_are_completed() {
    let server = start();
    let complete = |line: u32, character: u32| {
        server
            .request("textDocument/completion", position_params(&server, line, character))
            .unwrap()
    };
    assert_eq!(labels(&complete(3, 30)), ["title"]);
    assert_eq!(labels(&complete(4, 26)), ["Card", "canvas", "caption"]);
    let found = complete(5, 32);
    assert_eq!(labels(&found), ["class", "className"]);
    assert_eq!(found["items"][0]["textEdit"]["range"]["start"]["character"], 30);
    assert_eq!(labels(&complete(6, 39)), ["main>"]);
}

#[test]
fn tags_resolve_to_components_and_are_renamed_together() {
    let server = start();
    let found = server.request("textDocument/definition", position_params(&server, 2, 31)).unwrap();
    assert!(found.to_string().contains("Card.tsx"), "{found}");
    let nothing =
        server.request("textDocument/definition", position_params(&server, 2, 25)).unwrap();
    assert!(!nothing.to_string().contains("uri"), "{nothing}");
    let mut place = position_params(&server, 2, 31);
    place["newName"] = json!("Tile");
    let edit = server.request("textDocument/rename", place).unwrap().to_string();
    // The definition, the import, both tags and the one of the next line.
    assert_eq!(edit.matches("\"Tile\"").count(), 5, "{edit}");
}
