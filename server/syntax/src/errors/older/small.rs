//! Languages whose grammars lack little.

use memchr::memmem;

use super::Draft;

/// OCaml: `effect` is a name, except where it begins a pattern of an effect.
pub(super) fn ocaml(source: &str) -> Option<String> {
    let mut draft = Draft::new(source);
    for (start, end) in words(source, "effect") {
        let before = source[..start].trim_end();
        if !before.ends_with('|') && !before.ends_with("with") {
            draft.rename(start, end);
        }
    }
    draft.finish()
}

/// Nix: a path in the home folder that begins with what is put in.
pub(super) fn nix(source: &str) -> Option<String> {
    let mut draft = Draft::new(source);
    for at in memmem::find_iter(source.as_bytes(), "~/${") {
        draft.replace(at, at + 1, ".");
    }
    draft.finish()
}

/// Ruby: a method that is called `self`, one that is a command without brackets, and what stands
/// behind the end of the program.
pub(super) fn ruby(source: &str) -> Option<String> {
    let mut draft = Draft::new(source);
    for (start, end) in words(source, "self") {
        let ends = source[end..].trim_start_matches([' ', '\t', '\r']).starts_with(['\n', ';']);
        if ends && source[..start].trim_end().ends_with("def") {
            draft.rename(start, end);
        }
    }
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        if line.trim_end() == "__END__" {
            draft.blank(at, source.len());
            break;
        }
        if let Some(arguments) = command_arguments(line) {
            draft.blank(at + arguments, at + line.trim_end().len());
        }
        at += line.len();
    }
    draft.finish()
}

/// Where the arguments begin in `def name = command arguments`, which end with the line.
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

/// XML: letters of all scripts in names, sections of characters, instructions, and declarations inside of a document type, which may hold anything
/// that a parameter stands for.
pub(super) fn xml(source: &str) -> Option<String> {
    let mut draft = Draft::new(source);
    for (at, letter) in source.char_indices().filter(|(_, c)| !c.is_ascii()) {
        // Names may hold nearly all letters there are.
        draft.rename(at, at + letter.len_utf8());
    }
    for at in memmem::find_iter(source.as_bytes(), "<![CDATA[") {
        if let Some(length) = source[at..].find("]]>") {
            draft.blank(at, at + length + 3);
        }
    }
    for at in memmem::find_iter(source.as_bytes(), "<?") {
        let instruction = !source[at..].starts_with("<?xml ");
        if let Some(length) = source[at..].find("?>").filter(|_| instruction) {
            draft.blank(at, at + length + 2);
        }
    }
    if let Some(start) = source.find("<!DOCTYPE")
        && let Some(open) = source[start..].find(['[', '>']).map(|n| start + n)
        && source[open..].starts_with('[')
        && let Some(close) = declarations_end(source, open)
    {
        draft.blank(open, close + 1);
    }
    draft.finish()
}

/// The bracket that closes the declarations of a document type.
fn declarations_end(source: &str, open: usize) -> Option<usize> {
    source[open..].match_indices(']').map(|(at, _)| open + at).find(|&close| {
        let inside = &source[open..close];
        source[close + 1..].trim_start().starts_with('>')
            && inside.matches("<!--").count() == inside.matches("-->").count()
            && inside.matches('"').count() % 2 == 0
    })
}

/// Where a word stands by itself.
fn words(source: &str, word: &'static str) -> impl Iterator<Item = (usize, usize)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    source.match_indices(word).map(|(at, word)| (at, at + word.len())).filter(
        move |&(start, end)| {
            !source[..start].ends_with(is_part) && !source[end..].starts_with(is_part)
        },
    )
}
