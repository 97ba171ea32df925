//! CommonJS: modules, their exports, and required names.

use crate::fixture::check;

#[test]
fn module_exports_resolve_to_the_module_or_the_export_list() {
    let starts = |text: &str| {
        let fixture = crate::fixture::fixture(text);
        let (file, offset) = fixture.cursor;
        let answer = fixture.index.definition(names::FileId(file), offset);
        answer.iter().map(|t| (t.file.0, t.name_span.clone())).collect::<Vec<_>>()
    };
    let module = "
//- /lib.js
/* A comment is no code. */
'use strict'
function open() {}
module.exports = { open };
//- /a.js
const lib = require('./lib');
$0lib.open();
";
    assert_eq!(starts(module), [(0, 28..28)]);
    let exported = "
//- /util.js
/* A comment is no code. */
export const one = 1;
//- /index.js
import * as Util from './util.js';
export { Ut$0il };
";
    assert_eq!(starts(exported), [(0, 28..28)]);
    check(
        "
//- /lib.js
function open() {}
         ^^^^
module.exports = { open };
//- /a.js
const lib = require('./lib');
lib.o$0pen();
",
    );
    check(
        "
//- /lib.js
function open() {}
module.exports = { open, limit: 3 };
                   ^^^^
//- /a.js
require('./lib').op$0en();
",
    );
}

#[test]
fn a_part_of_a_module_is_required() {
    check(
        "
//- /lib.js
exports.open = function () {};
        ^^^^
//- /a.js
var open = require('./lib').open;
op$0en();
",
    );
}

#[test]
fn exports_beside_the_one_export() {
    check(
        "
//- /lib.js
function Suite() {}
exports = module.exports = Suite;
exports.create = function () {};
        ^^^^^^
//- /a.js
const Suite = require('./lib');
Suite.cre$0ate();
",
    );
}

#[test]
fn a_destructured_require_key_is_the_export() {
    check(
        "
//- /lib.js
function open() {}
exports.open = open;
        ^^^^
//- /a.js
const { op$0en } = require('./lib');
",
    );
    check(
        "
//- /lib.js
function open() {}
         ^^^^
exports.open = open;
//- /a.js
const { open } = require('./lib');
op$0en();
",
    );
}

#[test]
fn calling_a_variable_calls_its_function() {
    check(
        "
//- /lib.js
exports.color = function () {};
        ^^^^^
//- /a.js
var lib = require('./lib');
var color = lib.color;
col$0or();
",
    );
}

#[test]
fn members_are_added_to_an_object() {
    check(
        "
//- /a.js
var app = exports = module.exports = {};
app.route = function () {};
    ^^^^^
app.get = function (path) { this.rou$0te(path); };
",
    );
}

#[test]
fn a_constructors_fields_are_not_its_names() {
    check(
        "
//- /a.js
function Point(x) { this.x = $0x; }
               ^
",
    );
}
