//! Valid code as in real projects gets no diagnostics, and mistakes beside it do. `cargo xtask fresh`
//! does the same with whole projects.

use serde_json::{Value, json};
use tests::{Fixture, Server};

/// What is reported of each file once it is open: `path:line code`, in order.
fn reported_diagnostics(fixture: &str) -> Vec<String> {
    let server = Server::builder(fixture).capability("textDocument/diagnostic", json!({})).start();
    // It is answered when every file has been read.
    server.request("workspace/diagnostic", json!({ "previousResultIds": [] })).unwrap();
    let mut found = Vec::new();
    for file in &Fixture::parse(fixture).files {
        let (path, uri) = (&file.path, server.uri(&file.path));
        server.open(&uri, language_id(path), 1, &file.text).unwrap();
        let params = json!({ "textDocument": { "uri": uri } });
        let report = server.request("textDocument/diagnostic", params).unwrap();
        for item in report["items"].as_array().unwrap() {
            let code = item["code"].as_str().unwrap_or("syntax");
            let line = item["range"]["start"]["line"].as_u64().unwrap() + 1;
            found.push(format!("{path}:{line} {code} {}", text(item)));
        }
    }
    found
}

/// The message without the name of what is wrong: what is expected names it by its line.
fn text(item: &Value) -> &str {
    item["message"].as_str().unwrap().split('`').nth(1).unwrap_or_default()
}

/// As VS Code names languages.
fn language_id(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "jsx" => "javascriptreact",
        "scss" => "scss",
        "css" => "css",
        "php" => "php",
        "yaml" | "yml" => "yaml",
        _ => tests::language_id(path),
    }
}

fn check(fixture: &str) {
    assert_eq!(reported_diagnostics(fixture), [""; 0]);
}

#[test]
fn jsx() {
    check(
        r#"
//- /package.json
{ "name": "app", "dependencies": { "react": "^19.0.0" } }
//- /src/Card.tsx
export function Card({ title, children }: { title: string; children?: unknown }) {
  return <section className="card"><h2>{title}</h2>{children}</section>;
}
//- /src/App.tsx
import { Card } from './Card';

export default function App() {
  return (
    <main id="center" data-mode="a">
      <Card title="AT&T">A & B, R&D</Card>
      <a href="https://example.com/?a=1&b=2">link</a>
      <svg viewBox="0 0 1 1"><use href="/icons.svg#a"></use></svg>
      <my-element some-attribute="x"></my-element>
      <></>
    </main>
  );
}
//- /src/Old.jsx
export const Old = ({ name }) => <label class="a" for="b">{name}<img src="a?b=1&c=2" alt="" /></label>;
//- /src/Plain.js
export const Plain = () => <div class="hero"><button type="button">ok</button></div>;
"#,
    );
}

#[test]
fn typescript() {
    check(
        r#"
//- /src/types.ts
export interface Box<in out T> { value: T }
export type Out<out T> = () => T;
export class Resource { [Symbol.dispose](): void {} }
export const sql = <T>(parts: TemplateStringsArray, ...values: unknown[]): T[] => [];
const _if = 1;
export { _if as if };
//- /src/index.ts
export type * from './types';
export type * as Types from './types';
import { Resource, sql } from './types';
import { if as condition } from './types';

export type Imported = import('./types').Box<string>;
export declare const made: import('./types').Out<number>;

export function run({ a, b }: {
  a: number;
  b: string;
}): string {
  using resource = new Resource();
  const rows = sql<{ id: number }>`select ${a}`;
  const pattern = new URLPattern({ pathname: '/:id' });
  return `${b} ${rows.length} ${String(pattern)} ${String(resource)} ${condition}`;
}
//- /src/rule.d.ts
export default function (options: { name: string }): void;
export interface Calls {
  <A>(self: A): A
  <A, B>(self: A, other: B): B
  using(using: string): this
}
declare global {
  namespace Express { interface Request { user?: string } }
}
"#,
    );
}

