//! Lua, parsed by its own grammar (Lua 5.4 Reference Manual, section 9), with the syntax that
//! LuaJIT and other versions add. Only the first error is reported, as Lua itself does.

mod parser;
mod tokens;

use std::ops::Range;

use parser::Parser;

use super::SyntaxError;

/// The first error of a text.
pub(super) struct LuaError {
    pub(super) error: SyntaxError,
    /// Whether it is a missing or superfluous `end`: the indentation shows better which one.
    pub(super) is_unbalanced_end: bool,
}

impl LuaError {
    fn new(span: Range<usize>, message: String, is_unbalanced_end: bool) -> Box<Self> {
        Box::new(Self { error: SyntaxError { span, message, missing: None }, is_unbalanced_end })
    }
}

/// The first error of a text. O(text).
pub(super) fn first_error(source: &str) -> Option<Box<LuaError>> {
    Parser::new(source).parse_chunk().err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn errors_of(source: &str, expected: &str) {
        let found = first_error(source).map(|f| {
            let line_number = 1 + source[..f.error.span.start].matches('\n').count();
            format!("{line_number}: {}", f.error.message)
        });
        assert_eq!(found.as_deref().unwrap_or("nothing"), expected, "{source}");
    }

    #[test]
    fn valid_lua_has_no_errors() {
        for source in [
            "#!/usr/bin/lua\nlocal a <const>, b <close> = 1, 0x1p-4 ; ; return a\n",
            "f{1, 2; x = 3, ['y'] = 4,}.z:g 'a' [[b]] (c) [1] = 5\n",
            "goto done\ndo local goto_ = 1 end\n::done::\n",
            "local goto = 1\ngoto = 2\na.goto = 3\n",
            "x = a // b ~ c << 2 >> 3 & ~d | -e ^ not #f .. 'g'\n",
            "for i = 1, 10, 2 do if a then break elseif b then else end end\n",
            "for k, v in pairs(t) do end while a do end repeat local b until b\n",
            "local function f(a, b, ...) return ... end function a.b.c:d() return end\n",
            "local s = [==[ ]] ]==] .. \"a\\\nb\\z\n  c\" --[[ x\n ]] .. 'd' -- y\n",
            "local n = 1ULL + 0xFFi + 3e-2 + .5\nreturn function() end, {f()}, (g)\n",
            "f\n(g)\n;(h or i)(j)\n",
            "",
        ] {
            errors_of(source, "nothing");
        }
    }

    #[test]
    fn errors_are_reported_at_their_position() {
        errors_of("local local a = 1\n", "1: unexpected `local`, expected a name");
        errors_of("local a, b = = f()\n", "1: unexpected `=`");
        errors_of("if  then\nend\n", "1: unexpected `then`, expected a condition");
        errors_of("t = {\n  ['a']  'b',\n}\n", "2: expected `=` before `'b'`");
        errors_of("if a\n  f()\nend\n", "2: expected `then` before `f`");
        errors_of("a.b = f((c)\nlocal d\n", "1: unclosed `(` that opens on line 1");
        errors_of("t = { 1, 2\nf()\n", "2: expected `,` or `}` before `f`");
        errors_of("t = { 1, 2\nlocal a\n", "1: unclosed `{` that opens on line 1");
        errors_of("path  path and b\n", "1: unexpected `path`: expected `=` or a call");
        errors_of("x = f(a,, b)\n", "1: unexpected `,`");
        errors_of("s = 'a\n", "1: unclosed string that starts on line 1");
        errors_of("s = [[a\n", "1: unclosed string that starts on line 1");
        errors_of("--[[a\n", "1: unclosed comment that starts on line 1");
        errors_of("return return a\n", "1: unexpected `return`");
        errors_of("return a\nb()\n", "2: unexpected `b` after `return`");
        errors_of("f(function(()\nend)\n", "1: unexpected `(`, expected a parameter");
        errors_of("while a do\n", "1: unclosed `while` that opens on line 1: expected `end`");
        errors_of("end\n", "1: `end` closes nothing");
        errors_of("f() = 1\n", "1: unexpected `=` after a call");
        errors_of("x = 1 2\n", "1: unexpected `2`");
        errors_of("x = @\n", "1: unexpected `@`");
    }

    #[test]
    fn deep_nesting_is_bounded() {
        for open in ["(", "{", "f(", "function() ", "do ", "not ", "a^", "-", "if a then "] {
            let _ = first_error(&format!("x = {}", open.repeat(100_000)));
            let _ = first_error(&open.repeat(100_000));
        }
    }
}
