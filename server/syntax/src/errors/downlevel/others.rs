//! Languages whose grammars have few gaps.

use memchr::memmem;

use super::DownlevelText;

/// OCaml: `effect` is an identifier, except at the start of an effect pattern.
pub(super) fn ocaml(source: &str) -> Option<String> {
    let mut output = DownlevelText::new(source);
    for (start, end) in words(source, "effect") {
        let before = source[..start].trim_end();
        if !before.ends_with('|') && !before.ends_with("with") {
            output.rename(start, end);
        }
    }
    output.finish()
}

/// Nix: a path in the home folder that starts with an interpolation.
pub(super) fn nix(source: &str) -> Option<String> {
    let mut output = DownlevelText::new(source);
    for at in memmem::find_iter(source.as_bytes(), "~/${") {
        output.replace(at, at + 1, ".");
    }
    output.finish()
}

/// Ruby: a method called `self`, an endless method that calls a command without parentheses, and
/// the data after `__END__`.
pub(super) fn ruby(source: &str) -> Option<String> {
    let mut output = DownlevelText::new(source);
    for (start, end) in words(source, "self") {
        let ends = source[end..].trim_start_matches([' ', '\t', '\r']).starts_with(['\n', ';']);
        if ends && source[..start].trim_end().ends_with("def") {
            output.rename(start, end);
        }
    }
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        if line.trim_end() == "__END__" {
            output.blank(at, source.len());
            break;
        }
        if let Some(arguments) = command_arguments(line) {
            output.blank(at + arguments, at + line.trim_end().len());
        }
        at += line.len();
    }
    output.finish()
}

/// The start of the arguments in `def name = command arguments`, which end with the line.
fn command_arguments(line: &str) -> Option<usize> {
    let define = line.find("def ")?;
    let sign = define + line[define..].find(" = ")? + 3;
    let command = line[sign..].trim_start();
    let length =
        command.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '?' | '!')))?;
    let arguments = command[length..].strip_prefix(' ')?;
    let first = arguments.split_whitespace().next()?;
    let goes_on = arguments.trim_end().ends_with([',', '{', '(', '[', '|', '\\'])
        || arguments.trim_end().ends_with(" do");
    let is_word =
        !matches!(first, "and" | "or" | "if" | "unless" | "rescue" | "while" | "do" | "in");
    let begins = first.starts_with(|c: char| c.is_alphanumeric() || "\"':@$_".contains(c));
    (length > 0 && is_word && begins && !goes_on).then(|| line.len() - arguments.len())
}

/// XML: non-ASCII letters in names, CDATA sections, processing instructions, and the internal
/// subset of a DOCTYPE, which may contain arbitrary parameter entities.
pub(super) fn xml(source: &str) -> Option<String> {
    let mut output = DownlevelText::new(source);
    for (at, letter) in source.char_indices().filter(|(_, c)| !c.is_ascii()) {
        // Names may contain nearly all letters.
        output.rename(at, at + letter.len_utf8());
    }
    for at in memmem::find_iter(source.as_bytes(), "<![CDATA[") {
        if let Some(length) = source[at..].find("]]>") {
            output.blank(at, at + length + 3);
        }
    }
    for at in memmem::find_iter(source.as_bytes(), "<?") {
        let instruction = !source[at..].starts_with("<?xml ");
        if let Some(length) = source[at..].find("?>").filter(|_| instruction) {
            output.blank(at, at + length + 2);
        }
    }
    if let Some(start) = source.find("<!DOCTYPE")
        && let Some(open) = source[start..].find(['[', '>']).map(|n| start + n)
        && source[open..].starts_with('[')
        && let Some(close) = declarations_end(source, open)
    {
        output.blank(open, close + 1);
    }
    output.finish()
}

/// The bracket that closes the internal subset of a DOCTYPE.
fn declarations_end(source: &str, open: usize) -> Option<usize> {
    source[open..].match_indices(']').map(|(at, _)| open + at).find(|&close| {
        let inside = &source[open..close];
        source[close + 1..].trim_start().starts_with('>')
            && inside.matches("<!--").count() == inside.matches("-->").count()
            && inside.matches('"').count().is_multiple_of(2)
    })
}

/// The positions of a whole word.
fn words(source: &str, word: &'static str) -> impl Iterator<Item = (usize, usize)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    source.match_indices(word).map(|(at, word)| (at, at + word.len())).filter(
        move |&(start, end)| {
            !source[..start].ends_with(is_part) && !source[end..].starts_with(is_part)
        },
    )
}
