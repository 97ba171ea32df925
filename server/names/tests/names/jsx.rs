//! JSX: elements and attributes as names.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use names::{CompletionRequest, Facts, FileId, Index};
use syntax::{JsxNamePosition, Language, LineRest, Syntax};
use text::Text;

use crate::fixture::actions::{ActionOptions, plan};
use crate::fixture::rename::{check as check_rename, renamed};
use crate::fixture::{check, check_references};

static GO: AtomicBool = AtomicBool::new(false);

#[test]
fn a_tag_resolves_to_its_component() {
    check(
        "
//- /Button.tsx
export function Button() { return <button/>; }
                ^^^^^^
//- /App.tsx
import { Button } from './Button';
export const App = () => <main><But$0ton>x</Button></main>;
",
    );
    check(
        "
//- /kit.tsx
export const Tab = () => null;
             ^^^
//- /App.tsx
import * as kit from './kit';
export const App = () => <div><kit.Ta$0b/></div>;
",
    );
    check(
        "
//- /App.jsx
const Foo = {};
Foo.Bar = function Bar() { return null; };
    ^^^
export const App = () => <Foo.B$0ar></Foo.Bar>;
",
    );
}

#[test]
fn html_elements_do_not_resolve() {
    check(
        "
//- /App.tsx
const div = 1, x = 2;
export const App = () => <di$0v x={x}/>;
",
    );
    check(
        "
//- /App.tsx
const id = 1;
export const App = () => <div i$0d={id}/>;
",
    );
}

#[test]
fn references_are_in_both_tags() {
    check_references(
        "
//- /Card.tsx
export function Ca$0rd() { return null; }
                ^^^^
//- /App.tsx
import { Card } from './Card';
         ^^^^
export const App = () => <Card>x</Card>;
                          ^^^^    ^^^^
export const Bpp = () => <div><Card/></div>;
                               ^^^^
",
    );
}

#[test]
fn an_attribute_resolves_to_the_prop() {
    for component in [
        "export function Card({ title }: Props) { return null; }",
        "export function Card(props: Props) { return null; }",
        "export const Card = ({ title = '' }: Props) => null;",
        "export const Card: React.FC<Props> = ({ title }) => null;",
        "export const Card: FunctionComponent<Props> = (props) => null;",
        "export const Card = memo(function Card({ title }: Props) { return null; });",
        "export const Card = React.forwardRef<HTMLDivElement, Props>((props, ref) => null);",
        "export const Card = forwardRef((props: Props, ref) => null);",
        "export class Card extends React.Component<Props> { render() { return null; } }",
        "export default class Card extends PureComponent<Props, {}> {}\nexport { Card };",
        "export function Card({ title }: PropsWithChildren<Props>) { return null; }",
        "export const Card = (props: Props & { id: string }) => null;",
        "type Of = FC<Props>;\nexport const Card: Of = (props) => null;",
        "export const Card: (props: Props) => null = (props) => null;",
    ] {
        for props in ["interface Props { title: string }", "type Props = { title: string }"] {
            let start = props.find("title").unwrap();
            let marks = format!("{}^^^^^", " ".repeat(start));
            println!("{component}");
            check(&format!(
                "
//- /Card.tsx
{props}
{marks}
{component}
//- /App.tsx
import {{ Card }} from './Card';
export const App = () => <Card tit$0le=\"x\">y</Card>;
"
            ));
        }
    }
    check(
        "
//- /App.jsx
function Card({ title, size = 1 }) { return title; }
                ^^^^^
export const App = () => <Card tit$0le=\"x\"/>;
",
    );
    check(
        "
//- /App.tsx
export const Card = (props: { title: string }) => null;
                              ^^^^^
export const App = () => <Card tit$0le=\"x\"/>;
",
    );
}

#[test]
fn attributes_of_member_components_resolve() {
    check(
        "
//- /Kit.tsx
interface Props { title: string }
                  ^^^^^
export const Kit = { Row: (props: Props) => null, Col(props: Props) { return null; } };
//- /App.tsx
import { Kit } from './Kit';
export const App = () => <Kit.Row tit$0le=\"x\"/>;
",
    );
    check(
        "
//- /Kit.tsx
interface Props { title: string }
                  ^^^^^
export const Kit = { Row: (props: Props) => null, Col(props: Props) { return null; } };
//- /App.tsx
import { Kit } from './Kit';
export const App = () => <Kit.Col tit$0le=\"x\"/>;
",
    );
    check(
        "
//- /Kit.tsx
interface Props { title: string }
                  ^^^^^
export const Row = (props: Props) => null;
//- /App.tsx
import * as Kit from './Kit';
export const App = () => <Kit.Row tit$0le=\"x\"/>;
",
    );
}

#[test]
fn attribute_values_have_the_prop_type() {
    check(
        "
//- /App.tsx
interface Point { x: number }
                  ^
export const Card = (props: { at: Point }) => null;
export const App = () => <Card at={{ $0x: 1 }}/>;
",
    );
}

