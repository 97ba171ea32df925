//! Rewrites of types in TypeScript that its grammar does not take.

use super::ecma::Rewriter;

/// Longest type arguments of a tagged template, in bytes.
const MAX_TYPE_ARGUMENTS_LEN: usize = 400;
/// Function result types that consist of one keyword.
const RESULT_TYPES: [&str; 6] = ["any", "string", "number", "boolean", "unknown", "void"];

impl Rewriter<'_> {
    /// ``a<T, U>`…` `` becomes ``a<T| U>`…` ``, because a comma would end the expression. The error
    /// checker tolerates the tree of one type argument.
    pub(super) fn tagged_template_arguments(&mut self, close: usize) {
        let scan = self.scan;
        let start = close.saturating_sub(MAX_TYPE_ARGUMENTS_LEN);
        let text = scan.text(start, close);
        for (open, _) in text.rmatch_indices('<') {
            let open = start + open;
            let behind_name = scan.byte_before(open).is_some_and(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b')' | b']')
            });
            if !behind_name || scan.closing_bracket_end(open) != Some(close + 1) {
                continue;
            }
            let mut at = open + 1;
            while at < close {
                match scan.byte(at) {
                    Some(b',') => self.rewrite(at, at + 1, "|"),
                    Some(b'<' | b'(' | b'[' | b'{') => match scan.closing_bracket_end(at) {
                        Some(end) => at = end - 1,
                        None => return,
                    },
                    _ => {}
                }
                at += 1;
            }
            return;
        }
    }

    /// In a declared type, `({
    /// a
    /// }: P) => R` and `({ a }?: P) => R` become `(a: P) => R`, and nested patterns become one
    /// identifier.
    pub(super) fn parameter_pattern(&mut self, brace: usize) {
        let scan = self.scan;
        let line = scan.line_before(brace).trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        if !line.starts_with("type ")
            && !line.starts_with("declare ")
            && !self.is_method_type(line, brace)
        {
            return;
        }
        let Some(end) = scan.closing_bracket_end(brace) else { return };
        let inside = scan.text(brace + 1, end - 1);
        let after = scan.skip_trivia(end);
        let optional = scan.byte(after) == Some(b'?');
        if !optional && scan.byte(after) != Some(b':') {
            return;
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_$,. \n\r\t".contains(&byte);
        let broken = inside.trim_end_matches([' ', '\t']).ends_with('\n');
        if inside.bytes().all(plain) {
            if broken || optional {
                self.rewrite(brace, brace + 1, "");
                // A trailing comma is allowed in braces only.
                let last = brace + 1 + inside.trim_end().len();
                let comma = inside.trim_end().ends_with(',');
                self.rewrite(if comma { last - 1 } else { end - 1 }, end, "");
            }
        } else if broken || optional || !inside.contains(',') {
            self.rewrite(brace, end, "x");
        }
    }

    /// Whether the braces start the only parameter of a member with a function type: `name: ({ … }:
    /// T) => void;`. A function value would have no `?` after its name, and no `;` after its result.
    pub(super) fn is_method_type(&self, line: &str, brace: usize) -> bool {
        let scan = self.scan;
        let name = line.trim_end_matches('(').trim_end();
        let name = name.strip_suffix(':').unwrap_or_default();
        let required = name.trim_end_matches('?');
        let is_member = !required.is_empty()
            && required.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let Some(close) = scan.closing_bracket_end(brace - 1).filter(|_| is_member) else {
            return false;
        };
        let arrow = scan.skip_trivia(close);
        if scan.text(arrow, arrow + 2) != "=>" {
            return false;
        }
        let result = scan.skip_trivia(arrow + 2);
        let end = scan.word_end(result);
        let is_type_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.<>[]| ".contains(&byte);
        let rest = scan.text(result, scan.end_of_line(result)).trim_end();
        required.len() < name.len()
            || RESULT_TYPES.contains(&scan.text(result, end))
                && matches!(scan.byte(end), Some(b';' | b'\n'))
            || rest.strip_suffix(';').is_some_and(|ty| ty.bytes().all(is_type_name))
    }

    /// An escaped character in a template literal type.
    pub(super) fn template_type_escape(&mut self, at: usize) {
        let scan = self.scan;
        if !matches!(scan.byte(at + 1), Some(b'`' | b'$')) {
            return;
        }
        let mut line = scan.line_before(at).trim_start();
        if line.starts_with('`') {
            let above = scan.text(0, at - line.len()).trim_end();
            line = scan.line_before(above.len()).trim_start();
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        if line.strip_prefix("declare ").unwrap_or(line).starts_with("type ") {
            self.mask_as_name(at, at + 2);
        }
    }

    /// A parameter with the name of a predefined type: `(any) => void`.
    pub(super) fn predefined_type_as_name(&mut self, at: usize, word: &str) {
        let (scan, end) = (self.scan, at + word.len());
        let alone = scan.byte_before(at) == Some(b'(') && scan.byte(end) == Some(b')');
        if alone && scan.text(scan.skip_trivia(end + 1), scan.skip_trivia(end + 1) + 2) == "=>" {
            self.mask_as_name(at, end);
        }
    }

    /// The type `typeof undefined`: the grammar takes a name there, and `undefined` is none to it.
    pub(super) fn type_of_undefined(&mut self, at: usize) {
        let scan = self.scan;
        let name = scan.skip_blanks(at + 6);
        let end = scan.word_end(name);
        let is_in_type = match scan.significant_before(at) {
            Some(b':' | b'|' | b'&' | b'<' | b'=') => true,
            Some(b'(') => matches!(scan.byte(scan.skip_trivia(end)), Some(b'|' | b'&')),
            _ => false,
        };
        if is_in_type && scan.text(name, end) == "undefined" {
            self.mask_as_name(name, end);
        }
    }
}
