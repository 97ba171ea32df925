//! Rustdoc: Markdown with hidden code lines and intra-doc links.

use super::inline::{code_span, code_span_length, find_close};

/// Renders a Rustdoc text.
pub(super) fn render(text: &str) -> String {
    let defined = definitions(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut fence: Option<Fence> = None;
    let mut prose = String::new();
    for line in text.lines() {
        if let Some(open) = &fence {
            if open.closes(line) {
                out.push_str(line);
                out.push('\n');
                fence = None;
            } else if let Some(shown) = open.shown(line) {
                out.push_str(&shown);
                out.push('\n');
            }
            continue;
        }
        if let Some((opened, shown)) = Fence::open(line) {
            prose_to(&mut prose, &mut out, &defined);
            out.push_str(&shown);
            out.push('\n');
            fence = Some(opened);
            continue;
        }
        let web = definition(line).is_some_and(|(_, target)| is_web(target));
        if definition(line).is_some() && !web {
            // Definitions of intra-doc link targets are not shown.
            continue;
        }
        prose.push_str(line);
        prose.push('\n');
    }
    prose_to(&mut prose, &mut out, &defined);
    if let Some(open) = fence {
        out.push_str(&open.mark);
    }
    out.truncate(out.trim_end().len());
    out
}

fn prose_to(prose: &mut String, out: &mut String, defined: &[&str]) {
    links(prose, out, defined);
    prose.clear();
}

/// An open code block.
struct Fence {
    mark: String,
    rust: bool,
}

impl Fence {
    /// The block that a line opens, and the line to show.
    fn open(line: &str) -> Option<(Fence, String)> {
        let stands = line.len() - line.trim_start().len();
        let text = line.trim();
        let c = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let run = text.chars().take_while(|o| *o == c).count();
        let info = text[run..].trim();
        if run < 3 || info.contains('`') {
            return None;
        }
        // Test attributes imply Rust, but are no language to highlight.
        let tested = |word: &str| {
            matches!(
                word,
                "rust"
                    | "should_panic"
                    | "no_run"
                    | "ignore"
                    | "compile_fail"
                    | "standalone"
                    | "standalone_crate"
                    | "test_harness"
                    | "allow_fail"
            ) || word.starts_with("edition")
                || word.starts_with("ignore-")
                || is_error_code(word)
        };
        let words = info.split([',', ' ', '\t']).map(str::trim).filter(|w| !w.is_empty());
        let rust = words.clone().all(tested);
        let language = if rust { "rust" } else { words.clone().next().unwrap_or("") };
        let mark = text[..run].to_owned();
        let shown = format!("{}{mark}{language}", &line[..stands]);
        Some((Fence { mark, rust }, shown))
    }

    fn closes(&self, line: &str) -> bool {
        let line = line.trim();
        line.starts_with(&self.mark) && line.chars().all(|c| self.mark.starts_with(c))
    }

    /// A line as it is shown; `None` if it is hidden.
    fn shown(&self, line: &str) -> Option<String> {
        if !self.rust {
            return Some(line.to_owned());
        }
        let text = line.trim_start();
        if text == "#" || text.starts_with("# ") {
            return None;
        }
        match text.strip_prefix("##") {
            Some(rest) => Some(format!("{}#{rest}", &line[..line.len() - text.len()])),
            None => Some(line.to_owned()),
        }
    }
}

fn is_error_code(word: &str) -> bool {
    let digits = word.strip_prefix('E');
    digits.is_some_and(|d| d.len() == 4 && d.bytes().all(|b| b.is_ascii_digit()))
}

fn is_web(target: &str) -> bool {
    target.starts_with("http://") || target.starts_with("https://") || target.starts_with('#')
}

/// `[label]: target`.
fn definition(line: &str) -> Option<(&str, &str)> {
    let inside = line.trim_start().strip_prefix('[')?;
    let (label, target) = inside.split_once("]:")?;
    let target = target.trim();
    let one = target.split_whitespace().next().unwrap_or("");
    (!label.is_empty() && !label.contains(']') && !one.is_empty()).then_some((label, one))
}

/// The labels of links to web pages.
fn definitions(text: &str) -> Vec<&str> {
    let all = text.lines().filter_map(definition).filter(|(_, target)| is_web(target));
    all.map(|(label, _)| label).take(200).collect()
}

/// Writes prose; intra-doc links become the names of the items.
fn links(text: &str, out: &mut String, defined: &[&str]) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match c {
            '`' => {
                let end = code_span_length(rest);
                out.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            '\\' => {
                let end = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            '[' => {
                if let Some((shown, behind)) = link(rest, defined) {
                    out.push_str(&shown);
                    rest = behind;
                    continue;
                }
            }
            _ => {}
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
}

/// An intra-doc link at the start of a text: the text shown, and the rest.
fn link<'a>(rest: &'a str, defined: &[&str]) -> Option<(String, &'a str)> {
    let end = label_end(&rest[1..])?;
    let (label, behind) = (&rest[1..=end], &rest[end + 2..]);
    if let Some(inside) = behind.strip_prefix('(') {
        let end = find_close(inside, ")")?;
        let target = inside[..end].trim();
        return (!is_web(target)).then(|| (label.to_owned(), &inside[end + 1..]));
    }
    if let Some(inside) = behind.strip_prefix('[') {
        let end = find_close(inside, "]")?;
        let target = if end == 0 { label } else { &inside[..end] };
        let known = defined.contains(&target);
        return (!known).then(|| (label.to_owned(), &inside[end + 1..]));
    }
    if defined.contains(&label) || behind.starts_with(':') && !label.starts_with('`') {
        return None;
    }
    let bare = label.trim_matches('`');
    let code = label.len() > 1 && label.starts_with('`') && label.ends_with('`');
    if !code && !is_path(bare) {
        return None;
    }
    // A disambiguator: `struct@Name`.
    let name = bare.split_once('@').map_or(bare, |(_, name)| name);
    Some((code_span(name), behind))
}

/// The end of the label whose bracket precedes `rest`; code and brackets in it are skipped.
fn label_end(rest: &str) -> Option<usize> {
    let (mut depth, mut code) = (0_usize, false);
    for (at, c) in rest[..rest.floor_char_boundary(300)].char_indices() {
        match c {
            '`' => code = !code,
            '[' if !code => depth += 1,
            ']' if !code && depth == 0 => return (at > 0).then_some(at),
            ']' if !code => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether a text in brackets is a path: `Vec`, `std::vec::Vec`, `Self::new()`, `vec!`.
fn is_path(text: &str) -> bool {
    let name = text.split_once('@').map_or(text, |(_, name)| name);
    let name = name.strip_suffix("()").or_else(|| name.strip_suffix('!')).unwrap_or(name);
    let part = |part: &str| {
        let starts = part.starts_with(|c: char| c.is_alphabetic() || c == '_');
        starts && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    // `[x]` is a checked box.
    name.len() > 1 && name.split("::").all(part)
}