#[test]
fn renaming_a_component_changes_both_tags() {
    check_rename(
        "
//- /Card.tsx
export function ol$0d() { return <div>old~</div>; }
//- /App.tsx
import { old as Card } from './Card';
export const App = () => <Card old~=\"old~\">old~</Card>;
export const B = () => <old~>x</old~>;
",
    );
    let out = renamed(
        "
//- /App.tsx
function Ol$0d() { return <Old a=\"Old\">Old <b>Old</b></Old>; }
const x = <section><Old/></section>, y = { Old: 1 };
",
    );
    assert!(out.contains("<fresh a=\"Old\">Old <b>Old</b></fresh>"), "{out}");
    assert!(out.contains("<fresh/></section>, y = { Old: 1 }"), "{out}");
}

#[test]
fn renaming_a_prop_changes_its_attributes() {
    check_rename(
        "
//- /Card.tsx
export interface Props { ol$0d: string }
export function Card(props: Props) { return <p title={props.old}>old~</p>; }
//- /App.tsx
import { Card } from './Card';
export const App = () => <Card old=\"old~\" key=\"old~\"/>;
export const other = <div old~=\"x\"/>;
",
    );
}

fn parse(path: &str, text: &str) -> Syntax {
    let language = Language::detect(path.rsplit('/').next().unwrap(), "").unwrap();
    Syntax::parse(language, &Text::new(text), None, &GO).unwrap()
}

/// The candidates at `$0`, after a name in complete code.
fn offered(others: &[(&str, &str)], text: &str, typed: &str) -> Vec<String> {
    let at = text.find("$0").unwrap();
    let text = text.replace("$0", "");
    let place = parse("App.tsx", &text).jsx_name_position(at).unwrap().0;
    let mut whole = text.clone();
    let mut offset = at;
    if place == JsxNamePosition::Tag {
        whole.replace_range(at - typed.len()..at, "ZzTandemHere");
        offset = at - typed.len() + 3;
    }
    let facts = Facts::lower(&parse("App.tsx", &whole), &GO).unwrap();
    let mut index = Index::new();
    index.insert(
        FileId(0),
        "App.tsx",
        Arc::new(Facts::lower(&parse("App.tsx", &text), &GO).unwrap()),
    );
    for (number, (path, text)) in others.iter().enumerate() {
        let facts = Facts::lower(&parse(path, text), &GO).unwrap();
        index.insert(FileId(number as u32 + 1), path, Arc::new(facts));
    }
    let typing = CompletionRequest {
        file: FileId(0),
        facts: &facts,
        text: &Text::new(&whole),
        offset,
        prefix: typed,
        before: "",
        preceding: Some('<'),
        rest: LineRest::Code,
        allow_words: true,
        element: Some(&place),
    };
    let found = index.complete(&typing, 1_000);
    let names = found.candidates.into_iter().map(|c| match c.import {
        Some(module) => format!("{} from {module}", c.name),
        None => c.name,
    });
    let phrases = found.keywords_and_snippets.into_iter().map(|p| p.label.into_owned());
    let mut all: Vec<String> = names.chain(phrases).filter(|n| n != "ZzTandemHere").collect();
    all.sort();
    all
}

#[test]
fn tags_are_completed_to_components_and_elements() {
    let text = "
import { Cat } from './cat';
interface Car {}
const CARS = 1, cartoon = 2;
function Card() {}
export const App = () => <Ca$0/>;
";
    let others =
        [("cat.tsx", "export function Cat() {}"), ("b.tsx", "export const Cap = () => 1;")];
    let found = offered(&others, text, "Ca");
    assert_eq!(found, ["Cap from ./b", "Card", "Cat", "canvas", "caption"]);
}

#[test]
fn attributes_are_completed_to_props() {
    let text = "
interface Props { title: string; kind: number; size?: number }
export const Card = (p: Props) => null;
export const App = () => <Card size={1} $0zz />;
";
    assert_eq!(offered(&[], text, ""), ["key", "kind", "ref", "title"]);
    let text = "const title = 1; export const App = () => <label for=\"x\" ti$0 className=\"x\">x</label>;";
    assert_eq!(offered(&[], text, "ti"), ["title"]);
    let text = "export const App = () => <label $0zz for=\"x\">x</label>;";
    let found = offered(&[], text, "");
    for name in ["htmlFor", "className", "onClick", "aria-label"] {
        assert!(found.iter().any(|f| f == name), "{name}");
    }
    assert!(!found.iter().any(|f| f == "for" || f == "href"));
}

#[test]
fn names_of_packages_in_use_are_imported_from_them() {
    let text = "
import { StrictMode } from 'react';
export const App = () => <Fra$0/>;
";
    assert_eq!(offered(&[], text, "Fra"), ["Fragment from react"]);
    let unused = "export const App = () => <Fra$0/>;";
    assert_eq!(offered(&[], unused, "Fra"), [""; 0]);
    let before = "
//- /App.tsx
import { useState } from 'react';
export function App() { const [a] = useState(0); use$0Effect(() => {}); return <p>{a}</p>; }
";
    let after = plan(before, "add_import", &ActionOptions::default()).unwrap();
    assert!(after.contains("import { useEffect, useState } from 'react';"), "{after}");
}

#[test]
fn tag_names_cannot_be_expressions() {
    let before = "
//- /App.tsx
export function App(a: { b: boolean }) { const X$0 = a.b ? Card : Cart; return <X/>; }
function Card() { return null; }
function Cart() { return null; }
";
    assert!(plan(before, "inline_variable", &ActionOptions::default()).is_err());
}

#[test]
fn code_with_elements_is_extracted() {
    let before = "
//- /App.jsx
export function App({ a }) {
  $<const b = a + 1;
  console.log(<div title={b}>div</div>);>$
  return null;
}
";
    let after = plan(
        before,
        "extract_function",
        &ActionOptions { name: Some("show"), ..ActionOptions::default() },
    )
    .unwrap();
    assert!(after.contains("show(a);"), "{after}");
}
