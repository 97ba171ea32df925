//! Types in JavaScript comments.

use crate::fixture::{check, check_references};

#[test]
fn parameters_and_results() {
    check(
        "
//- /a.js
class Pool { drain() {} }
             ^^^^^
/**
 * @param {Pool} pool
 * @param {string} [name=x]
 */
export function f(pool, name) { pool.dra$0in(); }
",
    );
    check(
        "
//- /a.js
class Pool { drain() {} }
             ^^^^^
/** @returns {Promise<Pool>} one of them */
const open = async () => later();
async function g() { (await open()).dra$0in(); }
",
    );
}

#[test]
fn types_of_other_files() {
    check(
        "
//- /types.d.ts
export interface Node { children: Node[] }
                        ^^^^^^^^
//- /a.js
/** @param {import('./types').Node | null} node */
function f(node) { return node.children[0].child$0ren; }
",
    );
}

#[test]
fn variables_and_values() {
    check(
        "
//- /a.js
class Pool { drain() {} }
             ^^^^^
class Owner {
  constructor() {
    /** @type {Pool[]} */
    this.pools = [];
  }
  f() { for (const p of this.pools) p.dra$0in(); }
}
",
    );
    check(
        "
//- /a.js
class Pool { drain() {} }
             ^^^^^
function f(x) { return (/** @type {Pool} */ (x)).dra$0in(); }
",
    );
}

#[test]
fn types_defined_in_comments() {
    check(
        "
//- /types.js
/**
 * @typedef {Object} Options
 * @property {boolean} deep whether to go on
                       ^^^^
 */
export {};
//- /a.js
/** @typedef {import('./types').Options} Options */
/** @param {Options} o */
function f(o) { return o.de$0ep; }
",
    );
    check(
        "
//- /a.js
class Pool { drain() {} }
             ^^^^^
/** @callback Visit
 * @param {Pool} pool
 * @returns {Pool}
 */
/** @param {Visit} visit */
function f(visit) { visit().dra$0in(); }
",
    );
}

#[test]
fn type_parameters() {
    check(
        "
//- /a.js
class Pool { drain() {} }
             ^^^^^
/**
 * @template T
 * @param {T} it
 * @returns {Array.<T>}
 */
function wrap(it) { return [it]; }
wrap(new Pool())[0].dra$0in();
",
    );
}

#[test]
fn types_in_comments_are_not_values() {
    check(
        "
//- /other.js
export class Pool {}
             ^^^^
//- /a.js
/** @typedef {import('./third').Pool} Pool */
import { Pool } from './other';
new Po$0ol();
",
    );
}

#[test]
fn names_in_comments_are_references() {
    check_references(
        "
//- /a.js
class $0Pool {}
      ^^^^
/** @param {Pool[]} pools */
            ^^^^
function f(pools) {}
",
    );
}

#[test]
fn malformed_comments_are_ignored() {
    check(
        "
//- /a.js
/** @param {{a: ((( x @type {{{{ @returns {import('} @typedef {[} */
function f(x) { return $0x; }
           ^
",
    );
}
