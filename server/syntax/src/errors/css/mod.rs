//! CSS and SCSS: errors other than brackets and quotes.
//!
//! The grammars reject some code that browsers and Sass accept, so statements are checked here.
//! Only errors that every implementation of the language rejects are reported.

mod tokens;

use std::ops::Range;

use super::SyntaxError;
use tokens::{Token, TokenKind};

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;
/// Markup that makes the text a template.
const TEMPLATE_MARKS: &[&str] = &["{{", "{%", "<%", "<?", "${", "[[", "<!--", "%%"];
/// Keywords of conditions, which may stand between a name and a parenthesis.
const CONDITION_KEYWORDS: &[&str] = &["and", "or", "not", "only", "style", "selector", "in"];

/// The errors of a text with balanced brackets and quotes.
pub(super) fn errors(source: &str, is_scss: bool) -> Vec<SyntaxError> {
    if TEMPLATE_MARKS.iter().any(|mark| source.contains(mark)) || super::is_minified(source) {
        return Vec::new();
    }
    let tokens = tokens::tokens(source, is_scss);
    let mut checker = StatementChecker { source, is_scss, errors: Vec::new() };
    let (mut start, mut depth, mut blocks) = (0, 0_usize, 0_usize);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let statement = &tokens[start..at];
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[') => depth += 1,
            TokenKind::Punctuation(b')' | b']') => depth = depth.saturating_sub(1),
            // Braces in a custom property are part of its value.
            TokenKind::Punctuation(b'{') if checker.is_custom_property(statement) => {
                at = after_block(&tokens, at);
                continue;
            }
            TokenKind::Punctuation(b'{') => {
                checker.check_prelude(statement, token);
                (start, depth, blocks) = (at + 1, 0, blocks + 1);
            }
            TokenKind::Punctuation(b'}') => {
                checker.check_declaration(statement, blocks > 0);
                (start, depth, blocks) = (at + 1, 0, blocks.saturating_sub(1));
            }
            TokenKind::Punctuation(b';') if depth == 0 => {
                checker.check_declaration(statement, blocks > 0);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
        if checker.errors.len() >= MAX_ERRORS {
            break;
        }
    }
    checker.errors
}

/// The index after the block that opens at `at`.
fn after_block(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.kind {
            TokenKind::Punctuation(b'{') => depth += 1,
            TokenKind::Punctuation(b'}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

struct StatementChecker<'s> {
    source: &'s str,
    is_scss: bool,
    errors: Vec<SyntaxError>,
}

impl<'s> StatementChecker<'s> {
    fn text(&self, token: &Token) -> &'s str {
        &self.source[token.span.clone()]
    }

    fn report(&mut self, span: Range<usize>, message: String) {
        self.errors.push(SyntaxError { span, message, missing: None });
    }

    fn report_unexpected(&mut self, token: &Token) {
        self.report(token.span.clone(), format!("unexpected `{}`", self.text(token)));
    }

    /// Reports something missing after a token.
    fn report_missing_after(&mut self, what: &str, after: &Token) {
        let text: String = self.text(after).chars().take(30).collect();
        self.report(after.span.clone(), format!("expected {what} after `{text}`"));
    }

    fn is_custom_property(&self, statement: &[Token]) -> bool {
        matches!(statement, [name, colon, ..] if self.text(name).starts_with("--") && colon.is(b':'))
    }

    fn is_at(&self, token: &Token) -> bool {
        token.kind == TokenKind::Word && self.text(token).starts_with('@')
    }

    /// Checks a statement that ends with `;` or `}`.
    fn check_declaration(&mut self, statement: &[Token], in_block: bool) {
        // Comments of other languages, and old browser hacks.
        if statement.iter().any(|t| t.is(b'<')) || self.has_line_comment(statement) {
            return;
        }
        let hack = usize::from(statement.first().is_some_and(|t| t.is(b'*')));
        let statement = &statement[hack..];
        let Some(first) = statement.first() else { return };
        let before = self.errors.len();
        self.check_unterminated(statement);
        if self.errors.len() > before {
            return;
        }
        if first.is(b'@') {
            self.report_missing_after("a name", first);
        } else if first.is(b':') {
            self.report(first.span.clone(), "expected a property before `:`".to_owned());
        } else if self.is_at(first) {
            self.check_commas(&statement[1..]);
        } else if first.kind == TokenKind::Word {
            let is_plain =
                self.text(first).starts_with("--") || !self.text(first).contains(['#', '%', '\\']);
            match statement.get(1) {
                // A variable of a module: `a.$b: c`.
                Some(next) if next.is(b'.') && self.is_scss => {}
                Some(colon) if colon.is(b':') => self.check_value(statement),
                // An interpolation may stand for the whole declaration.
                Some(next) if is_plain && in_block && next.kind != TokenKind::Punctuation(b'(') => {
                    self.report_missing_after("`:`", first);
                }
                None if is_plain && in_block => self.report_missing_after("`:`", first),
                _ => {}
            }
        }
    }

    fn has_line_comment(&self, statement: &[Token]) -> bool {
        statement.windows(2).any(|two| two[0].is(b'/') && two[1].is(b'/') && !two[1].is_spaced)
    }

    /// Checks the value of a declaration.
    fn check_value(&mut self, statement: &[Token]) {
        let (name, colon, value) = (&statement[0], &statement[1], &statement[2..]);
        let is_custom_property = self.text(name).starts_with("--");
        match value {
            [] if !is_custom_property => self.report_missing_after("a value", colon),
            [first, ..] if first.is(b':') && !is_custom_property => self.report_unexpected(first),
            [first, ..] if first.is(b',') && !is_custom_property => self.report_unexpected(first),
            [.., last] if last.is(b',') && !self.is_scss && !is_custom_property => {
                self.report_unexpected(last)
            }
            _ => self.check_commas(value),
        }
    }

    /// Checks commas in a value.
    fn check_commas(&mut self, value: &[Token]) {
        for (index, token) in value.iter().enumerate() {
            let Some(next) = value.get(index + 1) else { break };
            let is_pair = |first, second| token.is(first) && next.is(second);
            let repeated_keyword = is_pair(b':', b':') && next.is_spaced && self.is_scss;
            if is_pair(b',', b',') || is_pair(b'(', b',') || repeated_keyword {
                return self.report_unexpected(next);
            }
            // `var(--a, b)`
            let is_variable = token.kind == TokenKind::Word
                && index >= 2
                && value[index - 1].is(b'(')
                && self.text(token).starts_with("--")
                && self.text(&value[index - 2]) == "var"
                && !self.text(token).contains('#');
            if is_variable && !next.is(b',') && !next.is(b')') {
                return self.report_missing_after("`,`", token);
            }
        }
        self.check_missing_commas(value);
    }

    /// Checks for a missing comma between map entries or named arguments, one per line.
    fn check_missing_commas(&mut self, value: &[Token]) {
        let mut depth = 0_usize;
        for (index, three) in value.windows(3).enumerate() {
            match three[0].kind {
                TokenKind::Punctuation(b'(') => depth += 1,
                TokenKind::Punctuation(b')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            let [before, name, colon] = three else { return };
            let is_entry = depth > 0
                && (name.is_first || self.text(name).starts_with('$'))
                && matches!(name.kind, TokenKind::Word | TokenKind::Literal | TokenKind::Number)
                && colon.is(b':')
                && !colon.is_spaced;
            let ends = matches!(
                before.kind,
                TokenKind::Word
                    | TokenKind::Literal
                    | TokenKind::Number
                    | TokenKind::Punctuation(b')')
            );
            if is_entry && ends && self.is_scss && index + 3 < value.len() && name.is_spaced {
                return self.report_missing_after("`,`", before);
            }
        }
    }

    /// Checks for an unterminated statement: another one starts on a line of its own.
    fn check_unterminated(&mut self, statement: &[Token]) {
        let mut depth = 0_usize;
        for (index, token) in statement.iter().enumerate() {
            match token.kind {
                TokenKind::Punctuation(b'(' | b'[') => depth += 1,
                TokenKind::Punctuation(b')' | b']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > 0 || index == 0 || !token.is_first || token.kind != TokenKind::Word {
                continue;
            }
            let before = &statement[index - 1];
            let ended = matches!(
                before.kind,
                TokenKind::Word
                    | TokenKind::Literal
                    | TokenKind::Number
                    | TokenKind::Punctuation(b')')
            );
            let next = statement.get(index + 1);
            let begins = self.is_at(token) || next.is_some_and(|t| t.is(b':') && !t.is_spaced);
            if ended && begins {
                return self.report_missing_after("`;`", before);
            }
        }
    }

    /// Checks a statement that ends with `{`.
    fn check_prelude(&mut self, statement: &[Token], brace: &Token) {
        if statement.iter().any(|t| t.is(b'<')) || self.has_line_comment(statement) {
            return;
        }
        let Some(first) = statement.first() else {
            self.report(brace.span.clone(), "expected a selector before `{`".to_owned());
            return;
        };
        let before = self.errors.len();
        if self.is_at(first) {
            self.check_unterminated(statement);
            if self.errors.len() == before {
                self.check_at_rule(statement);
            }
            return;
        }
        // A declaration without `;`, and a rule on the following lines.
        let is_declaration = first.kind == TokenKind::Word
            && statement.get(1).is_some_and(|t| t.is(b':') && !t.is_spaced)
            && statement.get(2).is_none_or(|t| t.is_spaced);
        if is_declaration {
            let next = statement.iter().skip(3).position(|t| t.is_first);
            match next.map(|index| &statement[index + 2]) {
                Some(last) if !last.is(b',') => self.report_missing_after("`;`", last),
                None if !self.is_scss => self.report_missing_after("a name", &statement[1]),
                _ => {}
            }
            return;
        }
        self.check_selector(statement);
    }

    fn check_at_rule(&mut self, statement: &[Token]) {
        let (first, rest) = (&statement[0], &statement[1..]);
        let has = |words: &[&str]| rest.iter().any(|t| words.contains(&self.text(t)));
        let is_variable = |t: &Token| self.text(t).starts_with('$');
        match self.text(first) {
            "@if" | "@while" if rest.is_empty() => self.report_missing_after("a condition", first),
            "@else" if rest.first().is_some_and(|t| self.text(t) != "if") => {
                self.report_missing_after("`if`", first);
            }
            "@each"
                if matches!(rest, [a, b, ..] if is_variable(a) && is_variable(b))
                    && has(&["in"]) =>
            {
                self.report_missing_after("`,`", &rest[0]);
            }
            "@each" if !has(&["in"]) => {
                self.report_missing_after("`in`", rest.last().unwrap_or(first))
            }
            "@for" if !has(&["from"]) => self.report_missing_after("`from`", first),
            "@for" if !has(&["through", "to"]) => {
                self.report_missing_after("`through` or `to`", rest.last().unwrap_or(first));
            }
            "@mixin" | "@function" => self.check_parameters(rest),
            "@media" => self.check_media(rest),
            "@supports" => self.check_repeated_keyword(rest),
            _ => self.check_commas(rest),
        }
    }

    /// Checks the parameters of a mixin or function for missing commas.
    fn check_parameters(&mut self, rest: &[Token]) {
        // After a colon follows a default value, which may be several words.
        let mut is_value = false;
        for two in rest.windows(2) {
            let is_variable = |t: &Token| self.text(t).starts_with('$');
            is_value = two[0].is(b':') || is_value && !two[0].is(b',') || two[1].is(b'{');
            let starts = is_variable(&two[1]) && !is_value;
            let ends = is_variable(&two[0])
                || matches!(two[0].kind, TokenKind::Word | TokenKind::Literal | TokenKind::Number);
            if starts && ends {
                return self.report_missing_after("`,`", &two[0]);
            }
        }
        self.check_commas(rest);
    }

    /// Checks for a repeated keyword of a condition.
    fn check_repeated_keyword(&mut self, rest: &[Token]) {
        for two in rest.windows(2) {
            let (this, next) = (self.text(&two[0]), self.text(&two[1]));
            let is_repeated = matches!(this, "and" | "or" | "not" | "only") && this == next;
            if is_repeated || matches!((this, next), ("and", "or") | ("or", "and")) {
                return self.report_unexpected(&two[1]);
            }
        }
        self.check_commas(rest);
    }

    /// Checks a media query for a missing `and`.
    fn check_media(&mut self, rest: &[Token]) {
        for two in rest.windows(2) {
            let (this, next) = (&two[0], &two[1]);
            let text = self.text(this);
            let is_name = this.kind == TokenKind::Word
                && !CONDITION_KEYWORDS.contains(&text.to_ascii_lowercase().as_str())
                && !text.contains(['#', '$']);
            if next.is(b'(') && next.is_spaced && (is_name || this.is(b')')) {
                return self.report_missing_after("`and`", this);
            }
            if this.is(b')') && next.kind == TokenKind::Word && next.is_spaced {
                let word = self.text(next).to_ascii_lowercase();
                if !CONDITION_KEYWORDS.contains(&word.as_str()) && !word.contains(['#', '$']) {
                    return self.report_missing_after("`and`", this);
                }
            }
        }
        self.check_repeated_keyword(rest);
    }

    /// Checks the selectors of a rule.
    fn check_selector(&mut self, statement: &[Token]) {
        if let [first, ..] = statement
            && first.is(b',')
        {
            return self.report_unexpected(first);
        }
        for (index, token) in statement.iter().enumerate() {
            let next = statement.get(index + 1);
            let follows =
                |kinds: &dyn Fn(&Token) -> bool| next.is_some_and(|t| !t.is_spaced && kinds(t));
            match token.kind {
                TokenKind::Punctuation(b'.')
                    if !follows(&|t| {
                        matches!(t.kind, TokenKind::Word) || t.is(b'{') || t.is(b'.')
                    }) =>
                {
                    return self.report_missing_after("a name", token);
                }
                TokenKind::Punctuation(b':')
                    if !follows(&|t| t.kind == TokenKind::Word || t.is(b':')) =>
                {
                    return self.report_missing_after("a name", token);
                }
                TokenKind::Punctuation(b'#') => return self.report_missing_after("a name", token),
                TokenKind::Punctuation(b',') if next.is_some_and(|t| t.is(b',')) => {
                    return next.into_iter().for_each(|next| self.report_unexpected(next));
                }
                TokenKind::Punctuation(b',') if next.is_none() && !self.is_scss => {
                    return self.report_unexpected(token);
                }
                TokenKind::Punctuation(b'[') => {
                    let inside = &statement[index + 1..];
                    let end = inside.iter().position(|t| t.is(b']')).unwrap_or(inside.len());
                    let before = self.errors.len();
                    self.check_attribute(token, &inside[..end]);
                    if self.errors.len() > before {
                        return;
                    }
                }
                // A pseudo-class function needs a colon.
                TokenKind::Word if follows(&|t| t.is(b'(')) => {
                    let has_colon = index > 0 && statement[index - 1].is(b':') && !token.is_spaced;
                    if !has_colon && !self.text(token).contains(['#', '$']) {
                        let word = self.text(token);
                        let message = format!("expected `:` before `{word}`");
                        return self.report(token.span.clone(), message);
                    }
                }
                _ => {}
            }
        }
    }

    /// Checks an attribute selector.
    fn check_attribute(&mut self, open: &Token, inside: &[Token]) {
        let Some(first) = inside.first() else {
            return self.report_missing_after("a name", open);
        };
        if first.is(b'=') {
            return self.report_missing_after("a name", open);
        }
        for two in inside.windows(2) {
            if two[0].kind == TokenKind::Word && two[1].kind == TokenKind::Literal {
                return self.report_missing_after("`=`", &two[0]);
            }
            if two[0].is(b'=') && two[1].is(b'=') {
                return self.report_unexpected(&two[1]);
            }
        }
        if let Some(last) = inside.last().filter(|t| t.is(b'=')) {
            self.report_missing_after("a value", last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors_of(source: &str, is_scss: bool) -> Vec<String> {
        let line = |at: usize| source[..at].matches('\n').count() + 1;
        let errors = errors(source, is_scss);
        errors.iter().map(|e| format!("{}: {}", line(e.span.start), e.message)).collect()
    }

    #[test]
    fn valid_sheets_have_no_errors() {
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
            assert_eq!(errors_of(source, false), [""; 0], "{source}");
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
            assert_eq!(errors_of(source, true), [""; 0], "{source}");
        }
    }

    #[test]
    fn errors_name_what_is_missing() {
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
            assert_eq!(errors_of(source, false), [expected], "{source}");
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
            assert_eq!(errors_of(source, true), [expected], "{source}");
        }
    }
}