#[test]
fn python() {
    check(
        "
//- /point.py
class Point:
    x = 0
    origin = x

    def __init__(self, x: int = origin) -> None:
        self.x = x
//- /flow.py
from point import Point


def shape(value: object) -> object:
    match value:
        case [first, *rest]:
            return first, rest
        case {\"k\": found, **others}:
            return found, others
        case Point(x=px) as point:
            return px, point
        case (1 | 2) as number:
            return number
        case str(text) if text:
            return text
        case other:
            return other


def first[T](items: list[T]) -> T:
    return items[0]


class Box[T: int, *Ts, **P]:
    value: T


type Pair[A] = tuple[A, A]
",
    );
}

#[test]
fn java() {
    check(
        "
//- /src/main/java/app/Controller.java
package app;

import static java.util.stream.Collectors.*;

import java.util.*;
import java.util.concurrent.*;
import org.springframework.web.bind.annotation.*;

@RestController
class Controller {
    private final Map<String, List<Item>> items = new ConcurrentHashMap<>();

    @GetMapping(\"/\")
    List<String> names(@RequestParam String name) {
        return items.get(name).stream().map(Item::getName).collect(toList());
    }
}
//- /src/main/kotlin/app/Item.kt
package app

class Item(val name: String)
",
    );
}

#[test]
fn rust() {
    check(
        r#"
//- /Cargo.toml
[package]
name = "right"
version = "0.1.0"
edition = "2024"
//- /src/lib.rs
use std::fmt::Display;

pub struct Size {
    pub width: usize,
    #[cfg(windows)]
    pub handle: usize,
}

unsafe extern "C" {
    pub safe fn sqrt(x: f64) -> f64;
}

pub fn all<I: IntoIterator<Item: Copy + Display>>(items: I, size: &Size) -> String {
    let Size {
        width,
        #[cfg(windows)]
        handle,
    } = size;
    let name = "a";
    let width = *width;
    let mut out = format!("{name:-^width$}");
    for item in items {
        out += &format!("{item:>1$}", width);
    }
    out
}

pub fn boxed<'a>(f: &'a (dyn 'a + Fn(f32) -> f32)) -> f32 {
    f(1.0)
}

macro_rules! sum {
    ($($x:expr),* $(,)?) => { 0 $(+ $x)* };
}

pub fn three() -> i32 {
    sum!(1, 2)
}
"#,
    );
}

#[test]
fn others() {
    check(
        r#"
//- /src/Session.php
<?php

namespace App;

class Session
{
    public function save(array $data): Binary
    {
        return new Binary($data['a'], Binary::TYPE_OLD_BINARY);
    }
}
//- /styles/main.scss
@use 'sass:math';
$size: 10px;
.icon { background: url(https://example.com/a.png?b=1); width: math.div($size, 2); }
//- /styles/utilities.css
.before\:content-\[\"\"\]::before { content: ""; }
//- /.github/workflows/ci.yml
on: push
jobs:
  test:
    runs-on: ${{ matrix.os }}
    steps:
      - run: |
          echo "${{ github.ref }}"
//- /chart/templates/service.yaml
{{- if .Values.enabled }}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "chart.name" . }}
  labels:
    {{- include "chart.labels" . | nindent 4 }}
{{- end }}
//- /deploy/jinja.yml
{% for user in users %}
- name: {{ user.name }}
{% endfor %}
//- /fixtures/users.yml
<% 3.times do |i| %>
user_<%= i %>:
  name: <%= i %>
<% end %>
//- /static/catalog.js
{% if plural %}
const plural = {{ plural }};
{% endif %}
//- /go/list.go
//go:build !windows

package list

type Number interface{ ~int | ~float64 }

func Sum[T Number](items ...T) (total T) {
	for _, item := range items {
		total += item
	}
	return total
}
"#,
    );
}

/// Names that code outside of the file creates: other scripts and test runners, derive macros, decorators.
#[test]
fn names_that_others_create() {
    check(
        r#"
//- /package.json
{ "name": "app" }
//- /src/a.js
import './start';
export const open = () => CMS.open(fixture('a'));
//- /src/b.js
import './start';
export const close = () => CMS.close(fixture('b'));
//- /src/start.js
export const start = () => { window.CMS = { open() {}, close() {} }; };
//- /Cargo.toml
[package]
name = "right"
version = "0.1.0"
edition = "2024"
[dependencies]
strum = "0.26"
//- /src/lib.rs
mod kinds;
mod uses;
//- /src/kinds.rs
use strum::EnumIter;

#[derive(Clone, EnumIter)]
pub enum Tea {
    Green,
}
//- /src/uses.rs
use super::kinds::*;

pub fn all() -> Vec<Tea> {
    let iter: TeaIter = make();
    iter.collect()
}

fn make<T>() -> T {
    todo!()
}
//- /backends.py
import sys


def export(cls):
    for name in ["canvas"]:
        setattr(sys.modules[cls.__module__], name, getattr(cls, name))
    return cls
//- /agg.py
from backends import export


@export
class Backend:
    canvas = 1
//- /use_agg.py
from agg import canvas

print(canvas)
"#,
    );
}

#[test]
fn mistakes_beside_it_are_reported() {
    let found = reported_diagnostics(
        r#"
//- /src/App.tsx
import missing from './nowhere';
export const App = () => <main title="a & b"><Missing value={undefinedOne}/>{missing}</main>;
//- /flow.py
import nowhere_installed


def shape(value: object) -> object:
    match value:
        case [first, *rest]:
            return first, rest, undefined_one
    return nowhere_installed
//- /src/main.rs
fn main() {
    let size: = 1;
}
//- /chart/values.yaml
service:
  ports: [80, 443
  name: web
"#,
    );
    let has = |start: &str| found.iter().any(|line| line.starts_with(start));
    for wanted in [
        "src/App.tsx:1 unresolved-import",
        "src/App.tsx:2 undefined-name Missing",
        "src/App.tsx:2 undefined-name undefinedOne",
        "flow.py:7 undefined-name undefined_one",
        "src/main.rs:2 syntax",
    ] {
        assert!(has(wanted), "{wanted}: {found:?}");
    }
    let yaml: Vec<_> = found.iter().filter(|line| line.starts_with("chart/")).collect();
    assert!(!yaml.is_empty() && yaml.iter().all(|line| !line.contains(":1 ")), "{found:?}");
}
