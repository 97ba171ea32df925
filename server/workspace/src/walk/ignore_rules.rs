//! The rules of ignore files: `.gitignore`, `.ignore` and `.git/info/exclude`.

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

/// Size limit of an ignore file in bytes, and the maximum number of its rules.
const MAX_IGNORE_FILE_BYTES: u64 = 1 << 20;
const MAX_RULES: usize = 10_000;

/// The rules of a folder and its parent folders.
#[derive(Debug)]
pub(super) struct IgnoreRules {
    above: Option<Arc<IgnoreRules>>,
    /// `.ignore`, which takes precedence over every `.gitignore`.
    ignore: Option<Gitignore>,
    git: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// Whether a repository begins here: git's rules of parent folders do not apply inside it.
    is_repository: bool,
}

impl IgnoreRules {
    /// The rules of `folder`, whose entries are in `listing`.
    pub(super) fn for_folder(folder: &Folder, listing: &Listing) -> Option<Arc<Self>> {
        let (mut ignore, mut git, mut is_repository) = (false, false, false);
        for (name, kind) in listing.entries().filter(|(name, _)| name.first() == Some(&b'.')) {
            match name {
                b".ignore" => ignore = kind == FileKind::File,
                b".gitignore" => git = kind == FileKind::File,
                // `.git` is a file in a linked worktree or a submodule.
                b".git" => is_repository = matches!(kind, FileKind::File | FileKind::Directory),
                _ => {}
            }
        }
        if !(ignore || git || is_repository) {
            return folder.rules.clone();
        }
        let read = |is_there: bool, name: &str| {
            let text = if is_there { text_of(folder, name) } else { None };
            text.and_then(|text| parse_rules(folder.relative(), &text))
        };
        let exclude = || {
            let text = text_of(&folder.folder(OsStr::new(".git")).ok()?, "info/exclude")?;
            parse_rules(folder.relative(), &text)
        };
        Some(Arc::new(Self {
            above: folder.rules.clone(),
            ignore: read(ignore, ".ignore"),
            git: read(git, ".gitignore"),
            exclude: if is_repository { exclude() } else { None },
            is_repository,
        }))
    }

    /// The rules of the parent folders of `path`.
    pub(super) fn above(root: &Arc<Root>, path: &Path) -> Option<Arc<Self>> {
        let mut rules = None;
        let mut above: Vec<_> = path.ancestors().skip(1).collect();
        above.reverse();
        let mut listing = Listing::new();
        for ancestor in above {
            let ancestor = FilePath::new(root, ancestor.to_owned());
            let Ok(mut folder) = Folder::open_under(&ancestor, rules.clone()) else { break };
            if folder.list(&mut listing).is_ok() {
                folder.rules = IgnoreRules::for_folder(&folder, &listing);
            }
            rules = folder.rules;
        }
        rules
    }

    /// Whether `path`, below the root, is ignored: the innermost matching rule decides.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let mut levels = std::iter::successors(Some(self), |rules| rules.above.as_deref());
        let matched = |rules: &Option<Gitignore>| match rules {
            Some(rules) => verdict(&rules.matched(path, is_folder)),
            None => None,
        };
        // As in ripgrep, `.ignore` files of all levels precede `.gitignore` files, and a
        // `.gitignore` outside the repository does not apply. `.git/info/exclude` comes last.
        if let Some(ignored) = levels.clone().find_map(|level| matched(&level.ignore)) {
            return ignored;
        }
        let mut exclude = None;
        for level in levels.by_ref() {
            if let Some(ignored) = matched(&level.git) {
                return ignored;
            }
            exclude = level.exclude.as_ref();
            if level.is_repository {
                break;
            }
        }
        exclude.and_then(|rules| verdict(&rules.matched(path, is_folder))).unwrap_or(false)
    }
}

fn verdict<T>(matched: &Match<T>) -> Option<bool> {
    match matched {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Whether a walk with these options would skip the file `path`, because it or a parent folder is
/// hidden or ignored. The file need not exist.
#[must_use]
pub fn is_excluded_from_walk(path: &FilePath, start: &FilePath, options: WalkOptions) -> bool {
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
    // An ignore file applies beside and below itself, so check each level with the rules above it.
    let mut between = path.relative.ancestors().take_while(|ancestor| *ancestor != start.relative);
    let mut is_folder = false;
    !options.no_ignore
        && between.any(|ancestor| {
            let is_folder = std::mem::replace(&mut is_folder, true);
            IgnoreRules::above(&path.root, ancestor)
                .is_some_and(|rules| rules.ignore(ancestor, is_folder))
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
    if size > MAX_IGNORE_FILE_BYTES {
        return None;
    }
    let mut text = Vec::new();
    file.take(MAX_IGNORE_FILE_BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}

/// Parses an ignore file of `folder`, a path below the root.
fn parse_rules(folder: &[u8], text: &[u8]) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(OsStr::from_bytes(folder));
    let text = String::from_utf8_lossy(text);
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    // In git, an unclosed character class matches nothing.
    builder.allow_unclosed_class(false);
    let mut rules = 0;
    for line in text.lines() {
        // Invalid patterns are skipped, as in git.
        rules += usize::from(builder.add_line(None, &escape_braces(line)).is_ok());
        if rules > MAX_RULES {
            break;
        }
    }
    if rules > 0 { builder.build().ok() } else { None }
}

/// Escapes braces in a pattern: git has no alternatives.
fn escape_braces(line: &str) -> Cow<'_, str> {
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
