//! JavaScript and TypeScript: hoisting, modules, CommonJS, members, overloads.

use crate::fixture::{check, check_references};

#[test]
fn var_is_hoisted_and_let_is_not() {
    check(
        "
//- /a.js
function f() { { var x = 1; } return $0x; }
                     ^
",
    );
    check(
        "
//- /a.js
let x = 0;
    ^
function f() { { let x = 1; } return $0x; }
",
    );
}

#[test]
fn imports_exports_and_barrels() {
    check(
        "
//- /lib/thing.ts
export class Thing {}
             ^^^^^
//- /lib/index.ts
export * from './thing.js';
//- /a.ts
import { Thing as T } from './lib';
new $0T();
",
    );
    check(
        "
//- /b.js
export default function run() {}
                        ^^^
//- /a.js
import go from './b.js';
g$0o();
",
    );
}

#[test]
fn common_js() {
    check(
        "
//- /lib.js
class Pool {}
      ^^^^
module.exports = Pool;
//- /a.js
const Pool = require('./lib');
new Po$0ol();
",
    );
    check(
        "
//- /lib.js
function open() {}
         ^^^^
module.exports = { open };
//- /a.js
const { open } = require('./lib');
op$0en();
",
    );
}

#[test]
fn this_fields_and_inheritance() {
    check(
        "
//- /a.ts
class A { size = 1; }
          ^^^^
class B extends A { f() { return this.si$0ze; } }
",
    );
    check(
        "
//- /a.js
function Old() { this.count = 0; }
                      ^^^^^
Old.prototype.f = function () { return this.cou$0nt; };
",
    );
}

#[test]
fn arrow_functions_keep_this_and_object_literals_do_not_take_it() {
    check(
        "
//- /a.js
class A {
  #agent = 1;
  ^^^^^^
  f() { return { dispatch: this.#ag$0ent }; }
}
",
    );
}

#[test]
fn overloads_are_chosen_by_arguments() {
    check(
        "
//- /a.ts
export function f(a: string): void;
export function f(a: string, b: number): void;
                ^
export function f(a: string, b?: number) {}
//- /b.ts
import { f } from './a';
$0f('x', 1);
",
    );
}

#[test]
fn type_arguments_reach_members() {
    check(
        "
//- /a.ts
class Item { name = ''; }
             ^^^^
class Box<T> { value: T; all: T[]; }
function f(b: Box<Item>) { return b.all.map(x => x.na$0me); }
",
    );
}

#[test]
fn lambda_parameters_are_typed_by_the_callee() {
    check(
        "
//- /a.ts
class Sub { next() {} }
            ^^^^
class Obs { constructor(f: (s: Sub) => void) {} }
new Obs((s) => { s.ne$0xt(); });
",
    );
}

#[test]
fn a_key_of_an_argument_is_the_option() {
    check(
        "
//- /a.ts
interface Options { deep: boolean }
                    ^^^^
function f(o: Options) {}
f({ de$0ep: true });
",
    );
}

#[test]
fn types_and_values_have_separate_namespaces() {
    check(
        "
//- /a.ts
interface Shape { x: number }
          ^^^^^
const Shape = 1;
let s: Sha$0pe;
",
    );
}

#[test]
fn references_include_overrides() {
    check_references(
        "
//- /a.ts
interface Sink { write(): void }
                 ^^^^^
class File implements Sink { write() {} }
                             ^^^^^
function f(s: Sink) { s.wri$0te(); }
                        ^^^^^
",
    );
}

#[test]
fn tsconfig_paths() {
    check(
        "
//- /tsconfig.json
{ \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@app/*\": [\"src/*\"] } } }
//- /src/x.ts
export const x = 1;
             ^
//- /a.ts
import { x } from '@app/x';
$0x;
",
    );
}

#[test]
fn a_namespace_import_name_is_local_to_the_file() {
    check(
        "
//- /lib.ts
export const one = 1;
//- /a.ts
import * as lib from './lib';
            ^^^
$0lib.one;
",
    );
    check(
        "
//- /lib.ts
export const one = 1;
             ^^^
//- /a.ts
import * as lib from './lib';
lib.o$0ne;
",
    );
    check_references(
        "
//- /lib.ts
export const one = 1;
//- /b.ts
import * as lib from './lib';
lib.one;
//- /a.ts
import * as lib from './lib';
            ^^^
$0lib.one;
^^^
",
    );
}

#[test]
fn a_key_of_a_returned_object_is_the_declared_member() {
    check(
        "
//- /a.ts
interface Options { deep: boolean }
                    ^^^^
async function f(): Promise<Options> { return { de$0ep: true }; }
",
    );
    check(
        "
//- /a.ts
interface Options { deep: boolean }
                    ^^^^
const f = (): Options[] => [{ de$0ep: true }];
",
    );
}

#[test]
fn a_this_parameter_types_this() {
    check(
        "
//- /a.ts
interface Node { next: Node }
                 ^^^^
function f(this: Node) { return this.ne$0xt; }
",
    );
}

#[test]
fn scripts_declare_globals() {
    check(
        "
//- /global.d.ts
declare const __DEV__: boolean;
              ^^^^^^^
//- /a.ts
export const x = $0__DEV__;
",
    );
}

#[test]
fn modules_are_declared_by_name() {
    check(
        "
//- /types.d.ts
declare module 'lib/part' { export interface Part { size: number } }
                                             ^^^^
//- /a.ts
import { Part } from 'lib/part';
let p: $0Part;
",
    );
}

#[test]
fn a_frozen_object_is_the_object() {
    check(
        "
//- /a.ts
const State = Object.freeze({ open: 1, closed: 2 } as const);
                              ^^^^
State.o$0pen;
",
    );
}

#[test]
fn an_anonymous_default_export_is_used_by_the_importers_name() {
    check_references(
        "
//- /lib.js
export default { touch: true };
//- /b.js
import Browser from './lib.js';
       ^^^^^^^
Browser.touch;
^^^^^^^
//- /a.js
import Browser from './lib.js';
       ^^^^^^^
$0Browser.touch;
^^^^^^^
",
    );
}

#[test]
fn a_member_of_something_unknown_is_not_guessed() {
    check(
        "
//- /a.js
class Pool { drainAll() {} }
function f(x) { x.drain$0All(); }
",
    );
}
