use expect_test::expect;

use crate::errors::errors_by_line;
use crate::snapshot::{class_of, folds, highlights, links, outline, well_indented};

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
fn outline_items() {
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
fn highlight_classes() {
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

/// Each mistake gives one message, on its line: the indentation shows which block is wrong.
#[test]
fn a_mistake_is_reported_on_its_line() {
    for (source, wanted) in [
        (
            "class A\n  def a\n    if b\n      c\n  end\n\n  def d\n    e\n  end\nend\n",
            "3: unclosed `if` that opens on line 3: expected `end`",
        ),
        (
            "class A\n  def a\n    return b unless c\n    d!  unless e\n\n  def f = 1\nend\n",
            "2: unclosed `def` that opens on line 2: expected `end`",
        ),
        (
            "\
class A
  def a
    b = case c
        when 1 then 2
        end

  def d
    e
  end
end
",
            "2: unclosed `def` that opens on line 2: expected `end`",
        ),
        (
            "class A\n  def a\n    1\n  end\n  end\n\n  def b\n    2\n  end\nend\n",
            "5: `end` closes nothing",
        ),
        ("def a\n  b\nend\nend\n", "4: `end` closes nothing"),
        ("a.each |b|\n  c\nend\n", "1: expected `do` before `|b|`"),
        ("def a\n  if b\n    c =\n  end\n  d\nend\n", "3: expected a value after `=`"),
    ] {
        assert_eq!(errors_by_line("ruby", source), [wanted], "{source}");
    }
}

#[test]
fn reserved_words_may_be_method_names() {
    for source in [
        "a = { end: 1, if: 2 }\nb.end\nc.then { d }\n",
        "def end\n  :end\nend\ndef self.else = 1\nalias end else\n",
        "x = <<~A\n  end\nA\ny = %w[end if]\nz = /end/\nw = 'end' if v\n",
        "while a do\n  b\nend\nuntil c\n  d do\n    e\n  end\nend\nbegin; f; end while g\n",
        "a = if b\n  c\nelse\n  d\nend\ne = [1, 2].map do |f| f end\n=begin\nend\n=end\n",
    ] {
        assert_eq!(errors_by_line("ruby", source), [""; 0], "{source}");
    }
}

/// The parser stops at the `end`; the missing opener is above.
#[test]
fn a_block_without_opener_is_reported_at_both_ends() {
    for (source, line) in [
        ("class A\n  b\n    c\n  end\n\n  def d\n    e\n  end\nend\n", 2),
        ("module A\n  class B\n    c\n  end\n\n  def d\n  end\n", 1),
    ] {
        let errors = errors_by_line("ruby", source);
        assert!(errors[0].starts_with(&format!("{line}: ")), "{source}: {errors:?}");
    }
    assert_eq!(
        errors_by_line("ruby", "class A\n  b\n    c\n  end\n\n  def d\n    e\n  end\nend\n"),
        ["2: the block that `end` on line 4 closes has no start", "4: `end` closes nothing"]
    );
}

#[test]
fn repeated_keywords_are_reported() {
    for (source, wanted) in [
        ("module A\n  if if b\n    c\n  end\nend\n", "2: unexpected `if`"),
        ("a unless unless b\ndef c\nend\n", "1: unexpected `unless`"),
        ("def a\n  b { |c|\n    d\n  }\nend end\ne\n", "5: `end` closes nothing"),
    ] {
        assert_eq!(errors_by_line("ruby", source), [wanted], "{source}");
    }
    assert_eq!(errors_by_line("ruby", "def a() = not(not b)\ndef c; if d; e end end\n"), [""; 0]);
}
