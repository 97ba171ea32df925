//! JSX tags and attributes at a text position, for completion.

use std::ops::Range;

use crate::Syntax;

/// How far before the position the enclosing tag is searched, in bytes.
const SEARCHED_BYTES: usize = 8 << 10;

/// What kind of name in a JSX element is at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsxNamePosition {
    /// The name in an opening tag.
    Tag,
    /// The name of an attribute.
    Attribute {
        /// The name of the element.
        tag: String,
        /// The names of the attributes before and after it.
        present: Vec<String>,
    },
    /// The name in a closing tag, and which element it closes.
    Closing(String),
}

impl Syntax {
    /// The JSX element name or attribute name at `offset`, and the span of what is already typed of
    /// it. An incomplete tag breaks the tree around it, so the text before the position decides.
    /// `None` if no such name can be at `offset`, and in languages without JSX.
    #[must_use]
    pub fn jsx_name_position(&self, offset: usize) -> Option<(JsxNamePosition, Range<usize>)> {
        if !self.language().row().entry.jsx {
            return None;
        }
        let before = self.text().slice(offset.saturating_sub(SEARCHED_BYTES)..offset);
        let (before, from) = (&before[..], offset - before.len());
        let start = before.len() - trailing_name(before).len();
        let (head, span) = (&before[..start], from + start..offset);
        if let Some(outside) = head.strip_suffix("</") {
            let name = self.unclosed_tag(from + outside.len())?;
            return Some((JsxNamePosition::Closing(name), span));
        }
        if let Some(outside) = head.strip_suffix('<') {
            let plain = !before[start..].contains('.');
            return (plain && self.starts_element(outside, from))
                .then_some((JsxNamePosition::Tag, span));
        }
        let (tag, mut present, outside) = enclosing_tag(head)?;
        if present.contains(&"extends") || !self.starts_element(outside, from) {
            return None;
        }
        let rest = self.text().slice(offset..offset + SEARCHED_BYTES);
        present.extend(attribute_names_after(&rest));
        let present = present.into_iter().map(str::to_owned).collect();
        Some((JsxNamePosition::Attribute { tag: tag.to_owned(), present }, span))
    }

    /// Whether a `<` after the text starts an element, rather than being an operator or starting
    /// type arguments.
    fn starts_element(&self, outside: &str, from: usize) -> bool {
        let seen = outside.trim_end();
        let is_part = |c: char| c.is_alphanumeric() || "_$)]".contains(c);
        match seen.chars().next_back() {
            None | Some('(' | '{' | '}' | '>' | '?' | ':' | '=' | '&' | '|' | ',' | '[' | ';') => {
                true
            }
            Some(last) if is_part(last) && seen.len() == outside.len() => false,
            _ => {
                let word = seen.rsplit(|c: char| !is_part(c)).next().unwrap_or("");
                let words = ["return", "default", "case", "yield", "await", "else"];
                words.contains(&word) || self.unclosed_tag(from + outside.len()).is_some()
            }
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_$-:.".contains(c)
}

fn trailing_name(text: &str) -> &str {
    let head = text.trim_end_matches(is_name);
    &text[head.len()..]
}

/// For text that ends inside an opening tag: the tag's name, its attribute names, and the text
/// before its `<`.
fn enclosing_tag(head: &str) -> Option<(&str, Vec<&str>, &str)> {
    // Whitespace, a quote or a brace separates an attribute from what precedes it.
    if !head.ends_with(|c: char| c.is_whitespace() || "\"'}".contains(c)) {
        return None;
    }
    let (mut rest, mut present) = (head, Vec::new());
    loop {
        rest = rest.trim_end();
        match rest.chars().next_back()? {
            quote @ ('"' | '\'') => {
                let inner = &rest[..rest.len() - 1];
                rest = &inner[..inner.rfind(quote)?];
                rest = rest.strip_suffix('=')?;
            }
            '}' => {
                rest = &rest[..opening_brace(rest)?];
                rest = rest.strip_suffix('=').unwrap_or(rest);
            }
            last if is_name(last) => {
                let name = trailing_name(rest);
                rest = &rest[..rest.len() - name.len()];
                if let Some(outside) = rest.strip_suffix('<') {
                    let named = name.starts_with(|c: char| c.is_alphabetic() || "_$".contains(c));
                    return named.then_some((name, present, outside));
                }
                present.push(name);
            }
            _ => return None,
        }
    }
}

/// The offset of the brace that matches the last closing brace of the text.
fn opening_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'}' => depth += 1,
            b'{' if depth == 1 => return Some(at),
            b'{' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The names of the attributes after the position in the same tag.
fn attribute_names_after(rest: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = rest.trim_start_matches(is_name);
    loop {
        rest = rest.trim_start();
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if !name.is_empty() {
            names.push(name);
            rest = after.strip_prefix('=').unwrap_or(after);
            continue;
        }
        let end = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest[1..].find(quote).map(|end| end + 2),
            Some('{') => closing_brace(rest),
            _ => None,
        };
        match end {
            Some(end) => rest = &rest[end..],
            None => return names,
        }
    }
}

fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at + 1),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use text::Text;

    use super::*;
    use crate::Language;

    fn place(source: &str) -> Option<String> {
        let at = source.find('$').unwrap();
        let source = source.replace('$', "");
        let language = Language::by_id("tsx").unwrap();
        let syntax =
            Syntax::parse(language, &Text::new(&source), None, &AtomicBool::new(false)).unwrap();
        let (place, span) = syntax.jsx_name_position(at)?;
        let typed = &source[span];
        Some(match place {
            JsxNamePosition::Tag => format!("<{typed}"),
            JsxNamePosition::Closing(name) => format!("</{typed} of {name}"),
            JsxNamePosition::Attribute { tag, present } => {
                format!("{tag} {typed} beside {}", present.join(" "))
            }
        })
    }

    #[test]
    fn tags_are_recognised_by_the_text_before_them() {
        assert_eq!(place("const a = <di$").as_deref(), Some("<di"));
        assert_eq!(place("return <$\n}").as_deref(), Some("<"));
        assert_eq!(place("const a = <p>Hello <b$</p>").as_deref(), Some("<b"));
        assert_eq!(place("const a = <p>{x && <b$}</p>").as_deref(), Some("<b"));
        assert_eq!(place("const a = <p><b>x</$").as_deref(), Some("</ of b"));
        let closed = place("const a = <main>\n<p id='x'>{y}</p><br/></m$");
        assert_eq!(closed.as_deref(), Some("</m of main"));
    }

    #[test]
    fn attributes_are_recognised_by_the_tag_around_them() {
        assert_eq!(place("const a = <p cl$").as_deref(), Some("p cl beside "));
        let many = "const a = <Foo a=\"x>\" {...b}\n  c={() => { d() }} e $ f={1} g=\"<\" h/>;";
        assert_eq!(place(many).as_deref(), Some("Foo  beside e c a f g h"));
        assert_eq!(place("const a = <p aria-la$ id='x'>").as_deref(), Some("p aria-la beside id"));
    }

    #[test]
    fn comparisons_and_type_arguments_are_no_elements() {
        let code = [
            "if (a <b$) {}",
            "const a = useState<str$",
            "const b = a < c$",
            "const f = <T extends $>(x: T) => x",
            "const a = <p>text wo$</p>",
            "const a = <p id=$",
            "let x: Map<string, $>",
        ];
        for source in code {
            assert_eq!(place(source), None, "{source}");
        }
    }
}
