use expect_test::expect;

use crate::snapshot::{class_of, folds, highlights, well_indented};

pub(crate) const SOURCE: &str = r##"#!/usr/bin/env node
import React, { useState } from "react";
import * as all from "./all.js";

/** A box. */
class Box extends Base {
  #size = 1;
  static make = () => new Box();

  async put(item, { key, deep = 2 }, ...rest) {
    // One.
    // Two.
    if (item instanceof Thing) {
      return this.#size;
    } else {
      throw new Error(`no ${item}\n`);
    }
  }
}

const MOST = 3,
  add = (a) => a + 1;

promise
  .then((x) => {
    console.log(x?.y ?? null);
  })
  .catch(fail);

switch (MOST) {
  case 1:
    parseInt("1", 10);
    break;
  default:
    label: while (true) break label;
}

const view = (
  <Box.Item title="x" {...rest}>
    text &amp; <b className={`c`}>{add(1)}</b>
    <br
      id="y"
    />
  </Box.Item>
);
"##;

#[test]
fn identifiers_and_literals_are_highlighted() {
    expect![[r#"
        boolean: true
        comment: #!/usr/bin/env node // One. // Two.
        comment.documentation: /** A box. */
        constant: MOST MOST
        constant.builtin: null
        constructor: Box Error Item Item
        escape: \n &amp;
        function: add add
        function.builtin: parseInt
        function.method: make put then log catch
        keyword: import from import as from class extends static new async if return else throw new const switch case break default while break const
        keyword.operator: instanceof
        label: label label
        namespace: all
        number: 1 2 3 1 1 10 1
        operator: * = = => = ... = = => + => ?? = = ... = =
        property: #size #size y
        string: "react" "./all.js" `no  ` "1" "x" `c` "y"
        tag: b b br
        tag.attribute: title className id
        type.class: React Box Base Thing Box Box
        variable: useState item item a promise x fail view rest
        variable.builtin: this console
        variable.parameter: item key deep rest a x
    "#]].assert_eq(&highlights("javascript", SOURCE));
}

#[test]
fn bodies_comments_and_imports_fold() {
    expect!["2-3 Imports, 6-18 Code, 10-17 Code, 11-12 Comment, 13-14 Code, 15-16 Code, 25-26 Code, 30-35 Code, 31-33 Code, 34-35 Code, 38-44 Code, 39-43 Code, 41-43 Code"].assert_eq(&folds("javascript", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("javascript", 2, SOURCE);
}

#[test]
fn regular_expressions_are_highlighted() {
    assert_eq!(class_of("javascript", "x = /a+[b-c]$/g", "+"), "operator");
    assert_eq!(class_of("javascript", "x = /a+[b-c]$/g", "g"), "keyword");
    assert_eq!(class_of("javascript", "x = new RegExp(\"a+\")", "+"), "operator");
}
