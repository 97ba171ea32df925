//! What follows from a typed character: indentation, comments that go on, closing tags.

use std::ops::Range;

use text::Text;

use crate::indents::blanks::{packs_tabs, spread};
use crate::{Language, Syntax};

/// Blank lines, or lines of strings, that are looked over for the line before.
const FAR: usize = 200;

/// A piece of text to be put in place of `span`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// Where, in bytes.
    pub span: Range<usize>,
    /// What.
    pub text: String,
}

/// One step of indentation in a text: what its lines show, or `fallback`.
#[must_use]
pub fn indent_unit(text: &Text, fallback: &str) -> String {
    /// Lines that are looked at.
    const SAMPLE: usize = 1_000;
    let (mut tabs, mut steps) = (0, [0_usize; 9]);
    // How many lines stand at which width, as far as a step of eight can tell them apart.
    let (mut indented, mut widths) = (0, [0_usize; 8]);
    let mut last = 0;
    let packs = packs_tabs(text);
    for line in 0..text.line_count().min(SAMPLE) {
        let mut line = text.line(line);
        if packs {
            let code = line.trim_start_matches([' ', '\t']);
            line = (spread(&line[..line.len() - code.len()]) + code).into();
        }
        if line.trim().is_empty() {
            continue;
        }
        if line.starts_with('\t') {
            tabs += 1;
        }
        let width = line.len() - line.trim_start_matches(' ').len();
        // What goes on in a comment, and ` public:`: no step, and none from there.
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
    // What goes on stands two steps deeper, in many a style, and there may be more of that than of
    // what begins: then lines stand at odd numbers of halves, and steps of a half are no exception.
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
    fn opens_a_step(self, line: &str) -> bool {
        let line = line.trim_end();
        self.opens().iter().any(|open| {
            line.strip_suffix(open.as_str()).is_some_and(|before| {
                let word = open.ends_with(char::is_alphabetic);
                !word || !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        })
    }

    pub(crate) fn closes_a_step(self, line: &str) -> bool {
        let line = line.trim_start();
        self.closes().iter().any(|close| {
            line.strip_prefix(close.as_str()).is_some_and(|after| {
                let word = close.ends_with(char::is_alphabetic);
                !word || !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        })
    }
}

impl Syntax {
    /// What a new line at `offset` brings, which is on it: its indentation, the start of a
    /// documentation comment that goes on, and the place of the line before, where that closes
    /// something. `unit` is one step.
    #[must_use]
    pub fn typed_newline(&self, offset: usize, unit: &str) -> Vec<Typed> {
        let (text, language) = (self.text(), self.language());
        let line = text.line_of(offset);
        let Some(previous) = line.checked_sub(1) else { return Vec::new() };
        if self.in_string(text.line_start(line)) {
            return Vec::new();
        }
        let before = text.line(previous).into_owned();
        if let Some(comment) = self.comment_goes_on(previous, &before) {
            return self.replace_indent(line, &comment).into_iter().collect();
        }
        let mut typed = Vec::new();
        let own = lead(&before).to_owned();
        let above = self.line_before(previous);
        // A line that closes what the one above it is in, and still stands as deep.
        let mut level = own.clone();
        if let Some(above) = above.map(|l| text.line(l).into_owned()) {
            let expected = match language.opens_a_step(&code_of(language, &above)) {
                true => format!("{}{unit}", lead(&above)),
                false => lead(&above).to_owned(),
            };
            if language.closes_a_step(&before) && own == expected && own.ends_with(unit) {
                level.truncate(own.len() - unit.len());
                typed.extend(self.replace_indent(previous, &level));
            }
        }
        let rest = text.line(line).into_owned();
        let opens = language.opens_a_step(&code_of(language, &before));
        let closes = language.closes_a_step(&rest);
        let wanted = match (before.trim().is_empty(), opens, closes) {
            // After an empty line, what the editor did is as good.
            (true, ..) => return typed,
            (_, true, false) => format!("{level}{unit}"),
            (_, false, true) => level.strip_suffix(unit).unwrap_or(&level).to_owned(),
            _ => level,
        };
        typed.extend(self.replace_indent(line, &wanted));
        typed
    }

    /// What a closing bracket that was typed before `offset` brings: it stands as deep as the line
    /// that opened it, where it is the first on its line.
    #[must_use]
    pub fn typed_closer(&self, offset: usize) -> Option<Typed> {
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
        self.replace_indent(line, lead(&opened))
    }

    /// The closing tag that a `>` typed before `offset` asks for; it is put behind the cursor.
    #[must_use]
    pub fn typed_tag(&self, offset: usize) -> Option<Typed> {
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
            .then(|| Typed { span: offset..offset, text: format!("</{name}>") })
    }

    /// The end of the closing tag that `</` typed before `offset` begins.
    #[must_use]
    pub fn typed_slash(&self, offset: usize) -> Option<Typed> {
        let text = self.text();
        let start = offset.checked_sub(2)?;
        if text.slice(start..offset) != "</" {
            return None;
        }
        let name = self.unclosed_tag(start)?;
        let after = text.slice(offset..text.line_span(text.line_of(offset)).end);
        after.trim().is_empty().then(|| Typed { span: offset..offset, text: format!("{name}>") })
    }

    fn comment_goes_on(&self, previous: usize, before: &str) -> Option<String> {
        let language = self.language();
        let (indent, said) = before.split_at(lead(before).len());
        // Of comments to the end of the line, those that document go on by themselves.
        let document = language.line_comments().iter().skip(1).filter(|c| said.starts_with(*c));
        if let Some(start) = document.max_by_key(|c| c.len()) {
            let is_long_line = said[start.len()..].starts_with(['/', '-']);
            let nothing = said[start.len()..].trim().is_empty();
            return (!is_long_line && !nothing).then(|| format!("{indent}{start} "));
        }
        let (open, close) = language.block_comment()?;
        if open != "/*" || said.contains(close) {
            return None;
        }
        let at = self.text().line_start(previous) + indent.len();
        let node = self.root().descendant_for_byte_range(at, at + 1)?;
        let in_comment =
            node.kind().contains("comment") || (node.is_error() && said.starts_with("/**"));
        match said {
            _ if !in_comment => None,
            said if said.starts_with("/**") => Some(format!("{indent} * ")),
            said if said.starts_with("* ") || said.trim() == "*" => Some(format!("{indent}* ")),
            _ => None,
        }
    }

    /// Whether a line starts inside a string, where blanks are nobody's to change.
    fn in_string(&self, line_start: usize) -> bool {
        self.nodes_around(line_start..line_start).into_iter().any(|node| {
            let inside = node.start_byte() < line_start && node.end_byte() > line_start;
            let kind = node.kind();
            inside && (kind.contains("string") || kind.contains("heredoc"))
        })
    }

    fn line_before(&self, line: usize) -> Option<usize> {
        (0..line).rev().take(FAR).find(|l| !self.text().line(*l).trim().is_empty())
    }

    fn replace_indent(&self, line: usize, wanted: &str) -> Option<Typed> {
        let start = self.text().line_start(line);
        let now = self.text().line(line);
        let now = lead(&now);
        (now != wanted).then(|| Typed { span: start..start + now.len(), text: wanted.to_owned() })
    }
}

/// The blanks that a line starts with.
fn lead(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// A line without the comment at its end.
fn code_of(language: Language, line: &str) -> String {
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

    fn apply(source: &str, mut typed: Vec<Typed>) -> String {
        typed.sort_by_key(|t| std::cmp::Reverse(t.span.start));
        typed.into_iter().fold(source.to_owned(), |text, t| {
            format!("{}{}{}", &text[..t.span.start], t.text, &text[t.span.end..])
        })
    }

    /// Types at `$0`; what was typed is there already.
    fn typed(language: &str, source: &str, f: impl Fn(&Syntax, usize) -> Vec<Typed>) -> String {
        let at = source.find("$0").unwrap();
        let source = source.replace("$0", "");
        let language = Language::by_id(language).unwrap();
        let syntax =
            Syntax::parse(language, &Text::new(&source), None, &AtomicBool::new(false)).unwrap();
        apply(&source, f(&syntax, at))
    }

    fn newline(language: &str, source: &str) -> String {
        let unit = Language::by_id(language).unwrap().indent();
        typed(language, source, |s, at| s.typed_newline(at, unit))
    }

    #[test]
    fn a_new_line_stands_where_the_one_before_puts_it() {
        assert_eq!(newline("python", "def f():\n$0"), "def f():\n    ");
        assert_eq!(newline("python", "if a:  # why\n$0"), "if a:  # why\n    ");
        assert_eq!(newline("rust", "fn f() {\n$0}\n"), "fn f() {\n}\n");
        assert_eq!(newline("rust", "fn f() {\n$0\n}\n"), "fn f() {\n    \n}\n");
        assert_eq!(newline("rust", "    let a = 1;\n$0"), "    let a = 1;\n    ");
        assert_eq!(newline("go", "func f() {\n$0\n}\n"), "func f() {\n\t\n}\n");
        assert_eq!(newline("lua", "if a then\n$0\nend\n"), "if a then\n  \nend\n");
    }

    #[test]
    fn a_word_that_closes_goes_back_once_its_line_ends() {
        let source = "def f\n  a\n  end\n$0";
        assert_eq!(newline("ruby", source), "def f\n  a\nend\n");
        assert_eq!(newline("ruby", "def f\n  endings\n$0"), "def f\n  endings\n  ");
        // What the person has put somewhere stays there.
        assert_eq!(newline("ruby", "  def f\n    a\n  end\n$0"), "  def f\n    a\n  end\n  ");
    }

    #[test]
    fn documentation_goes_on() {
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
    fn a_closing_bracket_stands_under_what_opened_it() {
        let closer = |language: &str, source: &str| {
            typed(language, source, |s, at| s.typed_closer(at).into_iter().collect())
        };
        assert_eq!(closer("rust", "fn f() {\n    a();\n    }$0\n"), "fn f() {\n    a();\n}\n");
        assert_eq!(
            closer("rust", "    f(\n        1,\n        )$0;\n"),
            "    f(\n        1,\n    );\n"
        );
        assert_eq!(closer("rust", "let a = [1]$0;\n"), "let a = [1];\n");
    }

    #[test]
    fn tags_get_their_end() {
        let tag =
            |source: &str| typed("html", source, |s, at| s.typed_tag(at).into_iter().collect());
        assert_eq!(tag("<div>$0"), "<div></div>");
        assert_eq!(tag("<a href='x'>$0"), "<a href='x'></a>");
        assert_eq!(tag("<br>$0"), "<br>");
        assert_eq!(tag("<div>$0</div>"), "<div></div>");
        let slash =
            |source: &str| typed("html", source, |s, at| s.typed_slash(at).into_iter().collect());
        assert_eq!(slash("<p><b>x</$0"), "<p><b>x</b>");
        assert_eq!(slash("<p><!-- <b> -->x</$0"), "<p><!-- <b> -->x</p>");
    }

    #[test]
    fn what_looks_like_a_tag_in_code_is_none() {
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
            let made = typed("tsx", code, |s, at| s.typed_tag(at).into_iter().collect());
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
                let made = typed(language, code, |s, at| s.typed_tag(at).into_iter().collect());
                assert_eq!(made, code.replace("$0", "</div>"), "{language} {code}");
            }
        }
        let slash =
            |code: &str| typed("tsx", code, |s, at| s.typed_slash(at).into_iter().collect());
        assert_eq!(
            slash("const y = <p>{x as Array<string>}</$0\n"),
            "const y = <p>{x as Array<string>}</p>\n"
        );
    }

    #[test]
    fn the_step_is_read_off_the_text() {
        let unit = |source: &str| indent_unit(&Text::new(source), "    ");
        assert_eq!(unit("a\n  b\n    c\n"), "  ");
        assert_eq!(unit("a\n\tb\n"), "\t");
        assert_eq!(unit("a\nb\n"), "    ");
        // What goes on stands two steps deeper.
        let google =
            "f(\n    a) {\n  g;\n}\nk() {\n  g(\n      a);\n}\nk() {\n  g(\n      a);\n}\n";
        assert_eq!(unit(google), "  ");
        assert_eq!(unit("class A {\n public:\n  A();\n  void f(\n      int);\n};\n"), "  ");
        let aligned = "f {\n    c(d,\n      e)\n}\n";
        let four = "f {\n    b {\n        c\n    }\n}\n".repeat(3) + aligned;
        assert_eq!(unit(&four), "    ");
    }
}
