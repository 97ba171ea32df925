//! Diagnostics about TypeScript and JavaScript names.

use crate::diagnostics::check_with_missing_modules as check;

#[test]
fn names_around_newer_constructs_are_known() {
    check(
        "
//- /b.ts
export interface P { a: string }
export class Q {}
export type R = Q;
export function styled<T>(parts: TemplateStringsArray): T { return parts as any; }
//- /a.ts
import { P, Q, R, styled } from './b';
import type { Idle } from './b2';
export type * from './b';
export const one = styled<{ a: P; b?: R[] }>`x ${Q}`;
export let two: import('./b').P[], three: import('./b').Gone<R>;
export class Box<in T, out U extends Q = Q> { accessor size: T; static accessor all: U; }
export async function run(using: P, accessor: Q) {
    using file = open(using);
    await using other = open(accessor);
    return [file, other, undefinedOne];
}
function open(what: unknown): any { return what; }
//- /b2.ts
export type Idle = string;
",
        &["a.ts:2 unused-import Idle", "a.ts:10 undefined-name undefinedOne"],
    );
}

#[test]
fn global_declarations_define_names() {
    check(
        "
//- /globals.ts
export {};
declare global {
    var stage: string;
    interface Window { stage: string }
    namespace App { interface Locals {} }
    function log(): void;
}
declare module 'typed' { global { const fromModule: number; } }
//- /auto-imports.d.ts
export {}
declare global { const ref: typeof import('vue')['ref'] }
//- /script.d.ts
declare const VERSION: string;
interface Shape {}
//- /use.ts
export const all = [stage, log(), fromModule, ref(1), VERSION, stagge];
export let shape: Shape, locals: App.Locals, pattern: URLPattern, s: NodeJS.Timeout;
export let g: GeoJSON.Point, r: Express.Request, e: BufferEncoding, i: AsyncIteratorObject<string>;
",
        &["use.ts:1 undefined-name stagge"],
    );
}

#[test]
fn auto_imported_names_are_not_undefined() {
    check(
        "
//- /web/package.json
{ \"name\": \"web\", \"devDependencies\": { \"nuxt\": \"^4.0.0\" } }
//- /web/utils/price.ts
export function formatPrice() { return 1; }
//- /web/nuxt.config.ts
export default defineNuxtConfig({});
//- /web/composables/cart.ts
export const cart = () => [useState(), ref(1), formatPrice(), computed(() => 1), notThere];
//- /plain/package.json
{ \"name\": \"plain\" }
//- /plain/a.ts
export const b = [useState(), formatPrice()];
",
        &[
            "web/composables/cart.ts:1 undefined-name notThere",
            "plain/a.ts:1 undefined-name useState",
            "plain/a.ts:1 undefined-name formatPrice",
        ],
    );
}

#[test]
fn eval_makes_only_its_function_uncertain() {
    check(
        "
//- /a.js
export function risky(code) { eval(code); return maybe; }
export function loose(o) { with (o) { return inner; } }
export function safe(vm) { return vm.run(lost); }
",
        &["a.js:3 undefined-name lost"],
    );
}

#[test]
fn missing_packages_are_reported() {
    check(
        "
//- /package.json
{ \"name\": \"own\", \"workspaces\": [\"packages/*\"] }
//- /tsconfig.json
{ \"compilerOptions\": { \"paths\": { \"@app/*\": [\"./gen/*\"] } } }
//- /packages/near/package.json
{ \"name\": \"near\" }
//- /shims.d.ts
declare module 'shimmed' { const value: string; export default value; }
//- /lib/a.ts
export const a = 1;
//- /src/main.ts
import x from 'lodahs';
import { y, z } from '@scope/pkg/deep';
import fs from 'fs';
import path from 'node:path';
import n from 'near';
import own from 'own/part';
import app from '@app/thing';
import s from 'shimmed';
import l from 'lib/gone';
import v from 'virtual:pages';
import h from '#imports';
import at from '@/store';
export * from 'gone';
export const all = [x, y, z, fs, path, n, own, app, s, l, v, h, at, lost];
",
        &[
            "src/main.ts:14 undefined-name lost",
            "src/main.ts:1 missing-module lodahs",
            "src/main.ts:2 missing-module @scope/pkg/deep",
            "src/main.ts:13 missing-module gone",
        ],
    );
}

#[test]
fn uses_of_every_kind_keep_an_import() {
    check(
        "
//- /b.ts
export type A = string; export class B {} export const c = 1; export enum D { X } export type E = 1;
export type F = 1; export class G {} export class H {} export type I = 1; export type J = 1; export type L1 = 1;
//- /a.ts
import { A, B, c, D, E, F, G, H, I, J, L1 } from './b';
import type { B as T } from './b';
import * as ns from './b';
import fs = require('./b');
export { A };
export type { F };
/** See {@link E}. */
export let q: typeof c, w: keyof typeof D, t: typeof T;
export class K extends B { constructor(private g: G) { super(); } }
export interface L { [ns.c]: fs.A; m(x: unknown): x is H; }
export const x = { c } satisfies Record<string, I>, y = <J>x;
export type Z<T> = T extends infer U extends L1 ? U : never;
",
        &[],
    );
}

#[test]
fn a_package_of_types_may_declare_its_namespace() {
    check(
        "
//- /package.json
{}
//- /a.ts
import type { React } from './react';
export type T = { callback: (event: Mousetrap.Event, node: Reakt.Node, a: React.Node) => void };
export const b = Mousetrap.bind;
//- /react.ts
export type React = 1;
",
        &["a.ts:2 undefined-name Reakt", "a.ts:3 undefined-name Mousetrap"],
    );
}
