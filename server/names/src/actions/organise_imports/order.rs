//! The order of names and paths.

/// A sort key in which digits compare as numbers.
pub(super) fn natural_key(name: &str) -> String {
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

/// A component of a Rust import path, in rustfmt's order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::actions) enum PathPart {
    Own,
    Super,
    Crate,
    Name(u8, Vec<NamePart>, Option<String>),
    Glob,
    List(Vec<Vec<PathPart>>),
}

/// A part of a name that is compared as a unit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::actions) enum NamePart {
    Underscore,
    Text(String),
}

/// The sort key of a Rust import path. `edition_2024` selects the style of that edition.
pub(in crate::actions) fn use_path(path: &str, edition_2024: bool) -> Vec<PathPart> {
    let path = path.trim().trim_start_matches("::");
    if let Some(list) = path.strip_prefix('{') {
        let list = list.strip_suffix('}').unwrap_or(list);
        let items = split_list(list).into_iter().filter(|i| !i.trim().is_empty());
        return vec![PathPart::List(items.map(|i| use_path(i, edition_2024)).collect())];
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
        "self" => PathPart::Own,
        "super" => PathPart::Super,
        "crate" => PathPart::Crate,
        "*" => PathPart::Glob,
        _ if edition_2024 => PathPart::Name(0, name_parts(name.trim_start_matches("r#")), alias),
        _ => PathPart::Name(case_rank(name), vec![NamePart::Text(name.to_owned())], alias),
    };
    let mut all = vec![part];
    all.extend(rest.into_iter().flat_map(|rest| use_path(rest, edition_2024)));
    all
}

/// The items of a comma-separated list; nested braces stay whole.
pub(in crate::actions) fn split_list(list: &str) -> Vec<&str> {
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

/// 0 for `snake_case`, 1 for `CamelCase`, 2 for `SCREAMING_CASE`.
fn case_rank(name: &str) -> u8 {
    let screaming = |c: char| c.is_uppercase() || c == '_' || c.is_numeric();
    match name.starts_with(char::is_uppercase) {
        _ if name.chars().all(screaming) => 2,
        true => 1,
        false => 0,
    }
}

fn name_parts(name: &str) -> Vec<NamePart> {
    let mut all = Vec::new();
    let mut text = String::new();
    let mut digit = false;
    for c in name.chars() {
        if !text.is_empty() && (c == '_' || c.is_ascii_digit() != digit) {
            all.push(NamePart::Text(natural_key(&std::mem::take(&mut text))));
        }
        digit = c.is_ascii_digit();
        if c == '_' {
            all.push(NamePart::Underscore);
        } else {
            text.push(c);
        }
    }
    if !text.is_empty() {
        all.push(NamePart::Text(natural_key(&text)));
    }
    all
}
