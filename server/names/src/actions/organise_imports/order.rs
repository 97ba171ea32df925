//! How names and paths follow each other.

/// A name in which numbers count as numbers.
pub(super) fn natural(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut digits = String::new();
    for c in name.chars().chain(['\0']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            out.push_str(&format!("{digits:0>20}"));
            digits.clear();
        }
        if c != '\0' {
            out.push(c);
        }
    }
    out
}

/// A part of the path of a Rust import, in rustfmt's order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::actions) enum Part {
    Own,
    Super,
    Crate,
    Name(u8, Vec<Chunk>, Option<String>),
    Glob,
    List(Vec<Vec<Part>>),
}

/// A stretch of a name that is compared as one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::actions) enum Chunk {
    Underscore,
    Text(String),
}

/// A Rust import as what it is put in order by. `new` is the style of the edition of 2024 and later.
pub(in crate::actions) fn use_path(path: &str, new: bool) -> Vec<Part> {
    let path = path.trim().trim_start_matches("::");
    if let Some(list) = path.strip_prefix('{') {
        let list = list.strip_suffix('}').unwrap_or(list);
        let items = split(list).into_iter().filter(|i| !i.trim().is_empty());
        return vec![Part::List(items.map(|i| use_path(i, new)).collect())];
    }
    let (first, rest) = match path.split_once("::") {
        Some((first, rest)) if !first.contains('{') => (first, Some(rest)),
        _ => (path, None),
    };
    let (name, alias) = match first.split_once(" as ") {
        Some((name, alias)) => (name.trim(), Some(alias.trim().to_owned())),
        None => (first.trim(), None),
    };
    let part = match name {
        "self" => Part::Own,
        "super" => Part::Super,
        "crate" => Part::Crate,
        "*" => Part::Glob,
        _ if new => Part::Name(0, chunks(name.trim_start_matches("r#")), alias),
        _ => Part::Name(case(name), vec![Chunk::Text(name.to_owned())], alias),
    };
    let mut all = vec![part];
    all.extend(rest.into_iter().flat_map(|rest| use_path(rest, new)));
    all
}

/// The items of a list, those in braces whole.
pub(in crate::actions) fn split(list: &str) -> Vec<&str> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                all.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(&list[start..]);
    all
}

/// `snake_case`, then `CamelCase`, then `SCREAMING_CASE`.
fn case(name: &str) -> u8 {
    let screaming = |c: char| c.is_uppercase() || c == '_' || c.is_numeric();
    match name.starts_with(char::is_uppercase) {
        _ if name.chars().all(screaming) => 2,
        true => 1,
        false => 0,
    }
}

fn chunks(name: &str) -> Vec<Chunk> {
    let mut all = Vec::new();
    let mut text = String::new();
    let mut digit = false;
    for c in name.chars() {
        if !text.is_empty() && (c == '_' || c.is_ascii_digit() != digit) {
            all.push(Chunk::Text(natural(&std::mem::take(&mut text))));
        }
        digit = c.is_ascii_digit();
        if c == '_' {
            all.push(Chunk::Underscore);
        } else {
            text.push(c);
        }
    }
    if !text.is_empty() {
        all.push(Chunk::Text(natural(&text)));
    }
    all
}
