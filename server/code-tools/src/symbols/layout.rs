//! Adjusts the indentation and line endings of inserted code.

use std::sync::atomic::AtomicBool;

use syntax::Language;
use text::Text;

/// The leading blanks of a line.
pub(super) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Indents code for a place with indentation `indent`; its first line gets none. The code may come
/// indented as at that place, unindented, or unindented in its first line only. Lines of string
/// literals are kept.
pub(super) fn reindent(
    code: &str,
    indent: &str,
    language: Option<Language>,
    interrupt: &AtomicBool,
) -> String {
    let code = code.replace("\r\n", "\n");
    let code = code.trim_end();
    let blank = code.len() - code.trim_start().len();
    let first = code[..blank].rfind('\n').map_or(0, |at| at + 1);
    let code = &code[first..];
    let syntax =
        language.and_then(|l| workspace::parse_with_timeout(l, &Text::new(code), None, interrupt));
    let mut at = 0;
    let lines: Vec<(&str, bool)> = code
        .split('\n')
        .map(|line| {
            let start = at;
            at += line.len() + 1;
            (line, start > 0 && syntax.as_ref().is_some_and(|s| s.is_in_literal(start)))
        })
        .collect();
    let (before, add) = shift(&lines, indent);
    let mut out = String::with_capacity(code.len() + lines.len() * indent.len());
    for (n, (line, literal)) in lines.iter().enumerate() {
        match n {
            0 => out.push_str(line.trim_start()),
            _ if *literal => out.push_str(&format!("\n{line}")),
            _ if line.trim().is_empty() => out.push('\n'),
            _ => {
                let kept = &line[indent_of(line).len().min(before)..];
                out.push('\n');
                out.push_str(if add { indent } else { "" });
                out.push_str(kept);
            }
        }
    }
    out
}

/// How many blanks to remove from the lines after the first, and whether to add the indentation.
fn shift(lines: &[(&str, bool)], indent: &str) -> (usize, bool) {
    let first = lines.first().map_or(0, |(line, _)| indent_of(line).len());
    let others = || lines[1..].iter().filter(|(line, literal)| !literal && !line.trim().is_empty());
    let least = others().map(|(line, _)| indent_of(line).len()).min();
    let Some(least) = least else { return (0, false) };
    if first > 0 {
        return (first.min(least), true);
    }
    // Only the first line is unindented: the others are deeper than the place, or at it with a
    // closing delimiter last.
    let last = others().next_back().map_or("", |(line, _)| line.trim_start());
    let closes = last.starts_with(['}', ')', ']']) || last == "end";
    let stands = least > indent.len() || (least == indent.len() && closes);
    (0, !(stands || indent.is_empty()))
}

/// Code with the line endings of a text.
pub(super) fn with_line_ends_of(text: &Text, code: String) -> String {
    let first = text.slice(0..text.line_start(1.min(text.line_count() - 1)));
    if first.ends_with("\r\n") { code.replace('\n', "\r\n") } else { code }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, code: &str, indent: &str, wanted: &str) {
        let language = Language::by_id(language);
        assert_eq!(reindent(code, indent, language, &AtomicBool::new(false)), wanted, "{code:?}");
    }

    #[test]
    fn reindents_code_with_any_indentation() {
        let python = "def f(self):\n        return 1";
        check("python", "def f(self):\n    return 1\n", "    ", python);
        check("python", "    def f(self):\n        return 1", "    ", python);
        check("python", python, "    ", python);
        check("python", "\n\ndef f(self):\n    return 1", "    ", python);
        check("python", "def f():\n    return 1", "", "def f():\n    return 1");
        let rust = "fn f() {\n        1\n    }";
        check("rust", "fn f() {\n    1\n}", "    ", rust);
        check("rust", rust, "    ", rust);
        check("rust", "    fn f() {\n        1\n    }", "    ", rust);
        check("go", "func f() {\r\n\treturn\r\n}", "", "func f() {\n\treturn\n}");
    }

    #[test]
    fn string_literals_keep_their_lines() {
        let code = "def f():\n    return '''\nx\n  y'''";
        check("python", code, "    ", "def f():\n        return '''\nx\n  y'''");
    }
}
