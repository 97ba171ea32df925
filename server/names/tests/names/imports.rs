//! Adding an import: the text after the edits.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;

use names::{Facts, FileId, ImportEdit, ImportRequest};
use syntax::{Language, Syntax};
use text::Text;

use super::fixture::{Fixture, fixture};

static GO: AtomicBool = AtomicBool::new(false);

fn imports(f: &Fixture) -> Vec<ImportEdit> {
    let (file, offset) = f.cursor;
    let source = &f.sources[file as usize];
    let path = &f.paths[file as usize];
    let language = Language::detect(path.rsplit('/').next().unwrap(), "").unwrap();
    let syntax = Syntax::parse(language, &Text::new(source), None, &GO).unwrap();
    let facts = Facts::lower(&syntax, &GO).unwrap();
    let name = facts.name_at(offset).expect("a name at $0");
    let into = ImportRequest {
        file: FileId(file),
        syntax: &syntax,
        facts: &facts,
        span: name.span.clone(),
    };
    let all = f.index.importable_definitions(FileId(file), &name.text);
    all.into_iter().filter_map(|id| f.index.plan_import(&into, &name.text, id, &GO)).collect()
}

/// The file of `$0` after importing the name there.
#[track_caller]
fn check(text: &str, want: &str) {
    let f = fixture(text);
    let all = imports(&f);
    let Some(first) = all.first() else { panic!("no import") };
    let mut source = f.sources[f.cursor.0 as usize].clone();
    let mut edits = first.edits.clone();
    let name = source[f.cursor.1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap();
    edits.push((f.cursor.1..f.cursor.1 + name, first.name.clone()));
    edits.sort_by_key(|(at, _)| std::cmp::Reverse((at.start, at.end)));
    for (at, new) in edits {
        source.replace_range(at, &new);
    }
    assert_eq!(source.trim_end(), want.trim_matches('\n'), "{all:?}");
}

#[track_caller]
fn refused(text: &str) {
    let all = imports(&fixture(text));
    assert!(all.is_empty(), "{all:?}");
}

#[test]
fn python_imports_as_the_file_does() {
    check(
        "
//- /app/__init__.py
//- /app/shapes.py
class Box: pass
//- /app/main.py
import os
from app.other import a, c

x = $0Box()
//- /app/other.py
a = c = 1
",
        "
import os
from app.other import a, c
from app.shapes import Box

x = Box()",
    );
    check(
        "
//- /app/__init__.py
//- /app/shapes.py
class Box: pass
class Ball: pass
//- /app/main.py
import os

from .shapes import Ball

x = $0Box()
",
        "
import os

from .shapes import Ball, Box

x = Box()",
    );
    check(
        "
//- /app/__init__.py
//- /app/shapes/__init__.py
from ._box import Box
//- /app/shapes/_box.py
class Box: pass
//- /main.py
'''Says what it is.'''

def f():
    return $0Box()
",
        "
'''Says what it is.'''

from app.shapes import Box


def f():
    return Box()",
    );
}

#[test]
fn python_imports_modules_and_keeps_lists_sorted() {
    check(
        "
//- /app/__init__.py
//- /app/shapes.py
//- /app/main.py
from app.other import (
    alpha,
    gamma,
)
$0beta
//- /app/other.py
alpha = beta = gamma = 1
",
        "
from app.other import (
    alpha,
    beta,
    gamma,
)
beta",
    );
    check(
        "
//- /app/__init__.py
//- /app/shapes.py
x = 1
//- /main.py
$0shapes.x
",
        "
from app import shapes

shapes.x",
    );
}

#[test]
fn private_and_conflicting_names_are_not_imported() {
    refused(
        "
//- /shapes.py
_hidden = 1
//- /main.py
$0_hidden
",
    );
    refused(
        "
//- /a.rs
fn hidden() {}
//- /lib.rs
mod a;
fn f() { $0hidden() }
",
    );
    refused(
        "
//- /a.ts
const hidden = 1;
export const other = 2;
//- /b.ts
$0hidden
",
    );
}

#[test]
fn typescript_writes_specifiers_like_other_imports() {
    check(
        "
//- /src/lib/shapes.ts
export class Box {}
export interface Side {}
export default function area() {}
//- /src/other.ts
export const b = 1;
//- /src/main.ts
import { b } from './other';
new $0Box();
",
        "
import { Box } from './lib/shapes';
import { b } from './other';
new Box();",
    );
    check(
        "
//- /src/lib/shapes.ts
export class Box {}
export class Ball {}
//- /src/main.ts
import { Ball } from \"./lib/shapes.js\"
new $0Box()
",
        "
import { Ball, Box } from \"./lib/shapes.js\"
new Box()",
    );
    check(
        "
//- /src/lib/shapes.ts
export default function area() {}
//- /src/other.ts
export const b = 1;
//- /src/main.ts
import {b} from \"./other.js\"
$0area()
",
        "
import area from \"./lib/shapes.js\"
import {b} from \"./other.js\"
area()",
    );
    check(
        "
//- /src/lib/shapes.ts
export interface Side { a: number }
//- /src/other.ts
export type B = 1;
//- /src/main.ts
import type { B } from './other'
let x: $0Side
",
        "
import type { Side } from './lib/shapes'
import type { B } from './other'
let x: Side",
    );
}

#[test]
fn typescript_knows_aliases_and_packages() {
    check(
        "
//- /tsconfig.json
{ \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"src/*\"] } } }
//- /src/lib/shapes.ts
export class Box {}
//- /src/lib/other.ts
export const b = 1;
//- /src/app/main.ts
import { b } from '@/lib/other';
new $0Box();
",
        "
import { b } from '@/lib/other';
import { Box } from '@/lib/shapes';
new Box();",
    );
    check(
        "
//- /package.json
{ \"private\": true, \"workspaces\": [\"packages/*\"] }
//- /packages/core/package.json
{ \"name\": \"@x/core\", \"main\": \"src/index.ts\" }
//- /packages/core/src/index.ts
export * from './box';
//- /packages/core/src/box.ts
export class Box {}
//- /packages/app/package.json
{ \"name\": \"@x/app\" }
//- /packages/app/src/main.ts
const b = new $0Box();
",
        "
import { Box } from \"@x/core\";

const b = new Box();",
    );
}

#[test]
fn javascript_uses_the_files_module_system() {
    check(
        "
//- /lib/shapes.js
class Box {}
module.exports = { Box };
//- /main.js
'use strict'
const fs = require('fs')

new $0Box()
",
        "
'use strict'
const fs = require('fs')
const { Box } = require('./lib/shapes')

new Box()",
    );
}

#[test]
fn rust_uses_the_shortest_visible_path() {
    check(
        "
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
mod shapes;
mod main_part;
//- /src/shapes.rs
mod inner;
pub use inner::Ball;
//- /src/shapes/inner.rs
pub struct Ball;
//- /src/main_part.rs
use std::fmt;

use crate::other::A;

fn f() { let _ = $0Ball; }
",
        "
use std::fmt;

use crate::other::A;
use crate::shapes::Ball;

fn f() { let _ = Ball; }",
    );
    check(
        "
//- /Cargo.toml
[workspace]
members = [\"a\", \"b\"]
//- /a/Cargo.toml
[package]
name = \"part-a\"
//- /a/src/lib.rs
pub mod shapes { pub struct Ball; pub struct Box2; pub(crate) struct Own; }
//- /b/Cargo.toml
[package]
name = \"b\"
[dependencies]
part-a = { path = \"../a\" }
//- /b/src/lib.rs
use part_a::shapes::{Ball};
fn f(b: Ball) { let _: $0Box2; }
",
        "
use part_a::shapes::{Ball, Box2};
fn f(b: Ball) { let _: Box2; }",
    );
    refused(
        "
//- /a/Cargo.toml
[package]
name = \"part-a\"
//- /a/src/lib.rs
pub mod shapes { pub(crate) struct Own; }
//- /b/Cargo.toml
[package]
name = \"b\"
[dependencies]
part-a = { path = \"../a\" }
//- /b/src/lib.rs
fn f() { let _: $0Own; }
",
    );
}

#[test]
fn rust_imports_into_the_module_of_the_name() {
    check(
        "
//- /src/lib.rs
mod shapes;
mod other;
//- /src/shapes.rs
pub(crate) struct Ball;
pub struct Box2;
//- /src/other.rs
use crate::shapes::Box2;

mod tests {
    use super::*;

    fn f() { let _ = $0Ball; }
}
",
        "
use crate::shapes::Box2;

mod tests {
    use crate::shapes::Ball;
    use super::*;

    fn f() { let _ = Ball; }
}",
    );
}

#[test]
fn go_names_the_package() {
    check(
        "
//- /go.mod
module example.com/shop
//- /shapes/box.go
package shapes

type Box struct{}
//- /main.go
package main

import (
	\"fmt\"
	\"os\"
)

func f() { _ = $0Box{} }
",
        "
package main

import (
	\"fmt\"
	\"os\"

	\"example.com/shop/shapes\"
)

func f() { _ = shapes.Box{} }",
    );
    check(
        "
//- /go.mod
module example.com/shop
//- /shapes/box.go
package shapes

type Box struct{}
//- /main.go
package main

func f() { _ = $0shapes.Box{} }
",
        "
package main

import \"example.com/shop/shapes\"

func f() { _ = shapes.Box{} }",
    );
    refused(
        "
//- /go.mod
module example.com/shop
//- /a/internal/shapes/box.go
package shapes

type Box struct{}
//- /main.go
package main

func f() { _ = $0Box{} }
",
    );
}

#[test]
fn java_imports_types_of_other_packages() {
    check(
        "
//- /shop/shapes/Box.java
package shop.shapes;
public class Box {}
//- /shop/Main.java
package shop;

import java.util.List;
import shop.shapes.Ball;
import shop.tools.Hammer;

class Main { $0Box b; }
",
        "
package shop;

import java.util.List;
import shop.shapes.Ball;
import shop.shapes.Box;
import shop.tools.Hammer;

class Main { Box b; }",
    );
    refused(
        "
//- /shop/shapes/Box.java
package shop.shapes;
class Box {}
//- /shop/Main.java
package shop;
class Main { $0Box b; }
",
    );
}

#[test]
fn c_includes_the_header() {
    check(
        "
//- /include/shop/box.h
#pragma once
int box_area(int side);
//- /src/other.c
#include \"shop/box.h\"
//- /src/main.c
#include <stdio.h>
#include \"shop/apple.h\"

int f(void) { return $0box_area(1); }
//- /include/shop/apple.h
int apple;
",
        "
#include <stdio.h>
#include \"shop/apple.h\"
#include \"shop/box.h\"

int f(void) { return box_area(1); }",
    );
}
