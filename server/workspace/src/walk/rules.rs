//! What ignore files say: `.gitignore`, `.ignore` and `.git/info/exclude`.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::folder::{Folder, Listing};
use crate::root::FileKind;
use crate::{FilePath, Root, WalkOptions};

/// Largest ignore file that is heeded, in bytes, and the most rules of one.
const LARGEST: u64 = 1 << 20;
const MOST_RULES: usize = 10_000;

/// The rules of one folder, and those of the folders above it.
#[derive(Debug)]
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    /// `.ignore`, which decides before any `.gitignore`.
    ignore: Option<Gitignore>,
    git: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// A repository begins here: git's rules from above do not reach into it.
    repository: bool,
}

impl Rules {
    /// The rules that hold in `folder`, which `listing` is of.
    pub(super) fn of(folder: &Folder, listing: &Listing) -> Option<Arc<Self>> {
        let (mut ignore, mut git, mut repository) = (false, false, false);
        for (name, kind) in listing.entries().filter(|(name, _)| name.first() == Some(&b'.')) {
            match name {
                b".ignore" => ignore = kind == FileKind::File,
                b".gitignore" => git = kind == FileKind::File,
                // A file in a linked worktree or submodule.
                b".git" => repository = matches!(kind, FileKind::File | FileKind::Directory),
                _ => {}
            }
        }
        if !(ignore || git || repository) {
            return folder.rules.clone();
        }
        let read = |is_there: bool, name: &str| {
            let text = if is_there { text_of(folder, name) } else { None };
            text.and_then(|text| parse(folder.relative(), &text))
        };
        let exclude = || {
            let text = text_of(&folder.folder(OsStr::new(".git")).ok()?, "info/exclude")?;
            parse(folder.relative(), &text)
        };
        Some(Arc::new(Self {
            above: folder.rules.clone(),
            ignore: read(ignore, ".ignore"),
            git: read(git, ".gitignore"),
            exclude: if repository { exclude() } else { None },
            repository,
        }))
    }

    /// The rules of the folders above the one at `path`.
    pub(super) fn above(root: &Arc<Root>, path: &Path) -> Option<Arc<Self>> {
        let mut rules = None;
        let mut above: Vec<_> = path.ancestors().skip(1).collect();
        above.reverse();
        let mut listing = Listing::new();
        for place in above {
            let place = FilePath::new(root, place.to_owned());
            let Ok(mut folder) = Folder::open_under(&place, rules.clone()) else { break };
            if folder.list(&mut listing).is_ok() {
                folder.rules = Rules::of(&folder, &listing);
            }
            rules = folder.rules;
        }
        rules
    }

    /// Whether `path`, below the root, is ignored: the innermost rule that speaks of it decides.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let mut levels = std::iter::successors(Some(self), |rules| rules.above.as_deref());
        let said = |rules: &Option<Gitignore>| match rules {
            Some(rules) => verdict(&rules.matched(path, is_folder)),
            None => None,
        };
        if let Some(ignored) = levels.clone().find_map(|level| said(&level.ignore)) {
            return ignored;
        }
        let mut exclude = None;
        for level in levels.by_ref() {
            if let Some(ignored) = said(&level.git) {
                return ignored;
            }
            exclude = level.exclude.as_ref();
            if level.repository {
                break;
            }
        }
        exclude.and_then(|rules| verdict(&rules.matched(path, is_folder))).unwrap_or(false)
    }
}

fn verdict<T>(said: &Match<T>) -> Option<bool> {
    match said {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Whether a walk with these options would pass over `path`, a file, because it or a folder above
/// it is hidden or ignored. The file need not exist.
#[must_use]
pub fn is_left_out(path: &FilePath, start: &FilePath, options: WalkOptions) -> bool {
    let Ok(below) = path.relative.strip_prefix(&start.relative) else { return true };
    if !options.hidden && below.iter().any(|name| name.as_bytes().starts_with(b".")) {
        return true;
    }
    if below.iter().any(|name| name == ".git") {
        return true;
    }
    if options.max_depth.is_some_and(|most| below.iter().count() > most) {
        return true;
    }
    // What an ignore file says is about what stands beside and below it, not above.
    let mut between = path.relative.ancestors().take_while(|place| *place != start.relative);
    let mut is_folder = false;
    !options.no_ignore
        && between.any(|place| {
            let is_folder = std::mem::replace(&mut is_folder, true);
            Rules::above(&path.root, place).is_some_and(|rules| rules.ignore(place, is_folder))
        })
}

/// The text of an ignore file.
fn text_of(folder: &Folder, name: &str) -> Option<Vec<u8>> {
    let (file, size) = match name.split_once('/') {
        Some((inner, name)) => {
            folder.folder(OsStr::new(inner)).ok()?.open_regular(name.as_bytes()).ok()?
        }
        None => folder.open_regular(name.as_bytes()).ok()?,
    };
    if size > LARGEST {
        return None;
    }
    let mut text = Vec::new();
    file.take(LARGEST).read_to_end(&mut text).ok()?;
    Some(text)
}

/// The rules that an ignore file in the folder at `place` spells.
fn parse(place: &[u8], text: &[u8]) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(OsStr::from_bytes(place));
    let text = String::from_utf8_lossy(text);
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    // git matches nothing by a class without end.
    builder.allow_unclosed_class(false);
    let mut rules = 0;
    for line in text.lines() {
        // A line that is no pattern is passed over, as git does.
        rules += usize::from(builder.add_line(None, &without_alternatives(line)).is_ok());
        if rules > MOST_RULES {
            break;
        }
    }
    if rules > 0 { builder.build().ok() } else { None }
}

/// The same pattern with braces taken as they are: git has no alternatives.
fn without_alternatives(line: &str) -> Cow<'_, str> {
    if !line.contains(['{', '}']) {
        return Cow::Borrowed(line);
    }
    let (mut plain, mut is_escaped, mut is_class) = (String::new(), false, false);
    for c in line.chars() {
        if matches!(c, '{' | '}') && !is_escaped && !is_class {
            plain.push('\\');
        }
        match c {
            '[' if !is_escaped => is_class = true,
            ']' => is_class = false,
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
        plain.push(c);
    }
    Cow::Owned(plain)
}
