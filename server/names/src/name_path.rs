//! Definitions by name paths: `Class/method`, as people and agents speak of them.

use std::ops::Range;

use crate::facts::{Facts, NONE};
use crate::fuzzy::{HELD_ANYWHERE, mask};
use crate::index::{FileId, Index};
use crate::spelling::Spelling;
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Names from the outermost to the innermost, which a definition's own path has to end with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePath {
    parts: Vec<String>,
    whole: bool,
    substring: bool,
}

/// A definition of a file that one can speak of, with all that it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSymbol {
    /// Its name.
    pub name: String,
    /// The names of what it stands in, the outermost first, and its own.
    pub path: Vec<String>,
    /// What it is.
    pub kind: DefinitionKind,
    /// The bytes of its definition's node.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
}

/// Deepest path.
const DEEPEST: usize = 32;
/// Most files that are looked into for one question.
const MOST_FILES: usize = 4_000;

impl NamePath {
    /// The names, from the outside in.
    #[must_use]
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// Whether the last name may be a part of a definition's name.
    #[must_use]
    pub fn is_substring(&self) -> bool {
        self.substring
    }

    /// Reads `Class/method`, `/Class` (nothing around it), or `Class.method` and `Class::method`.
    /// `substring` lets the last name be a part of a definition's name. `None` where it is empty.
    #[must_use]
    pub fn parse(written: &str, substring: bool) -> Option<Self> {
        let whole = written.starts_with('/');
        let written = written.trim_matches('/').trim();
        let separator = match written {
            path if path.contains('/') => "/",
            path if path.contains("::") => "::",
            _ => ".",
        };
        let parts: Vec<_> = written.split(separator).map(|part| part.trim().to_owned()).collect();
        let named = parts.len() <= DEEPEST && parts.iter().all(|part| !part.is_empty());
        named.then_some(Self { parts, whole, substring })
    }

    /// The innermost name.
    #[must_use]
    pub fn last(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// Whether a definition with this path is meant.
    #[must_use]
    pub fn fits(&self, path: &[String]) -> bool {
        let enough = path.len() == self.parts.len() || !self.whole && path.len() > self.parts.len();
        if !enough {
            return false;
        }
        let mut pairs = path.iter().rev().zip(self.parts.iter().rev());
        let last = pairs.next().is_some_and(|(name, wanted)| self.fits_last(name, wanted));
        last && pairs.all(|(name, wanted)| name == wanted)
    }

    /// Whether a definition with this path is meant, and nothing is around it.
    #[must_use]
    pub fn is_whole(&self, path: &[String]) -> bool {
        path.len() == self.parts.len() && self.fits(path)
    }

    fn fits_last(&self, name: &str, wanted: &str) -> bool {
        if self.substring { name.contains(wanted) } else { name == wanted }
    }
}

impl Facts {
    /// The definitions that one can speak of, in order of place: no parameters and imports, and of
    /// what functions hold only types and other functions. O(definitions).
    #[must_use]
    pub fn symbols(&self) -> Vec<FileSymbol> {
        let mut symbols: Vec<FileSymbol> = Vec::new();
        for &d in self.by_place.iter() {
            if let Some(symbol) = self.symbol(d) {
                let attribute = self.definitions[d as usize].flags.has(Flags::INSTANCE);
                // An attribute is made once, and set often.
                if !attribute || !symbols.iter().any(|s| s.path == symbol.path) {
                    symbols.push(symbol);
                }
            }
        }
        symbols
    }

    /// Whether definitions, by where their names start, are one symbol: the signatures of a function,
    /// an interface and what it merges with, forms for several builds. Overloads of Java and C++ are
    /// symbols of their own.
    #[must_use]
    pub fn are_one_symbol(&self, names: &[usize]) -> bool {
        let separate = matches!(self.language.id(), "java" | "cpp");
        let definition = |start: &usize| {
            let all = self.by_place.iter().filter(|d| **d != 0);
            all.map(|d| &self.definitions[*d as usize]).find(|d| d.name_start as usize == *start)
        };
        let mut all = names.iter().map(definition);
        let Some(Some(first)) = all.next() else { return false };
        all.all(|other| {
            other.is_some_and(|other| {
                let overloads = separate && first.kind.is_callable() && other.kind.is_callable();
                other.name == first.name && other.scope == first.scope && !overloads
            })
        })
    }

