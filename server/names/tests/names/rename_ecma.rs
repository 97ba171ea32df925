//! Renames in TypeScript and JavaScript: comments, patterns, shapes and CommonJS.

use crate::fixture::rename::{check, refused, renamed};

#[test]
fn types_in_any_comment_are_uses() {
    check(
        "
//- /a.js
/** @typedef {Object} ol$0d
 * @property {boolean} deep
 */
on((/** @type {old} */ context) => context.deep);
class Pool {
  f() {
    /** @type {old} */
    // A line between.
    let it = this;
  }
}
/** @throws {old} never */
f(old~);
",
    );
    check(
        "
//- /zone.js
export default class ol$0d {}
//- /a.js
import old from './zone.js';
/** @implements {old} */
export class A extends old {}
",
    );
}

#[test]
fn a_pattern_binds_a_variable() {
    check(
        "
//- /a.ts
export const f = ({ a: ol$0d }: { a: number }) => old + 1;
const g = ({ old~ }: { old~: number }) => old~;
",
    );
    let text = "
//- /a.ts
export const f = ({ ol$0d }: { old: number }) => old + 1;
f({ old: 1 });
";
    let out = renamed(text);
    assert!(out.contains("({ old: fresh }: { old: number }) => fresh + 1"), "{out}");
    assert!(out.contains("f({ old: 1 })"), "{out}");
}

#[test]
fn fields_of_anonymous_types() {
    // The argument is related by its structure only.
    refused(
        "
//- /a.ts
interface Other { old: string }
export const f = ({ old }: { ol$0d: number }) => old + 1;
//- /b.ts
import { f } from './a';
const it = { old: 1 };
f(it);
",
        "fresh",
        "by its structure",
    );
    check(
        "
//- /a.ts
function f({ a, ...rest }: { a: number; ol$0d: number }) { return rest.old; }
",
    );
}

#[test]
fn common_js_export_lists_are_renamed() {
    let out = renamed(
        "
//- /lib.js
function ol$0d() {}
module.exports = { old, limit: 3 };
//- /a.js
const { old } = require('./lib');
old();
//- /b.js
const lib = require('./lib');
lib.old();
",
    );
    assert!(out.contains("function fresh() {}\nmodule.exports = { fresh, limit: 3 };"), "{out}");
    assert!(out.contains("const { fresh: old } = require('./lib');\nold();"), "{out}");
    assert!(out.contains("lib.fresh();"), "{out}");
}

#[test]
fn a_property_that_holds_a_module_keeps_its_name() {
    refused(
        "
//- /runner.js
class Ol$0d {}
module.exports = Old;
//- /mocha.js
exports.Old = require('./runner');
console.log(exports.Old);
",
        "Fresh",
        "the name under which a module exports it",
    );
}

#[test]
fn merged_declarations_are_renamed_together() {
    check(
        "
//- /a.ts
export interface ol$0d { a: number }
export class old { b = 1 }
export namespace old { export const c = 1 }
const it: old = new old();
old.c;
",
    );
    check(
        "
//- /a.ts
export function ol$0d() {}
export namespace old { export const c = 1 }
old();
//- /b.ts
import { old } from './a';
old.c;
",
    );
    check(
        "
//- /a.ts
export const ol$0d = { a: 1 } as const;
export type old = typeof old;
//- /b.ts
import { old } from './a';
const it: old = old;
",
    );
}

#[test]
fn augmented_declarations_are_refused() {
    refused(
        "
//- /a.ts
export interface Ol$0d { a: number }
//- /b.ts
declare module './a' {
  interface Old { b: number }
}
export {};
",
        "Fresh",
        "may augment it",
    );
}

#[test]
fn all_export_forms() {
    check(
        "
//- /a.ts
export class ol$0d { static a = 1 }
//- /b.ts
export * from './a';
export * as all from './a';
export { old as other, type old as Type } from './a';
//- /c.ts
import * as b from './b';
import type { old } from './b';
export type A = import('./a').old;
const c: typeof import('./a').old = b.old;
b.all.old;
b.other;
let t: old;
",
    );
    check(
        "
//- /a.ts
const ol$0d = 1;
export default old;
export { old, old as kept };
export const o = { old~: 1 };
//- /b.ts
import any, { old } from './a';
async function f() { const { kept, old } = await import('./a'); (await import('./a')).old; }
"
        .replace("const { kept, old }", "const { kept }")
        .as_str(),
    );
}

#[test]
fn strings_that_name_a_member_need_confirmation() {
    for (text, sure) in [
        ("type Less = Pick<Box, 'fillColour'>;", false),
        ("type Less = Omit<Box, 'a' | \"fillColour\">;", false),
        ("type One = Box['fillColour'];", false),
        ("declare const box: Box; box['fillColour'];", false),
        ("declare const box: Box; if ('fillColour' in box) {}", false),
        ("console.log('fillColour');", true),
    ] {
        let text = format!("\n//- /a.ts\ninterface Box {{ fill$0Colour: number; a: 1 }}\n{text}\n");
        let f = crate::fixture::fixture(&text);
        let plan = crate::fixture::rename::plan(&f, "fresh").unwrap();
        let unsure = plan.edits.iter().any(|e| e.reason == names::RenameReason::Unsure);
        assert_eq!(unsure, !sure, "{text}");
    }
}

#[test]
fn parameters_in_comments_are_renamed() {
    check(
        "
//- /a.js
/**
 * @param ol$0d what
 * @param {string} other it
 */
export function f(old, other) { return old; }
",
    );
}

#[test]
fn a_declaration_file_is_renamed_with_its_module() {
    check(
        "
//- /a.d.ts
export class ol$0d {}
//- /a.js
export class old {}
//- /b.js
import { old } from './a.js';
",
    );
}

#[test]
fn declaration_files_export_implicitly() {
    check(
        "
//- /types.d.ts
export interface Link { range: old }
interface ol$0d { start: number }
//- /a.ts
import { old } from './types';
let it: old;
",
    );
}

#[test]
fn a_member_of_an_enum_is_a_type_too() {
    check(
        "
//- /a.ts
export enum Code { ol$0d = 'Old', Other = 'other' }
interface Issue { code: Code.old; }
type T = typeof Code.old;
let x: Code.old = Code.old;
//- /b.ts
import { Code } from './a';
import * as z from './a';
interface Issue2 extends Base<typeof z.Code.old> { code: z.Code.old; k: Code.old }
",
    );
}

#[test]
fn uses_of_an_unbuilt_own_package_are_uncertain() {
    let text = "
//- /package.json
{ \"private\": true, \"workspaces\": [\"packages/*\"] }
//- /packages/core/package.json
{ \"name\": \"@w/core\", \"exports\": { \".\": \"./generated/entry.js\" } }
//- /packages/core/parts/thing.ts
export class Thing { ol$0d() {} }
//- /packages/app/a.ts
import { Thing } from '@w/core';
new Thing().old();
";
    refused(text, "fresh", "packages/app/a.ts:2 belongs to a module of this project");
    // A package outside the project cannot use it.
    let foreign = text.replace("from '@w/core'", "from '@other/core'");
    assert!(renamed(&foreign).contains("fresh() {}"));
    let top =
        text.replace("Thing { ol$0d() {} }", "ol$0d {}").replace("Thing } from", "old } from");
    refused(&top, "fresh", "packages/app/a.ts:1");
}
