use expect_test::expect;

use crate::look::{class_of, folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r##"require "json"
require_relative 'lib/x'

# Of a module.
module A::B
  LIMIT = 3
  P = Struct.new(:a)
  class C < D
    attr_reader :name
    def initialize(a, b: 1)
      @name = a&.strip || "x#{b}\n"
      case a
      when 1 then 2
      else
        raise ArgumentError, 'no'
      end
    rescue => e
      puts e
    end
    def self.make = new(:q)
  end
end
describe "thing" do
  it "works" do
    foo
      .map { |x| x + 1 }
    bar([
      1,
    ], [
      2,
    ])
  end
end
"##;

#[test]
fn outlines() {
    expect![[r#"
        module A::B
          constant LIMIT
          class P
          class C D
            property :name
            method initialize (a, b: 1)
            method self make
        function describe "thing"
          function it "works"
    "#]]
    .assert_eq(&outline("ruby", SOURCE));
}

#[test]
fn classes() {
    expect![[r#"
        attribute: attr_reader
        comment: # Of a module.
        constant: LIMIT P
        escape: \n
        function: describe it bar
        function.builtin: puts
        function.method: initialize strip make map
        keyword: require require_relative module new class def case when then else raise end rescue end def new end end do do end end
        namespace: A B
        number: 3 1 1 2 1 1 2
        operator: = = < = &. || => = +
        property: @name
        string: "json" 'lib/x' "x " 'no' "thing" "works"
        string.special: :a :name :q
        type: Struct D ArgumentError
        type.class: C
        variable: a b a e e foo x
        variable.builtin: self
        variable.parameter: a b x
    "#]].assert_eq(&highlights("ruby", SOURCE));
}

#[test]
fn injected_code() {
    let sql = "x = <<~SQL\n  select true\nSQL\n";
    assert_eq!(class_of("ruby", sql, "x"), "variable");
    assert_eq!(class_of("ruby", "x =~ /a+/", "a+"), "string.regexp");
}

#[test]
fn bodies_fold() {
    assert_eq!(
        folds("ruby", SOURCE),
        "1-2 Imports, 5-21 Code, 8-20 Code, 10-18 Code, 12-15 Code, 14-15 Code, 17-18 Code, 23-32 Code, 24-31 Code, 27-30 Code, 29-30 Code"
    );
}

#[test]
fn bodies_are_indented() {
    well_indented("ruby", 2, SOURCE);
}

#[test]
fn required_files_are_linked() {
    assert_eq!(links("ruby", SOURCE), ["json", "lib/x"]);
}
