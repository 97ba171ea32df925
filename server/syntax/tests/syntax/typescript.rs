use expect_test::expect;

use crate::snapshot::{class_of, folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r##"import type { A } from "./a";

declare namespace Deep.Down {
  const x: number;
}

@Component({ selector: "x" })
export abstract class Box<T extends A = A> extends Base<T> implements Holder {
  private readonly size?: number = 1;

  constructor(private name: string, public key = 2) {
    super(name!);
  }

  abstract put(this: Box<T>, item: T, ...rest: any[]): asserts item is A;
}

enum Kind {
  Red,
  Blue = "blue",
}

interface Holder {
  (x: void): never;
  get?: () => string;
  [key: string]: unknown;
}

type Mapped<T> = {
  readonly [K in keyof T]?: T[K] extends infer U ? U : `a${string}`;
};

function isA(x: unknown): x is A {
  return (x as A) satisfies object && typeof x === "object";
}
"##;

#[test]
fn identifiers_and_literals_are_highlighted() {
    expect![[r#"
        attribute: @ Component
        constant.member: Red Blue
        constructor: constructor
        function: isA
        function.method: put get
        keyword: import type from declare namespace const export abstract class extends extends implements private readonly private public abstract asserts is enum interface type readonly in keyof extends infer function is return as satisfies
        keyword.operator: typeof
        namespace: Deep Down
        number: 1 2
        operator: = ? = = ! ... = ? => = ? : && ===
        property: selector size
        string: "./a" "x" "blue" `a ` "object"
        type: A A T Box T T A Mapped T T K U A A
        type.builtin: number number string any void never string string unknown string unknown object
        type.class: Box Base
        type.enum: Kind
        type.interface: Holder Holder
        type.parameter: T T K U
        variable: A x name x x
        variable.builtin: super this
        variable.parameter: name key item rest item x key x x
    "#]].assert_eq(&highlights("typescript", SOURCE));
}

#[test]
fn bodies_comments_and_imports_fold() {
    expect!["3-4 Code, 8-15 Code, 11-12 Code, 18-20 Code, 23-26 Code, 29-30 Code, 33-34 Code"]
        .assert_eq(&folds("typescript", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("typescript", 2, SOURCE);
}

#[test]
fn tsx_has_elements_too() {
    let source = "const a = <Box<number> b={1}>{c}</Box>;\n";
    assert_eq!(class_of("tsx", source, "Box"), "constructor");
    assert_eq!(class_of("tsx", source, "b={"), "tag.attribute");
    assert_eq!(class_of("tsx", source, "number"), "type.builtin");
    assert_eq!(class_of("typescript", "let a = <Box>b;", "Box"), "type");
    well_indented("tsx", 2, "const a = (\n  <p>\n    {b}\n  </p>\n);\n");
    assert_eq!(folds("tsx", "const a = (\n  <p>\n    {b}\n  </p>\n);\n"), "1-4 Code, 2-3 Code");
}

#[test]
fn tsx_has_what_typescript_has() {
    let source = "import { A } from \"./a\";\ninterface B { c: A }\n";
    assert_eq!(links("tsx", source), ["./a"]);
    assert_eq!(outline("tsx", source), outline("typescript", source));
}
