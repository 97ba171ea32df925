//! Diagnostics about names: what is reported, and what is not.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;

use names::FileId;
use syntax::{Language, Syntax};
use text::Text;

use crate::fixture::fixture;

static GO: AtomicBool = AtomicBool::new(false);

/// Checks the diagnostics of all files: `path:line code name`, in order.
pub(crate) fn check(text: &str, expected: &[&str]) {
    assert_eq!(reported(text, false), expected);
}

/// [`check`], missing modules included.
pub(crate) fn check_with_missing_modules(text: &str, expected: &[&str]) {
    assert_eq!(reported(text, true), expected);
}

fn reported(text: &str, with_missing_modules: bool) -> Vec<String> {
    // The fixture needs a cursor; it is not used.
    let fixture = fixture(&format!("{text}//- /cursor.c\n$0\n"));
    let mut all = Vec::new();
    for (number, path) in fixture.paths.iter().enumerate() {
        let source = &fixture.sources[number];
        let name = path.rsplit('/').next().unwrap();
        let Some(language) = Language::detect(name, "") else { continue };
        let syntax = Syntax::parse(language, &Text::new(source), None, &GO).unwrap();
        let file = FileId(number as u32);
        let mut found = fixture.index.name_diagnostics(file, &syntax, &GO).unwrap();
        if with_missing_modules {
            found.extend(fixture.index.missing_modules(file, &syntax, &GO));
        }
        for f in found {
            let line = source[..f.span.start].matches('\n').count() + 1;
            all.push(format!("{path}:{line} {} {}", f.kind.code(), f.name));
        }
    }
    all
}

#[test]
fn python_reports_certain_problems() {
    check(
        "
//- /pkg/__init__.py
from .a import f
//- /pkg/a.py
import os
import sys
import json as js
from .b import thing, nothing
from .c import x
from . import b, d

def f(n):
    unread = n
    return sys.argv, thing, nothing, x, b, d, undefined_one
//- /pkg/b.py
thing = 1
print(__file__)
",
        &[
            "pkg/a.py:1 unused-import os",
            "pkg/a.py:3 unused-import js",
            "pkg/a.py:4 unresolved-import nothing",
            "pkg/a.py:5 unresolved-import .c",
            "pkg/a.py:6 unresolved-import d",
            "pkg/a.py:9 unused-variable unread",
            "pkg/a.py:10 undefined-name undefined_one",
        ],
    );
}

