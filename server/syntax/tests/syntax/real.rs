//! Real files of public packages, which `cargo xtask setup` downloads: `TANDEM_SAMPLES` names their
//! list. `cargo xtask test --languages` makes a thousand edits to each.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syntax::Language;

use crate::incremental::{cases, random_edits};

/// Longest text that is edited, in bytes: longer ones are cut at the end of a line.
const LONGEST: usize = 6_000;

/// The longest file of each language.
fn files() -> Option<BTreeMap<&'static str, (Language, PathBuf, String)>> {
    let list = PathBuf::from(std::env::var_os("TANDEM_SAMPLES")?);
    let folder = list.parent().unwrap_or(Path::new(""));
    let mut files: BTreeMap<_, (Language, PathBuf, String)> = BTreeMap::new();
    for path in std::fs::read_to_string(&list).unwrap().lines() {
        let Ok(source) = std::fs::read_to_string(folder.join(path)) else { continue };
        let name = path.rsplit('/').next().unwrap_or_default();
        let Some(language) = Language::detect(name, &source) else { continue };
        let known = files.get(language.id());
        if known.is_none_or(|(_, _, known)| known.len() < source.len()) {
            files.insert(language.id(), (language, path.into(), source));
        }
    }
    Some(files)
}

#[test]
fn random_edits_of_real_files() {
    let Some(files) = files() else { return };
    assert!(files.len() > 30, "files of {} languages", files.len());
    let cases = cases(6);
    let mut wrong = Vec::new();
    for (language, path, mut source) in files.into_values() {
        let cut = source.floor_char_boundary(LONGEST);
        source.truncate(source[..cut].rfind('\n').filter(|_| cut < source.len()).unwrap_or(cut));
        let found = random_edits(language, &source, cases);
        println!("{}: {cases} edits of {}, {} wrong", language.id(), path.display(), found.len());
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong[0]);
}
