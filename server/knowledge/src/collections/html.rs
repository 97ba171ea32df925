//! The text of HTML, line by line, so that citations keep their lines.

/// Elements whose content is no text.
const SKIPPED: &[&str] = &["script", "style", "svg", "template"];
const ENTITIES: &[(&str, &str)] = &[
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&nbsp;", " "),
    ("&amp;", "&"),
];

/// Removes tags, comments, scripts and styles, and keeps all line breaks. Linear in the text.
pub(super) fn without_tags(html: &str) -> String {
    let mut text = String::with_capacity(html.len() / 2);
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let skipped = skipped_element(rest);
        let end = match skipped {
            _ if rest.starts_with("<!--") => rest.find("-->").map(|end| end + 3),
            Some(name) => end_of_element(rest, name),
            None if !rest[1..]
                .starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)) =>
            {
                // Not a tag: `a < b`.
                text.push('<');
                Some(1)
            }
            None => rest.find('>').map(|end| end + 1),
        };
        let end = end.unwrap_or(rest.len());
        text.extend(rest[..end].chars().filter(|c| *c == '\n'));
        if end > 1 {
            text.push(' ');
        }
        rest = &rest[end..];
    }
    text.push_str(rest);
    ENTITIES.iter().fold(text, |text, (entity, character)| text.replace(entity, character))
}

/// The name of the element at the start of `rest`, if its content is skipped.
fn skipped_element(rest: &str) -> Option<&'static str> {
    let is_start = |name: &&&'static str| {
        rest.as_bytes()
            .get(1..=name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
            && !rest.as_bytes().get(name.len() + 1).is_some_and(u8::is_ascii_alphanumeric)
    };
    SKIPPED.iter().find(is_start).copied()
}

fn end_of_element(rest: &str, name: &str) -> Option<usize> {
    let closing = format!("</{name}");
    let bytes = rest.as_bytes();
    let at =
        bytes.windows(closing.len()).position(|w| w.eq_ignore_ascii_case(closing.as_bytes()))?;
    Some(at + rest[at..].find('>')? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_its_lines() {
        let html = "<h1>A &amp; B</h1>\n<script>\nlet x = '<b>';\n</script>\n<p\nid=x>a < b</p><!-- c\n-->end";
        let text = without_tags(html);
        assert_eq!(text.matches('\n').count(), html.matches('\n').count());
        assert!(text.contains("A & B") && text.contains("a < b") && text.contains("end"), "{text}");
        assert!(!text.contains("let x") && !text.contains(" c\n"), "{text}");
    }

    #[test]
    fn broken_html_is_read_to_its_end() {
        for html in ["<", "<b", "<!--", "<script>", "</", "a<script", "é<é>é"] {
            let _ = without_tags(html);
        }
        assert!(without_tags(&"<script>".repeat(20_000)).trim().is_empty());
    }
}
