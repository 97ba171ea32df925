//! Renames in TypeScript and JavaScript: comments, patterns, shapes and CommonJS.

mod fixture;

use fixture::rename::{check, refused, renamed};

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
fn fields_of_a_type_without_a_name() {
    // What is passed is found by its shape only.
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
        "by its shape",
    );
    check(
        "
//- /a.ts
function f({ a, ...rest }: { a: number; ol$0d: number }) { return rest.old; }
",
    );
}

#[test]
fn common_js_lists_of_exports_change_along() {
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
fn a_property_that_is_another_module_keeps_its_name() {
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
        "a module's name for it",
    );
}
