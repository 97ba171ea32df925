//! What is wrong in CSS and SCSS, brackets and quotes aside.
//!
//! The grammars do not take all that browsers and Sass take, so statements are read here: only what
//! no reader of either language takes is told.

mod tokens;

use std::ops::Range;

use super::SyntaxError;
use tokens::{Kind, Token};

/// Most errors of one text.
const MOST: usize = 20;
/// What makes a template of a text.
const TEMPLATE: &[&str] = &["{{", "{%", "<%", "<?", "${", "[[", "<!--", "%%"];
/// Words of conditions, which may stand between a name and a bracket.
const WORDS: &[&str] = &["and", "or", "not", "only", "style", "selector", "in"];

/// The errors of a text whose brackets and quotes are in order.
pub(super) fn errors(source: &str, is_scss: bool) -> Vec<SyntaxError> {
    if TEMPLATE.iter().any(|mark| source.contains(mark)) || super::is_minified(source) {
        return Vec::new();
    }
    let tokens = tokens::tokens(source, is_scss);
    let mut reader = Reader { source, is_scss, errors: Vec::new() };
    let (mut start, mut depth, mut blocks) = (0, 0_usize, 0_usize);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let statement = &tokens[start..at];
        match token.kind {
            Kind::Sign(b'(' | b'[') => depth += 1,
            Kind::Sign(b')' | b']') => depth = depth.saturating_sub(1),
            // What stands between braces is a custom property's value.
            Kind::Sign(b'{') if reader.is_custom(statement) => {
                at = behind_block(&tokens, at);
                continue;
            }
            Kind::Sign(b'{') => {
                reader.prelude(statement, token);
                (start, depth, blocks) = (at + 1, 0, blocks + 1);
            }
            Kind::Sign(b'}') => {
                reader.declaration(statement, blocks > 0);
                (start, depth, blocks) = (at + 1, 0, blocks.saturating_sub(1));
            }
            Kind::Sign(b';') if depth == 0 => {
                reader.declaration(statement, blocks > 0);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
        if reader.errors.len() >= MOST {
            break;
        }
    }
    reader.errors
}

/// The place behind the block that opens at `at`.
fn behind_block(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.kind {
            Kind::Sign(b'{') => depth += 1,
            Kind::Sign(b'}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

struct Reader<'s> {
    source: &'s str,
    is_scss: bool,
    errors: Vec<SyntaxError>,
}

impl<'s> Reader<'s> {
    fn text(&self, token: &Token) -> &'s str {
        &self.source[token.span.clone()]
    }

    fn tell(&mut self, span: Range<usize>, message: String) {
        self.errors.push(SyntaxError { span, message, missing: None });
    }

    fn unexpected(&mut self, token: &Token) {
        self.tell(token.span.clone(), format!("unexpected `{}`", self.text(token)));
    }

    /// Something is missing behind a token.
    fn expected(&mut self, what: &str, after: &Token) {
        let text: String = self.text(after).chars().take(30).collect();
        self.tell(after.span.clone(), format!("expected {what} after `{text}`"));
    }

    fn is_custom(&self, statement: &[Token]) -> bool {
        matches!(statement, [name, colon, ..] if self.text(name).starts_with("--") && colon.is(b':'))
    }

    fn is_at(&self, token: &Token) -> bool {
        token.kind == Kind::Word && self.text(token).starts_with('@')
    }

    /// What ends with `;` or `}`.
    fn declaration(&mut self, statement: &[Token], in_block: bool) {
        // Comments of other languages, and hacks for browsers of old.
        if statement.iter().any(|t| t.is(b'<')) || self.has_line_comment(statement) {
            return;
        }
        let hack = usize::from(statement.first().is_some_and(|t| t.is(b'*')));
        let statement = &statement[hack..];
        let Some(first) = statement.first() else { return };
        let before = self.errors.len();
        self.ends(statement);
        if self.errors.len() > before {
            return;
        }
        if first.is(b'@') {
            self.expected("a name", first);
        } else if first.is(b':') {
            self.tell(first.span.clone(), "expected a property before `:`".to_owned());
        } else if self.is_at(first) {
            self.values(&statement[1..]);
        } else if first.kind == Kind::Word {
            let is_plain =
                self.text(first).starts_with("--") || !self.text(first).contains(['#', '%', '\\']);
            match statement.get(1) {
                // A variable of a module: `a.$b: c`.
                Some(next) if next.is(b'.') && self.is_scss => {}
                Some(colon) if colon.is(b':') => self.value(statement),
                // What is interpolated may be the whole of it.
                Some(next) if is_plain && in_block && next.kind != Kind::Sign(b'(') => {
                    self.expected("`:`", first);
                }
                None if is_plain && in_block => self.expected("`:`", first),
                _ => {}
            }
        }
    }

    fn has_line_comment(&self, statement: &[Token]) -> bool {
        statement.windows(2).any(|two| two[0].is(b'/') && two[1].is(b'/') && !two[1].is_spaced)
    }

    /// What stands behind the colon of a declaration.
    fn value(&mut self, statement: &[Token]) {
        let (name, colon, value) = (&statement[0], &statement[1], &statement[2..]);
        let is_custom = self.text(name).starts_with("--");
        match value {
            [] if !is_custom => self.expected("a value", colon),
            [first, ..] if first.is(b':') && !is_custom => self.unexpected(first),
            [first, ..] if first.is(b',') && !is_custom => self.unexpected(first),
            [.., last] if last.is(b',') && !self.is_scss && !is_custom => self.unexpected(last),
            _ => self.values(value),
        }
    }

    /// Commas in a value.
    fn values(&mut self, value: &[Token]) {
        for (index, token) in value.iter().enumerate() {
            let Some(next) = value.get(index + 1) else { break };
            let is_pair = |first, second| token.is(first) && next.is(second);
            let doubled = is_pair(b':', b':') && next.is_spaced && self.is_scss;
            if is_pair(b',', b',') || is_pair(b'(', b',') || doubled {
                return self.unexpected(next);
            }
            // `var(--a, b)`
            let is_variable = token.kind == Kind::Word
                && index >= 2
                && value[index - 1].is(b'(')
                && self.text(token).starts_with("--")
                && self.text(&value[index - 2]) == "var"
                && !self.text(token).contains('#');
            if is_variable && !next.is(b',') && !next.is(b')') {
                return self.expected("`,`", token);
            }
        }
        self.commas(value);
    }

    /// Entries of maps and arguments with names, a line each, between which a comma is missing.
    fn commas(&mut self, value: &[Token]) {
        let mut depth = 0_usize;
        for (index, three) in value.windows(3).enumerate() {
            match three[0].kind {
                Kind::Sign(b'(') => depth += 1,
                Kind::Sign(b')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            let [before, name, colon] = three else { return };
            let is_entry = depth > 0
                && (name.is_first || self.text(name).starts_with('$'))
                && matches!(name.kind, Kind::Word | Kind::Text | Kind::Number)
                && colon.is(b':')
                && !colon.is_spaced;
            let ends =
                matches!(before.kind, Kind::Word | Kind::Text | Kind::Number | Kind::Sign(b')'));
            if is_entry && ends && self.is_scss && index + 3 < value.len() && name.is_spaced {
                return self.expected("`,`", before);
            }
        }
    }

    /// Statements that are not ended: another one begins on a line of its own.
    fn ends(&mut self, statement: &[Token]) {
        let mut depth = 0_usize;
        for (index, token) in statement.iter().enumerate() {
            match token.kind {
                Kind::Sign(b'(' | b'[') => depth += 1,
                Kind::Sign(b')' | b']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > 0 || index == 0 || !token.is_first || token.kind != Kind::Word {
                continue;
            }
            let before = &statement[index - 1];
            let ended =
                matches!(before.kind, Kind::Word | Kind::Text | Kind::Number | Kind::Sign(b')'));
            let next = statement.get(index + 1);
            let begins = self.is_at(token) || next.is_some_and(|t| t.is(b':') && !t.is_spaced);
            if ended && begins {
                return self.expected("`;`", before);
            }
        }
    }

    /// What ends with `{`.
    fn prelude(&mut self, statement: &[Token], brace: &Token) {
        if statement.iter().any(|t| t.is(b'<')) || self.has_line_comment(statement) {
            return;
        }
        let Some(first) = statement.first() else {
            self.tell(brace.span.clone(), "expected a selector before `{`".to_owned());
            return;
        };
        let before = self.errors.len();
        if self.is_at(first) {
            self.ends(statement);
            if self.errors.len() == before {
                self.at_rule(statement);
            }
            return;
        }
        // A declaration, and a rule on the next lines.
        let is_declaration = first.kind == Kind::Word
            && statement.get(1).is_some_and(|t| t.is(b':') && !t.is_spaced)
            && statement.get(2).is_none_or(|t| t.is_spaced);
        if is_declaration {
            let next = statement.iter().skip(3).position(|t| t.is_first);
            match next.map(|index| &statement[index + 2]) {
                Some(last) if !last.is(b',') => self.expected("`;`", last),
                None if !self.is_scss => self.expected("a name", &statement[1]),
                _ => {}
            }
            return;
        }
        self.selector(statement);
    }

    fn at_rule(&mut self, statement: &[Token]) {
        let (first, rest) = (&statement[0], &statement[1..]);
        let has = |words: &[&str]| rest.iter().any(|t| words.contains(&self.text(t)));
        let is_variable = |t: &Token| self.text(t).starts_with('$');
        match self.text(first) {
            "@if" | "@while" if rest.is_empty() => self.expected("a condition", first),
            "@else" if rest.first().is_some_and(|t| self.text(t) != "if") => {
                self.expected("`if`", first);
            }
            "@each"
                if matches!(rest, [a, b, ..] if is_variable(a) && is_variable(b))
                    && has(&["in"]) =>
            {
                self.expected("`,`", &rest[0]);
            }
            "@each" if !has(&["in"]) => self.expected("`in`", rest.last().unwrap_or(first)),
            "@for" if !has(&["from"]) => self.expected("`from`", first),
            "@for" if !has(&["through", "to"]) => {
                self.expected("`through` or `to`", rest.last().unwrap_or(first));
            }
            "@mixin" | "@function" => self.parameters(rest),
            "@media" => self.media(rest),
            "@supports" => self.doubled(rest),
            _ => self.values(rest),
        }
    }

    fn parameters(&mut self, rest: &[Token]) {
        // Behind a colon stands a value, which may be several words.
        let mut is_value = false;
        for two in rest.windows(2) {
            let is_variable = |t: &Token| self.text(t).starts_with('$');
            is_value = two[0].is(b':') || is_value && !two[0].is(b',') || two[1].is(b'{');
            let starts = is_variable(&two[1]) && !is_value;
            let ends = is_variable(&two[0])
                || matches!(two[0].kind, Kind::Word | Kind::Text | Kind::Number);
            if starts && ends {
                return self.expected("`,`", &two[0]);
            }
        }
        self.values(rest);
    }

    /// Words of a condition that stand twice.
    fn doubled(&mut self, rest: &[Token]) {
        for two in rest.windows(2) {
            let (this, next) = (self.text(&two[0]), self.text(&two[1]));
            let are_one = matches!(this, "and" | "or" | "not" | "only") && this == next;
            if are_one || matches!((this, next), ("and", "or") | ("or", "and")) {
                return self.unexpected(&two[1]);
            }
        }
        self.values(rest);
    }

    fn media(&mut self, rest: &[Token]) {
        for two in rest.windows(2) {
            let (this, next) = (&two[0], &two[1]);
            let text = self.text(this);
            let is_name = this.kind == Kind::Word
                && !WORDS.contains(&text.to_ascii_lowercase().as_str())
                && !text.contains(['#', '$']);
            if next.is(b'(') && next.is_spaced && (is_name || this.is(b')')) {
                return self.expected("`and`", this);
            }
            if this.is(b')') && next.kind == Kind::Word && next.is_spaced {
                let word = self.text(next).to_ascii_lowercase();
                if !WORDS.contains(&word.as_str()) && !word.contains(['#', '$']) {
                    return self.expected("`and`", this);
                }
            }
        }
        self.doubled(rest);
    }

    fn selector(&mut self, statement: &[Token]) {
        if let [first, ..] = statement
            && first.is(b',')
        {
            return self.unexpected(first);
        }
        for (index, token) in statement.iter().enumerate() {
            let next = statement.get(index + 1);
            let follows =
                |kinds: &dyn Fn(&Token) -> bool| next.is_some_and(|t| !t.is_spaced && kinds(t));
            match token.kind {
                Kind::Sign(b'.')
                    if !follows(&|t| matches!(t.kind, Kind::Word) || t.is(b'{') || t.is(b'.')) =>
                {
                    return self.expected("a name", token);
                }
                Kind::Sign(b':') if !follows(&|t| t.kind == Kind::Word || t.is(b':')) => {
                    return self.expected("a name", token);
                }
                Kind::Sign(b'#') => return self.expected("a name", token),
                Kind::Sign(b',') if next.is_some_and(|t| t.is(b',')) => {
                    return next.into_iter().for_each(|next| self.unexpected(next));
                }
                Kind::Sign(b',') if next.is_none() && !self.is_scss => {
                    return self.unexpected(token);
                }
                Kind::Sign(b'[') => {
                    let inside = &statement[index + 1..];
                    let end = inside.iter().position(|t| t.is(b']')).unwrap_or(inside.len());
                    let before = self.errors.len();
                    self.attribute(token, &inside[..end]);
                    if self.errors.len() > before {
                        return;
                    }
                }
                // A function of a selector has a colon.
                Kind::Word if follows(&|t| t.is(b'(')) => {
                    let has_colon = index > 0 && statement[index - 1].is(b':') && !token.is_spaced;
                    if !has_colon && !self.text(token).contains(['#', '$']) {
                        let word = self.text(token);
                        let message = format!("expected `:` before `{word}`");
                        return self.tell(token.span.clone(), message);
                    }
                }
                _ => {}
            }
        }
    }

    /// What stands between `[` and `]`.
    fn attribute(&mut self, open: &Token, inside: &[Token]) {
        let Some(first) = inside.first() else {
            return self.expected("a name", open);
        };
        if first.is(b'=') {
            return self.expected("a name", open);
        }
        for two in inside.windows(2) {
            if two[0].kind == Kind::Word && two[1].kind == Kind::Text {
                return self.expected("`=`", &two[0]);
            }
            if two[0].is(b'=') && two[1].is(b'=') {
                return self.unexpected(&two[1]);
            }
        }
        if let Some(last) = inside.last().filter(|t| t.is(b'=')) {
            self.expected("a value", last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(source: &str, is_scss: bool) -> Vec<String> {
        let line = |at: usize| source[..at].matches('\n').count() + 1;
        let errors = errors(source, is_scss);
        errors.iter().map(|e| format!("{}: {}", line(e.span.start), e.message)).collect()
    }

    #[test]
    fn right_sheets_have_no_errors() {
        for source in [
            "a { color: red; *zoom: 1; _height: 1px; filter: progid:DX.M(a='#80', b=1) }",
            "a:hover > .b::before, [c=\"d\" i], *|e, :root { --x:; --y: { a: b }; margin: -.5em }",
            "@media screen and (min-width: 1px), print and (a) { a { b: url(c:d;e) } }",
            "@import url(\"a.css\"); @charset 'a'; @font-face { src: url(a) format(\"b\"), url(c) }",
            "@keyframes a { from { b: c } 12.5% { d: e } to {} }",
            "a { color: var(--b,); background: var(--c, var(--d)) ;; }",
            ".a\\:b, .c\\.5 { d: e !important } a { &:hover { f: g } .h & { i: j } }",
            "@supports (a: b) and (not (c: d)) { a { b: c } } @layer a, b; @page :first { a: b }",
            "a { grid-template-areas:\n \"a\"\n \"b\"; width: calc(1px + (2px * 3)) }",
            "a { // b\n c: d }",
        ] {
            assert_eq!(told(source, false), [""; 0], "{source}");
        }
        for source in [
            "$a: (b: c, d: (e: f,),); @use 'x' as y with ($z: 1); %p { q: r }",
            "a { b: c; &:not(.d):hover { e: f } &-g { @extend %p; } font: { family: h } }",
            "@mixin a($b, $c: d, $e...) { f: #{$b}-g; #{$c}: h; .i#{$b} & { j: k } @content; }",
            "@each $a, $b in $c { @if $a == b { d: e } @else if not $f { g: h } @else { i: j } }",
            "a { @include b($c: 1,\n  $d: 2) { e: f } @include g { h: i } }",
            "b.$c: d; @mixin a($b: 0 0 $c $d e($f), $g: $h) { i: j }",
            "@function a($b) { @return map.get($b, c); } // d\n.e { f: math.div(1, 2) + $g }",
            "@for $i from 1 through 3 { .a-#{$i} { b: c } } @while $i > 0 { d { e: f } }",
            "@media #{$a} and (b: $c), d { e { f: g } } .a { > .b { c: d } + e { f: g } }",
        ] {
            assert_eq!(told(source, true), [""; 0], "{source}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for (source, expected) in [
            ("a {\n color red;\n}", "2: expected `:` after `color`"),
            ("a {\n color: ;\n}", "2: expected a value after `:`"),
            ("a {\n : red;\n}", "2: expected a property before `:`"),
            ("a {\n color: : red;\n}", "2: unexpected `:`"),
            ("a {\n color: red\n margin: 0;\n}", "2: expected `;` after `red`"),
            ("a {\n margin: 1px,, 2px;\n}", "2: unexpected `,`"),
            ("a {\n margin: var(--a b);\n}", "2: expected `,` after `--a`"),
            (". {\n}", "1: expected a name after `.`"),
            ("a: hover {\n}", "1: expected a name after `:`"),
            ("a,, b {\n}", "1: unexpected `,`"),
            ("[a\"b\"] {\n}", "1: expected `=` after `a`"),
            ("[a==b] {\n}", "1: unexpected `=`"),
            ("a where(b) {\n}", "1: expected `:` before `where`"),
            ("{ a: b }", "1: expected a selector before `{`"),
            ("@media a (b: c) {\n}", "1: expected `and` after `a`"),
        ] {
            assert_eq!(told(source, false), [expected], "{source}");
        }
        for (source, expected) in [
            ("@each $a  $b {\n}", "1: expected `in` after `$b`"),
            ("@if  {\n}", "1: expected a condition after `@if`"),
            ("@function a($b $c) {\n}", "1: expected `,` after `$b`"),
            ("@each $a $b in $c {\n}", "1: expected `,` after `$a`"),
            ("@media not not print {\n}", "1: unexpected `not`"),
            ("a { @include b($c: : d); }", "1: unexpected `:`"),
            ("a { @include b($c: d $e: f); }", "1: expected `,` after `d`"),
            (": 2px !default;", "1: expected a property before `:`"),
            ("$a: (\n b: c\n d: e\n);", "2: expected `,` after `c`"),
            ("a {\n @include b\n c: d;\n}", "2: expected `;` after `b`"),
            ("a {\n c: d\n &:hover { e: f }\n}", "2: expected `;` after `d`"),
        ] {
            assert_eq!(told(source, true), [expected], "{source}");
        }
    }
}
