//! Docstring sections in the styles of Google and NumPy.

/// The content of a docstring section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SectionKind {
    /// Names, each with a type and a text.
    Named(&'static str),
    /// One text, possibly with a type before it.
    Titled(&'static str),
    /// Prose under a title.
    Prose(&'static str),
}

/// The section with a given title.
pub(super) fn section(title: &str) -> Option<SectionKind> {
    use SectionKind::{Named, Prose, Titled};
    Some(match title {
        "Args" | "Arguments" | "Parameters" | "Params" | "Other Parameters" => Named("Parameters"),
        "Keyword Args" | "Keyword Arguments" => Named("Keyword arguments"),
        "Attributes" => Named("Attributes"),
        "Methods" => Named("Methods"),
        "Raises" | "Except" | "Exceptions" => Named("Raises"),
        "Warns" => Named("Warns"),
        "Returns" | "Return" => Titled("Returns"),
        "Yields" | "Yield" => Titled("Yields"),
        "Example" | "Examples" => Prose("Example"),
        "Note" | "Notes" => Prose("Note"),
        "Warning" | "Warnings" => Prose("Warning"),
        "See Also" => Prose("See also"),
        "References" => Prose("References"),
        "Todo" => Prose("To do"),
        _ => return None,
    })
}

/// An entry: its name, type and text.
pub(super) fn entry(line: &str, numpy: bool) -> (&str, Option<&str>, &str) {
    if numpy {
        return match line.split_once(" : ") {
            Some((name, ty)) => (name.trim(), Some(ty.trim()), ""),
            None => (line.trim(), None, ""),
        };
    }
    let mut depth = 0_usize;
    let colon = line.char_indices().find(|(_, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *c == ':' && depth == 0
    });
    let Some((colon, _)) = colon else { return (line.trim(), None, "") };
    let (head, text) = (line[..colon].trim(), line[colon + 1..].trim());
    match head.split_once(" (").and_then(|(name, ty)| Some((name, ty.strip_suffix(')')?))) {
        Some((name, ty)) => (name.trim(), Some(ty), text),
        None => (head, None, text),
    }
}

/// A type at the start of a returns section: `dict[str, int]: How often.`
pub(super) fn leading_type(line: &str) -> Option<(&str, &str)> {
    let (ty, text) = line.split_once(": ").or_else(|| Some((line.strip_suffix(':')?, "")))?;
    let is_type = |c: char| c.is_alphanumeric() || "_.[], |'\"".contains(c);
    let words = ty.split_whitespace().count();
    let fits = !ty.is_empty() && ty.chars().all(is_type);
    (fits && (words == 1 || ty.contains(['[', '|']))).then_some((ty, text))
}
