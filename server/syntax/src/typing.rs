//! Edits that follow a typed character (`textDocument/onTypeFormatting`): indentation, comment
//! continuation, closing tags.

use std::ops::Range;

use text::Text;

use crate::indents::mixed_tabs::{expand_tabs, uses_mixed_tabs};
use crate::{Language, Syntax};

/// How many lines to go back for the last non-blank one.
const MAX_BLANK_LINES: usize = 200;

/// A replacement of `span` by `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedEdit {
    /// The replaced span, in bytes.
    pub span: Range<usize>,
    /// The new text.
    pub text: String,
}

/// The indentation step that a text uses, or `fallback`.
#[must_use]
pub fn indent_unit(text: &Text, fallback: &str) -> String {
    /// Number of lines that are inspected.
    const INSPECTED_LINES: usize = 1_000;
    let (mut tabs, mut steps) = (0, [0_usize; 9]);
    // How many lines have each width, modulo eight.
    let (mut indented, mut widths) = (0, [0_usize; 8]);
    let mut last = 0;
    let mixed = uses_mixed_tabs(text);
    for line in 0..text.line_count().min(INSPECTED_LINES) {
        let mut line = text.line(line);
        if mixed {
            let code = line.trim_start_matches([' ', '\t']);
            line = (expand_tabs(&line[..line.len() - code.len()]) + code).into();
        }
        if line.trim().is_empty() {
            continue;
        }
        if line.starts_with('\t') {
            tabs += 1;
        }
        let width = line.len() - line.trim_start_matches(' ').len();
        // Continuation lines of comments, and ` public:`, are no indentation step.
        if width == 1 {
            continue;
        }
        indented += usize::from(width > 0);
        widths[width % 8] += 1;
        if let Some(count) = steps.get_mut(width.abs_diff(last)).filter(|_| width > last) {
            *count += 1;
        }
        last = width;
    }
    let best = (2..=8).map(|s| (s, steps[s])).max_by_key(|(_, n)| *n);
    let (mut step, seen) = best.unwrap_or((4, 0));
    // Many styles indent continuation lines by two steps, and there may be more of those than of
    // blocks. If lines with an odd number of half steps are common enough, the step is the half.
    while matches!(step, 4 | 8) {
        let half = step / 2;
        let odd: usize = (half..8).step_by(step).map(|width| widths[width]).sum();
        if odd * 12 < indented || steps[half] * 3 < steps[step] {
            break;
        }
        step = half;
    }
    match (tabs, seen) {
        (0, 0) => fallback.to_owned(),
        (tabs, seen) if tabs > seen => "\t".to_owned(),
        _ => " ".repeat(step),
    }
}

