use expect_test::expect;

use crate::errors::errors_by_line;
use crate::snapshot::{class_of, folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r##"#!/usr/bin/lua
--- Doc
local M = { x = 1, f = function(a) return a end }
local json = require("json")
local a, b <const> = 1, 2.5e3
function M.foo(self, ...)
  local t = {...}
  for i, v in ipairs(t) do
    if v == nil and not self.x then
      print("a\n" .. v, #t)
    elseif v ~= 3 then
      goto done
    else
      break
    end
  end
  ::done::
end
function M:bar() end
local function baz()
  repeat
    x()
  until true
  foo(
    1
  )
end
M.qux = function() end
--[[ long
comment ]]
return M
"##;

#[test]
fn declarations_are_listed() {
    expect![[r#"
        variable M
          function f (a)
        variable json
        variable a
        variable b
        function M.foo (self, ...)
        function M:bar ()
        function baz ()
        function M.qux ()
    "#]]
    .assert_eq(&outline("lua", SOURCE));
}

#[test]
fn identifiers_keywords_and_literals_are_highlighted() {
    expect![[r#"
        attribute: const
        boolean: true
        comment: #!/usr/bin/lua --[[ long
        comment ]]
        comment.documentation: --- Doc
        constant.builtin: nil
        escape: \n
        function: f foo baz x foo qux
        function.builtin: require ipairs print
        function.method: bar
        keyword: local function return end local local function local for in do if then elseif then goto else break end end end function end local function repeat until end function end return
        keyword.operator: and not
        label: done done
        number: 1 1 2.5e3 3 1
        operator: = = = = < > = = == .. # ~= =
        property: x x
        string: "json" "a "
        variable: M a json a b M t i v t v v t v M M M
        variable.builtin: self ... ... self
        variable.parameter: a
    "#]].assert_eq(&highlights("lua", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["6-17 Code, 8-15 Code, 9-14 Code, 11-12 Code, 13-14 Code, 20-26 Code, 21-23 Code, 24-25 Code, 29-30 Comment"].assert_eq(&folds("lua", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("lua", 2, SOURCE);
}

#[test]
fn modules_are_linked() {
    assert_eq!(links("lua", SOURCE), ["json"]);
}

#[test]
fn embedded_c_declarations_are_highlighted() {
    assert_eq!(class_of("lua", "ffi.cdef [[ typedef int x; ]]", "typedef"), "keyword");
}

#[test]
fn a_mistake_is_reported_on_its_line() {
    for (source, wanted) in [
        (
            "function a()\n  if b then\n    c()\n\n  for d = 1, 2 do\n    e()\n  end\nend\n",
            "2: unclosed `if` that opens on line 2: expected `end`",
        ),
        ("local function a()\n  b()\n  end\n  c()\nend\nd()\n", "3: `end` closes nothing"),
        ("if a then\n  b =\nend\nc()\n", "2: expected a value after `=`"),
    ] {
        assert_eq!(errors_by_line("lua", source), [wanted], "{source}");
    }
}

#[test]
fn a_superfluous_end_is_reported_at_its_position() {
    assert_eq!(
        errors_by_line("lua", "if a == nil then b = true end end\n\nfunction c()\n  d()\nend\n"),
        ["1: `end` closes nothing"]
    );
    assert_eq!(errors_by_line("lua", "local a = function() if b then c() end end\n"), [""; 0]);
}