    fn symbol(&self, d: u32) -> Option<FileSymbol> {
        use DefinitionKind as K;
        let def = &self.definitions[d as usize];
        let unspoken = matches!(def.kind, K::Import | K::Parameter | K::TypeParameter | K::Label);
        if d == 0 || unspoken || def.name_start >= def.name_end || def.flags.has(Flags::HIDDEN) {
            return None;
        }
        let holds = def.kind.is_type() || def.kind.is_callable();
        if !holds && !self.is_outermost(d) {
            return None;
        }
        let path = self.path_of(d);
        Some(FileSymbol {
            name: path.last()?.clone(),
            path,
            kind: def.kind,
            span: def.start as usize..def.end as usize,
            name_span: def.name_start as usize..def.name_end as usize,
        })
    }

    /// The names of what a definition stands in, and its own.
    fn path_of(&self, d: u32) -> Vec<String> {
        let def = &self.definitions[d as usize];
        let mut path = vec![self.strings.text(def.name).to_owned()];
        let mut number = def.scope;
        while let Some(scope) = self.scopes.get(number as usize)
            && path.len() < DEEPEST
        {
            number = scope.parent;
            if scope.kind == ScopeKind::Extension {
                let extension = self.extensions.iter().find(|e| {
                    self.scopes.get(e.scope as usize).is_some_and(|s| std::ptr::eq(s, scope))
                });
                path.extend(extension.map(|e| self.strings.text(e.name).to_owned()));
            } else if scope.owner != NONE && scope.owner != 0 && scope.owner != d {
                let owner = &self.definitions[scope.owner as usize];
                path.push(self.strings.text(owner.name).to_owned());
                // What stands in itself stands nowhere.
                if owner.scope < number || owner.scope == scope.parent {
                    number = owner.scope;
                }
            }
        }
        path.reverse();
        path
    }
}

impl Index {
    /// The files that may hold what a name path means, in order of their paths, as far as `wanted`
    /// lets them. O(names) for a part of a name, else what it gives.
    pub fn files_with_symbol(
        &self,
        path: &NamePath,
        wanted: impl Fn(FileId, &str) -> bool,
    ) -> Vec<FileId> {
        let last = path.last();
        let mut files: Vec<FileId> = Vec::new();
        if path.substring {
            let letters = mask(last) & HELD_ANYWHERE;
            for (row, &known) in self.names.masks().iter().enumerate() {
                let name = self.names.name(row);
                if known & letters == letters && name.contains(last) {
                    files.extend(self.names.get(name).into_iter().flat_map(|p| p.defined.iter()));
                }
            }
        } else if let Some(postings) = self.names.get(last) {
            files.extend(postings.defined.iter());
            // What stands in a function is defined for nobody else.
            if postings.used.len() <= MOST_FILES {
                files.extend(postings.used.iter());
            }
        }
        let path_of = |file: &FileId| self.files.get(file).map_or("", |entry| &*entry.path);
        files.sort_unstable_by(|a, b| path_of(a).cmp(path_of(b)).then(a.cmp(b)));
        files.dedup();
        files.retain(|file| !self.is_library(*file) && wanted(*file, path_of(file)));
        files.truncate(MOST_FILES);
        files
    }

    /// The definitions of a file that a name path means, in order of place.
    #[must_use]
    pub fn symbols_at(&self, file: FileId, path: &NamePath) -> Vec<FileSymbol> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let all: Box<dyn Iterator<Item = u32> + '_> = match facts.strings.find(path.last()) {
            _ if path.substring => Box::new(facts.by_place.iter().copied()),
            Some(name) => Box::new(facts.named(name).iter().copied()),
            None => return Vec::new(),
        };
        let mut found: Vec<_> =
            all.filter_map(|d| facts.symbol(d)).filter(|s| path.fits(&s.path)).collect();
        found.sort_by_key(|s| s.name_span.start);
        let mut attributes: Vec<Vec<String>> = Vec::new();
        found.retain(|symbol| {
            let again = symbol.kind == DefinitionKind::Field && attributes.contains(&symbol.path);
            attributes.push(symbol.path.clone());
            !again
        });
        found
    }

    /// Defined names that are spelled much like one, the nearest first. O(names).
    #[must_use]
    pub fn names_near(&self, name: &str, limit: usize) -> Vec<&str> {
        let spelling = Spelling::new(name);
        let mut near: Vec<(usize, &str)> = Vec::new();
        for (row, &letters) in self.names.masks().iter().enumerate() {
            let other = self.names.name(row);
            if letters != 0
                && let Some(distance) = spelling.distance_with(other, letters)
            {
                near.push((distance, other));
            }
        }
        near.sort_unstable();
        near.into_iter().take(limit).map(|(_, name)| name).collect()
    }
}
