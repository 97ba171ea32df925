//! Lua, parsed by its own grammar (Lua 5.4 Reference Manual, section 9), with the syntax that LuaJIT
//! and other versions add. Only the first error is reported, as Lua itself does.

mod parser;
mod tokens;

use std::ops::Range;

use parser::Parser;

use super::SyntaxError;

/// What is wrong first.
pub(super) struct First {
    pub(super) error: SyntaxError,
    /// Whether it is an `end` too many or too few: lines and their indentation show better which.
    pub(super) is_of_blocks: bool,
}

impl First {
    fn new(span: Range<usize>, message: String, is_of_blocks: bool) -> Box<Self> {
        Box::new(Self { error: SyntaxError { span, message, missing: None }, is_of_blocks })
    }
}

/// The first mistake of a text. O(text).
pub(super) fn first(source: &str) -> Option<Box<First>> {
    Parser::new(source).chunk().err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn told(source: &str, expected: &str) {
        let found = first(source).map(|f| {
            let line = 1 + source[..f.error.span.start].matches('\n').count();
            format!("{line}: {}", f.error.message)
        });
        assert_eq!(found.as_deref().unwrap_or("nothing"), expected, "{source}");
    }

    #[test]
    fn what_lua_takes_is_right() {
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
            told(source, "nothing");
        }
    }

    #[test]
    fn what_is_wrong_is_told_where_it_is() {
        told("local local a = 1\n", "1: unexpected `local`, expected a name");
        told("local a, b = = f()\n", "1: unexpected `=`");
        told("if  then\nend\n", "1: unexpected `then`, expected a condition");
        told("t = {\n  ['a']  'b',\n}\n", "2: expected `=` before `'b'`");
        told("if a\n  f()\nend\n", "2: expected `then` before `f`");
        told("a.b = f((c)\nlocal d\n", "1: unclosed `(` that opens on line 1");
        told("t = { 1, 2\nf()\n", "2: expected `,` or `}` before `f`");
        told("t = { 1, 2\nlocal a\n", "1: unclosed `{` that opens on line 1");
        told("path  path and b\n", "1: unexpected `path`: expected `=` or a call");
        told("x = f(a,, b)\n", "1: unexpected `,`");
        told("s = 'a\n", "1: unclosed string that starts on line 1");
        told("s = [[a\n", "1: unclosed string that starts on line 1");
        told("--[[a\n", "1: unclosed comment that starts on line 1");
        told("return return a\n", "1: unexpected `return`");
        told("return a\nb()\n", "2: unexpected `b` after `return`");
        told("f(function(()\nend)\n", "1: unexpected `(`, expected a parameter");
        told("while a do\n", "1: unclosed `while` that opens on line 1: expected `end`");
        told("end\n", "1: `end` closes nothing");
        told("f() = 1\n", "1: unexpected `=` behind a call");
        told("x = 1 2\n", "1: unexpected `2`");
        told("x = @\n", "1: unexpected `@`");
    }

    #[test]
    fn deep_nesting_ends() {
        for open in ["(", "{", "f(", "function() ", "do ", "not ", "a^", "-", "if a then "] {
            let _ = first(&format!("x = {}", open.repeat(100_000)));
            let _ = first(&open.repeat(100_000));
        }
    }
}