#[test]
fn python_reports_nothing_uncertain() {
    check(
        "
//- /a.py
from os.path import *
import readline  # noqa
from typing import List
from json import loads as loads
try:
    import simplejson
except ImportError:
    simplejson = None
def f(x: \"List[int]\"):
    try:
        return unicode(x), join(x), basename
    except NameError:
        return whatever
//- /b.py
import os
def f():
    secret = 1
    return locals(), os
def g():
    exec('x = 1')
    return x_of_exec
//- /c.py
from .missing_version import v
from ._native import speedups
from missing import a
from contextlib import suppress
with suppress(ImportError):
    from .nowhere import b
__all__ = ['v', 'speedups', 'a', 'b', 'suppress']
",
        &[],
    );
}

#[test]
fn ecma_reports_certain_problems() {
    check(
        "
//- /src/a.ts
import { used, idle, missing } from './b';
import * as ns from './b';
import type { T } from './b';
import { gone } from './nowhere';
export function f(x: T) {
    const unread = 1;
    return used(x, missing, gone, notDefined, document, process.env, typeof maybeDefined);
}
//- /src/b.ts
export function used(...all: unknown[]) { return all; }
export const idle = 1;
export type T = number;
",
        &[
            "src/a.ts:1 unused-import idle",
            "src/a.ts:1 unresolved-import missing",
            "src/a.ts:2 unused-import ns",
            "src/a.ts:4 unresolved-import ./nowhere",
            "src/a.ts:6 unused-variable unread",
            "src/a.ts:7 undefined-name notDefined",
        ],
    );
}

#[test]
fn ecma_reports_nothing_uncertain() {
    check(
        "
//- /a.js
/* global someGlobal */
var x = someGlobal + otherGlobal;
//- /b.tsx
import React from 'react';
import data from './data.txt?raw';
import { linked } from './c';
/** See {@link linked}. */
export const B = () => <b title={data}>text</b>;
//- /c.ts
module.exports.linked = 1;
export const linked = hidden;
declare global { var hidden: number }
",
        &[],
    );
}

#[test]
fn rust_reports_certain_problems() {
    check(
        "
//- /Cargo.toml
[package]
name = \"one\"
//- /src/lib.rs
mod a;
mod gone;
pub struct Shape;
pub struct Circle;
//- /src/a.rs
use crate::Shape;
use crate::Shap;
use crate::{Circle as Other, a};
use std::fmt::Write;
pub fn f(n: u32) -> Option<u32> {
    let unread = n;
    let s = String::new();
    let _ = Shap;
    Some(n + undefined_one + s.len() as u32)
}
",
        &[
            "src/lib.rs:2 unresolved-import gone",
            "src/a.rs:1 unused-import Shape",
            "src/a.rs:2 unresolved-import Shap",
            "src/a.rs:3 unused-import Other",
            "src/a.rs:3 unused-import a",
            "src/a.rs:6 unused-variable unread",
            "src/a.rs:9 undefined-name undefined_one",
        ],
    );
}

#[test]
fn rust_reports_nothing_uncertain() {
    check(
        "
//- /Cargo.toml
[package]
name = \"one\"
//- /src/lib.rs
mod made;
mod b;
#[cfg(windows)]
mod windows_only;
pub struct Shape;
//- /src/made.rs
use crate::Shape;
make_items! { One }
pub fn f() -> One { two() }
//- /src/b.rs
use crate::Shape;
pub fn f() {
    let used_in_text = 1;
    println!(\"{used_in_text}\");
    #[cfg(unix)]
    only_on_unix();
}
mod tests { use super::*; fn f() -> Shape { Shape } }
",
        &[],
    );
}

#[test]
fn go_reports_certain_problems() {
    check(
        "
//- /go.mod
module example.com/one
//- /a.go
package one

import (
\t\"fmt\"
\t\"os\"
\t\"example.com/one/gone\"
\t\"example.com/one/b\"
\tyaml \"gopkg.in/yaml.v3\"
)

func F(n int) int {
\tunread := n
\treturn n + undefinedOne + other + b.X + gone.X
}
//- /other.go
package one

import \"gopkg.in/inf.v0\"

var other = len(\"\") + inf.X + G[int](1)

func G[T any](t T) int { return 1 }
//- /b/b.go
package b

const X = 1
",
        &[
            "a.go:4 unused-import fmt",
            "a.go:5 unused-import os",
            "a.go:6 unresolved-import example.com/one/gone",
            "a.go:8 unused-import yaml",
            "a.go:12 unused-variable unread",
            "a.go:13 undefined-name undefinedOne",
        ],
    );
}

#[test]
fn java_reports_certain_problems() {
    check(
        "
//- /src/one/A.java
package one;

import java.util.List;
import java.util.Map;
import two.Shape;
import two.Shap;

class A {
    Map<String, Shape> map;
    Shap other;
    int f(int n) {
        int unread = n;
        return n + undefinedOne;
    }
    Unknown g() { return null; }
}
//- /src/two/Shape.java
package two;
public class Shape {}
//- /src/one/B.java
package one;

import elsewhere.Base;
import static java.lang.Math.max;

/** See {@link Linked}. */
class B extends Base {
    int f() { return inherited + max(1, 2); }
}
",
        &[
            "src/one/A.java:3 unused-import List",
            "src/one/A.java:6 unresolved-import Shap",
            "src/one/A.java:12 unused-variable unread",
            "src/one/A.java:13 undefined-name undefinedOne",
            "src/one/A.java:15 undefined-name Unknown",
        ],
    );
}

#[test]
fn c_reports_certain_problems() {
    check(
        "
//- /a.h
int known(int n);
//- /a.c
#include \"a.h\"
int f(int n) {
    int unread = n;
    return known(n) + undefined_one;
}
int g(int n) {
    int maybe = n;
    return LIMIT + OTHER(n);
}
//- /b.c
#include <stdio.h>
int g(void) { return whatever; }
",
        &["a.c:3 unused-variable unread", "a.c:4 undefined-name undefined_one"],
    );
}

#[test]
fn files_with_syntax_errors_get_no_diagnostics() {
    check(
        "
//- /a.py
import os
def f(:
    return undefined_one
",
        &[],
    );
}

#[test]
fn uses_of_deprecated_definitions_are_reported() {
    check(
        "
//- /Cargo.toml
[package]
name = \"one\"
//- /src/lib.rs
mod a;
mod b;
mod quiet;
#[deprecated]
pub fn old() {}
pub struct S;
impl S {
    #[deprecated]
    pub fn past(&self) {}
    pub fn now(&self) {}
}
//- /src/a.rs
use crate::{S, old};
pub fn f(s: S) {
    old();
    s.past();
    s.now();
}
#[deprecated]
pub fn g() { old(); }
#[allow(deprecated)]
pub fn h() { old(); }
//- /src/b.rs
pub fn old() {}
pub fn f() { old(); }
//- /src/quiet.rs
#![allow(deprecated)]
pub fn f() { crate::old(); }
",
        &["src/a.rs:3 deprecated old", "src/a.rs:4 deprecated past"],
    );
    check(
        "
//- /a.ts
/** @deprecated */
export function old(): void {}
export class C {
  /** @deprecated */
  past = 1;
  /** @deprecated */
  both(a: string): void;
  both(a: number): void;
  both(a: any) {}
}
//- /b.ts
import { old, C } from './a';
old();
export function f(c: C, d: any) {
  d.past();
  c.both(1);
  // eslint-disable-next-line no-x
  old();
  return c.past;
}
",
        &["b.ts:2 deprecated old", "b.ts:8 deprecated past"],
    );
    check(
        "
//- /p/A.java
package p;
public class A {
  @Deprecated public void old() { }
  @Deprecated public void form(int a) { }
  public void form(String a) { }
  void own() { old(); }
}
//- /p/B.java
package p;
class B {
  void f(A a) {
    a.old();
    a.form(1);
  }
  @SuppressWarnings(\"deprecation\")
  void g(A a) { a.old(); }
}
",
        &["p/B.java:4 deprecated old"],
    );
    check(
        "
//- /go.mod
module m
//- /a/a.go
package a

// Old is.
//
// Deprecated: use New.
func Old() {}

func own() { Old() }
//- /b/b.go
package b

import \"m/a\"

func f() { a.Old() }
//- /c.c
struct s { int x; };
[[deprecated]] int old_c(void);
int f(void) { return old_c(); }
//- /d.py
from typing_extensions import deprecated

@deprecated(\"no\")
def old_py():
    pass

class K:
    @deprecated(\"no\")
    def m(self):
        pass

    alias = m

old_py()
old_py()  # noqa
//- /e.cpp
class [[deprecated]] Old { void m(); int x; };
class Old;
void Old::m() { Old* o = this; }
Old* made();
",
        &[
            "b/b.go:5 deprecated Old",
            "c.c:3 deprecated old_c",
            "d.py:14 deprecated old_py",
            "e.cpp:4 deprecated Old",
        ],
    );
}

#[test]
fn valid_jsx_gets_no_diagnostics() {
    check(
        "
//- /package.json
{\"dependencies\": {\"react\": \"19\"}}
//- /src/App.tsx
/// <reference types=\"vite/client\" />
import React, { useState } from 'react';
import logo from '/vite.svg';
import Icon from './icon.svg?react';
import styles from '@/App.module.css';
import 'normalize.css';
import { Trans, motion } from 'kit';
import type { Props } from './types';

declare const __APP__: string;

export function App<T,>({ title, children, ...rest }: React.PropsWithChildren<Props>): JSX.Element {
  const [count, setCount] = useState<number>(0);
  const node: React.ReactNode = <my-element some-attr=\"1\" class=\"x\" for=\"y\" xlink:href=\"#a\"/>;
  const mode = import.meta.env.MODE ?? process.env.NODE_ENV;
  return (
    <main className={styles.app} {...rest} data-mode={mode}>
      <img src={logo} alt=\"AT&T & co\" /> <Icon/> <motion.div layout/>
      <a href=\"?a=1&b=2\" onClick={() => setCount((c) => c + 1)}>{title} & {count} &nbsp; R&D</a>
      <svg:rect/> <React.Fragment key=\"a\">{node}</React.Fragment> <></>
      <Trans>Hello <b>you</b></Trans> {children}
    </main>
  );
}
//- /src/Old.jsx
import React from 'react';
const Old = ({ name, onClose }) => <label class=\"a\" for=\"b\" onClick={onClose}>{name}<var>x</var></label>;
export default Old;
//- /src/types.ts
export interface Props { title: string }
//- /src/util.js
const h = (tag) => tag;
export const make = () => h('div');
",
        &[],
    );
}

#[test]
fn undefined_names_in_jsx_are_reported() {
    check(
        "
//- /src/App.tsx
import { useState } from 'react';
import { Card, Cart } from './Card';
export const App = () => {
  const unread = 1;
  useEffect(() => {});
  return <Card title=\"AT&T\" class=\"x\"><Missing a={undefinedOne}/><miss.Ing/></Card>;
};
//- /src/Card.tsx
export const Card = (props: { title: string }) => <p>{props.title}</p>;
",
        &[
            "src/App.tsx:1 unused-import useState",
            "src/App.tsx:2 unresolved-import Cart",
            "src/App.tsx:2 unused-import Cart",
            "src/App.tsx:4 unused-variable unread",
            "src/App.tsx:5 undefined-name useEffect",
            "src/App.tsx:6 undefined-name Missing",
            "src/App.tsx:6 undefined-name undefinedOne",
            "src/App.tsx:6 undefined-name miss",
        ],
    );
}

#[test]
fn bundles_get_no_diagnostics() {
    let long = "f(1);".repeat(300);
    let written = "f(1);\n".repeat(300);
    check(
        &format!(
            "
//- /a.js
export const f = () => 1;
{long}First();
//- /b.js
export const f = () => 1;
Second();
//# sourceMappingURL=b.js.map
//- /c.js
export const f = () => 1;
{written}Third();
"
        ),
        &["c.js:302 undefined-name Third"],
    );
}