impl Language {
    /// Whether the line after `line` is indented by one more step.
    fn indents_next_line(self, line: &str) -> bool {
        let line = line.trim_end();
        self.indenting_line_ends().iter().any(|open| {
            line.strip_suffix(open.as_str()).is_some_and(|before| {
                let word = open.ends_with(char::is_alphabetic);
                !word || !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        })
    }

    /// Whether `line` is indented by one step less than the block that it ends.
    pub(crate) fn dedents_itself(self, line: &str) -> bool {
        let line = line.trim_start();
        self.dedenting_line_starts().iter().any(|close| {
            line.strip_prefix(close.as_str()).is_some_and(|after| {
                let word = close.ends_with(char::is_alphabetic);
                !word || !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        })
    }
}

impl Syntax {
    /// The edits for a new line at `offset`, which is on that line already: its indentation, the
    /// continuation of a documentation comment, and the indentation of the line before, if that
    /// starts with a closing token. `unit` is one indentation step.
    #[must_use]
    pub fn edits_after_newline(&self, offset: usize, unit: &str) -> Vec<TypedEdit> {
        let (text, language) = (self.text(), self.language());
        let line = text.line_of(offset);
        let Some(previous) = line.checked_sub(1) else { return Vec::new() };
        if self.starts_in_string(text.line_start(line)) {
            return Vec::new();
        }
        let before = text.line(previous).into_owned();
        if let Some(comment) = self.comment_continuation(previous, &before) {
            return self.replace_indent(line, &comment).into_iter().collect();
        }
        let mut typed = Vec::new();
        let own = leading_whitespace(&before).to_owned();
        let above = self.line_before(previous);
        // A line that starts with a closing token but is still as deep as the block.
        let mut level = own.clone();
        if let Some(above) = above.map(|l| text.line(l).into_owned()) {
            let expected = match language.indents_next_line(&without_comment(language, &above)) {
                true => format!("{}{unit}", leading_whitespace(&above)),
                false => leading_whitespace(&above).to_owned(),
            };
            if language.dedents_itself(&before) && own == expected && own.ends_with(unit) {
                level.truncate(own.len() - unit.len());
                typed.extend(self.replace_indent(previous, &level));
            }
        }
        let rest = text.line(line).into_owned();
        let opens = language.indents_next_line(&without_comment(language, &before));
        let closes = language.dedents_itself(&rest);
        let wanted = match (before.trim().is_empty(), opens, closes) {
            // After an empty line, keep what the editor inserted.
            (true, ..) => return typed,
            (_, true, false) => format!("{level}{unit}"),
            (_, false, true) => level.strip_suffix(unit).unwrap_or(&level).to_owned(),
            _ => level,
        };
        typed.extend(self.replace_indent(line, &wanted));
        typed
    }

    /// The edit for a closing bracket typed before `offset`: if it is the first on its line, it
    /// gets the indentation of the line with the opening bracket.
    #[must_use]
    pub fn edit_after_closing_bracket(&self, offset: usize) -> Option<TypedEdit> {
        let text = self.text();
        let closer = offset.checked_sub(1)?;
        let line = text.line_of(closer);
        let start = text.line_start(line);
        if !text.slice(start..closer).trim().is_empty() {
            return None;
        }
        let node = self.root().descendant_for_byte_range(closer, offset)?;
        let opener = node.parent()?.child(0)?;
        if node.is_named() || node.is_error() || opener.end_byte() > closer {
            return None;
        }
        let opened = text.line(text.line_of(opener.start_byte()));
        self.replace_indent(line, leading_whitespace(&opened))
    }

    /// The closing tag to insert after the cursor for a `>` typed before `offset`.
    #[must_use]
    pub fn closing_tag_after_gt(&self, offset: usize) -> Option<TypedEdit> {
        let text = self.text();
        let line = text.line_of(offset);
        let before = text.slice(text.line_start(line)..offset);
        let opened = before.rfind('<').map(|at| &before[at..])?;
        if !opened.ends_with('>') || opened.ends_with("/>") || opened.starts_with("</") {
            return None;
        }
        let name = self.unclosed_tag(offset)?;
        let own: String =
            opened[1..].chars().take_while(|c| !c.is_whitespace() && *c != '>').collect();
        let after = text.slice(offset..text.line_span(line).end);
        (own == name && !after.starts_with(&format!("</{name}")))
            .then(|| TypedEdit { span: offset..offset, text: format!("</{name}>") })
    }

    /// The rest of the closing tag for a `</` typed before `offset`.
    #[must_use]
    pub fn closing_tag_after_slash(&self, offset: usize) -> Option<TypedEdit> {
        let text = self.text();
        let start = offset.checked_sub(2)?;
        if text.slice(start..offset) != "</" {
            return None;
        }
        let name = self.unclosed_tag(start)?;
        let after = text.slice(offset..text.line_span(text.line_of(offset)).end);
        after
            .trim()
            .is_empty()
            .then(|| TypedEdit { span: offset..offset, text: format!("{name}>") })
    }

    /// The indentation and prefix that continue the comment of the previous line, if it is one.
    fn comment_continuation(&self, previous: usize, before: &str) -> Option<String> {
        let language = self.language();
        let (indent, content) = before.split_at(leading_whitespace(before).len());
        // Of line comments, only documentation comments are continued.
        let document = language.line_comments().iter().skip(1).filter(|c| content.starts_with(*c));
        if let Some(start) = document.max_by_key(|c| c.len()) {
            let is_long_line = content[start.len()..].starts_with(['/', '-']);
            let nothing = content[start.len()..].trim().is_empty();
            return (!is_long_line && !nothing).then(|| format!("{indent}{start} "));
        }
        let (open, close) = language.block_comment()?;
        if open != "/*" || content.contains(close) {
            return None;
        }
        let at = self.text().line_start(previous) + indent.len();
        let node = self.root().descendant_for_byte_range(at, at + 1)?;
        let in_comment =
            node.kind().contains("comment") || (node.is_error() && content.starts_with("/**"));
        match content {
            _ if !in_comment => None,
            content if content.starts_with("/**") => Some(format!("{indent} * ")),
            content if content.starts_with("* ") || content.trim() == "*" => {
                Some(format!("{indent}* "))
            }
            _ => None,
        }
    }

    /// Whether a line starts inside a string, where whitespace must not be changed.
    fn starts_in_string(&self, line_start: usize) -> bool {
        self.nodes_around(line_start..line_start).into_iter().any(|node| {
            let inside = node.start_byte() < line_start && node.end_byte() > line_start;
            let kind = node.kind();
            inside && (kind.contains("string") || kind.contains("heredoc"))
        })
    }

    fn line_before(&self, line: usize) -> Option<usize> {
        (0..line).rev().take(MAX_BLANK_LINES).find(|l| !self.text().line(*l).trim().is_empty())
    }

    fn replace_indent(&self, line: usize, wanted: &str) -> Option<TypedEdit> {
        let start = self.text().line_start(line);
        let now = self.text().line(line);
        let now = leading_whitespace(&now);
        (now != wanted)
            .then(|| TypedEdit { span: start..start + now.len(), text: wanted.to_owned() })
    }
}

/// The leading whitespace of a line.
fn leading_whitespace(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// A line without its trailing comment.
fn without_comment(language: Language, line: &str) -> String {
    let comment = language.line_comments().iter().filter_map(|c| {
        let at = line.find(&format!(" {c}"))?;
        Some(at)
    });
    let end = comment.min().unwrap_or(line.len());
    line[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn apply(source: &str, mut typed: Vec<TypedEdit>) -> String {
        typed.sort_by_key(|t| std::cmp::Reverse(t.span.start));
        typed.into_iter().fold(source.to_owned(), |text, t| {
            format!("{}{}{}", &text[..t.span.start], t.text, &text[t.span.end..])
        })
    }

    /// Types at `$0`; the typed text is already in `source`.
    fn typed(language: &str, source: &str, f: impl Fn(&Syntax, usize) -> Vec<TypedEdit>) -> String {
        let at = source.find("$0").unwrap();
        let source = source.replace("$0", "");
        let language = Language::by_id(language).unwrap();
        let syntax =
            Syntax::parse(language, &Text::new(&source), None, &AtomicBool::new(false)).unwrap();
        apply(&source, f(&syntax, at))
    }

    fn newline(language: &str, source: &str) -> String {
        let unit = Language::by_id(language).unwrap().default_indent();
        typed(language, source, |s, at| s.edits_after_newline(at, unit))
    }

    #[test]
    fn a_new_line_is_indented_after_the_line_before() {
        assert_eq!(newline("python", "def f():\n$0"), "def f():\n    ");
        assert_eq!(newline("python", "if a:  # why\n$0"), "if a:  # why\n    ");
        assert_eq!(newline("rust", "fn f() {\n$0}\n"), "fn f() {\n}\n");
        assert_eq!(newline("rust", "fn f() {\n$0\n}\n"), "fn f() {\n    \n}\n");
        assert_eq!(newline("rust", "    let a = 1;\n$0"), "    let a = 1;\n    ");
        assert_eq!(newline("go", "func f() {\n$0\n}\n"), "func f() {\n\t\n}\n");
        assert_eq!(newline("lua", "if a then\n$0\nend\n"), "if a then\n  \nend\n");
    }

    #[test]
    fn a_closing_keyword_is_dedented_at_the_end_of_its_line() {
        let source = "def f\n  a\n  end\n$0";
        assert_eq!(newline("ruby", source), "def f\n  a\nend\n");
        assert_eq!(newline("ruby", "def f\n  endings\n$0"), "def f\n  endings\n  ");
        // Lines that the user has moved stay.
        assert_eq!(newline("ruby", "  def f\n    a\n  end\n$0"), "  def f\n    a\n  end\n  ");
    }

    #[test]
    fn documentation_comments_are_continued() {
        assert_eq!(
            newline("rust", "    /// What\n$0\n    fn f() {}\n"),
            "    /// What\n    /// \n    fn f() {}\n"
        );
        assert_eq!(newline("rust", "// why\n$0"), "// why\n");
        assert_eq!(newline("java", "  /** What\n$0\n   */\n"), "  /** What\n   * \n   */\n");
        assert_eq!(
            newline("java", "  /**\n   * What\n$0\n   */\n"),
            "  /**\n   * What\n   * \n   */\n"
        );
        assert_eq!(newline("java", "  /** a */\n$0"), "  /** a */\n  ");
    }

    #[test]
    fn strings_are_left_alone() {
        assert_eq!(newline("python", "a = \"\"\"{\n$0\n\"\"\"\n"), "a = \"\"\"{\n\n\"\"\"\n");
    }

    #[test]
    fn a_closing_bracket_is_level_with_its_opening_line() {
        let closer = |language: &str, source: &str| {
            typed(language, source, |s, at| s.edit_after_closing_bracket(at).into_iter().collect())
        };
        assert_eq!(closer("rust", "fn f() {\n    a();\n    }$0\n"), "fn f() {\n    a();\n}\n");
        assert_eq!(
            closer("rust", "    f(\n        1,\n        )$0;\n"),
            "    f(\n        1,\n    );\n"
        );
        assert_eq!(closer("rust", "let a = [1]$0;\n"), "let a = [1];\n");
    }

    #[test]
    fn tags_are_closed() {
        let tag = |source: &str| {
            typed("html", source, |s, at| s.closing_tag_after_gt(at).into_iter().collect())
        };
        assert_eq!(tag("<div>$0"), "<div></div>");
        assert_eq!(tag("<a href='x'>$0"), "<a href='x'></a>");
        assert_eq!(tag("<br>$0"), "<br>");
        assert_eq!(tag("<div>$0</div>"), "<div></div>");
        let slash = |source: &str| {
            typed("html", source, |s, at| s.closing_tag_after_slash(at).into_iter().collect())
        };
        assert_eq!(slash("<p><b>x</$0"), "<p><b>x</b>");
        assert_eq!(slash("<p><!-- <b> -->x</$0"), "<p><!-- <b> -->x</p>");
    }

    #[test]
    fn operators_are_no_tags() {
        for code in [
            "const x: Array<string>$0 = [];\n",
            "const x = useState<Foo>$0\n",
            "const x = useState<Foo>$0(1);\n",
            "const x = \"<div>$0\";\n",
            "const x = \"<div>$0\n",
            "// see <div>$0\n",
            "function f<T>$0(a: T) {}\n",
            "if (a < b && c>$0 d) {}\n",
        ] {
            let made = typed("tsx", code, |s, at| s.closing_tag_after_gt(at).into_iter().collect());
            assert_eq!(made, code.replace("$0", ""), "{code}");
        }
        for code in [
            "const x = <div>$0;\n",
            "const x = <div>$0\n",
            "function App() {\n  return (\n    <div>$0\n  );\n}\n",
            "function f() {\n  return <p><div>$0</p>;\n}\n",
            "const x: Array<string> = [];\nconst y = <p>{x as Array<string>}<div>$0</p>;\n",
        ] {
            for language in ["tsx", "javascript"] {
                let code = if language == "tsx" {
                    code
                } else {
                    &code.replace(": Array<string>", "").replace(" as Array<string>", "")
                };
                let made =
                    typed(language, code, |s, at| s.closing_tag_after_gt(at).into_iter().collect());
                assert_eq!(made, code.replace("$0", "</div>"), "{language} {code}");
            }
        }
        let slash = |code: &str| {
            typed("tsx", code, |s, at| s.closing_tag_after_slash(at).into_iter().collect())
        };
        assert_eq!(
            slash("const y = <p>{x as Array<string>}</$0\n"),
            "const y = <p>{x as Array<string>}</p>\n"
        );
    }

    #[test]
    fn the_indentation_step_is_detected() {
        let unit = |source: &str| indent_unit(&Text::new(source), "    ");
        assert_eq!(unit("a\n  b\n    c\n"), "  ");
        assert_eq!(unit("a\n\tb\n"), "\t");
        assert_eq!(unit("a\nb\n"), "    ");
        // Continuation lines are two steps deeper.
        let google =
            "f(\n    a) {\n  g;\n}\nk() {\n  g(\n      a);\n}\nk() {\n  g(\n      a);\n}\n";
        assert_eq!(unit(google), "  ");
        assert_eq!(unit("class A {\n public:\n  A();\n  void f(\n      int);\n};\n"), "  ");
        let aligned = "f {\n    c(d,\n      e)\n}\n";
        let four = "f {\n    b {\n        c\n    }\n}\n".repeat(3) + aligned;
        assert_eq!(unit(&four), "    ");
    }
}
