//! Name paths such as `Class/method`, by which people and agents refer to definitions.

use std::ops::Range;

use crate::facts::{Facts, NONE};
use crate::fuzzy::{ANYWHERE_BITS, letter_mask};
use crate::index::{FileId, Index};
use crate::spelling::NameSimilarity;
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Names from the outermost to the innermost. A definition matches if its own path ends with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePath {
    parts: Vec<String>,
    is_absolute: bool,
    substring: bool,
}

/// A definition of a file with its name path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSymbol {
    /// Its name.
    pub name: String,
    /// Its name path: the names of its containers, the outermost first, and its own.
    pub path: Vec<String>,
    /// The kind of definition.
    pub kind: DefinitionKind,
    /// The bytes of its definition's node.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
}

/// Limit for the length of a path.
const MAX_DEPTH: usize = 32;
/// Limit for the files that one query reads.
const MAX_FILES: usize = 4_000;

impl NamePath {
    /// The names, the outermost first.
    #[must_use]
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// Whether the last name matches as a substring.
    #[must_use]
    pub fn is_substring(&self) -> bool {
        self.substring
    }

    /// Parses `Class/method`, `/Class` (top level only), `Class.method` or `Class::method`. If
    /// `substring`, the last name matches parts of names. `None` if empty.
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
        let named = parts.len() <= MAX_DEPTH && parts.iter().all(|part| !part.is_empty());
        named.then_some(Self { parts, is_absolute: whole, substring })
    }

    /// The innermost name.
    #[must_use]
    pub fn last(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// Whether a definition with this path matches.
    #[must_use]
    pub fn matches(&self, path: &[String]) -> bool {
        let enough =
            path.len() == self.parts.len() || !self.is_absolute && path.len() > self.parts.len();
        if !enough {
            return false;
        }
        let mut pairs = path.iter().rev().zip(self.parts.iter().rev());
        let last = pairs.next().is_some_and(|(name, part)| self.fits_last(name, part));
        last && pairs.all(|(name, part)| name == part)
    }

    /// Whether a top-level definition with this path matches.
    #[must_use]
    pub fn matches_top_level(&self, path: &[String]) -> bool {
        path.len() == self.parts.len() && self.matches(path)
    }

    fn fits_last(&self, name: &str, part: &str) -> bool {
        if self.substring { name.contains(part) } else { name == part }
    }
}

impl Facts {
    /// The definitions that have a name path, in order. Parameters and imports have none; of local
    /// definitions, only types and functions have one. O(definitions).
    #[must_use]
    pub fn symbols(&self) -> Vec<FileSymbol> {
        let mut symbols: Vec<FileSymbol> = Vec::new();
        for &d in self.by_place.iter() {
            if let Some(symbol) = self.symbol(d) {
                let attribute = self.definitions[d as usize].flags.has(Flags::INSTANCE);
                // A Python attribute counts once, though it is assigned often.
                if !attribute || !symbols.iter().any(|s| s.path == symbol.path) {
                    symbols.push(symbol);
                }
            }
        }
        symbols
    }

    /// Whether definitions, given by the start offsets of their names, are one symbol: the
    /// signatures of a function, merged interfaces, variants for several builds. Overloads of Java
    /// and C++ are separate symbols.
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
        let has_no_path =
            matches!(def.kind, K::Import | K::Parameter | K::TypeParameter | K::Label);
        if d == 0 || has_no_path || def.name_start >= def.name_end || def.flags.has(Flags::HIDDEN) {
            return None;
        }
        let is_container = def.kind.is_type() || def.kind.is_callable();
        if !is_container && !self.is_outermost(d) {
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

    /// The name path of a definition.
    fn path_of(&self, d: u32) -> Vec<String> {
        let def = &self.definitions[d as usize];
        let mut path = vec![self.strings.text(def.name).to_owned()];
        let mut number = def.scope;
        while let Some(scope) = self.scopes.get(number as usize)
            && path.len() < MAX_DEPTH
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
                // Guards against a definition that contains itself.
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
    /// The files that may contain a match, sorted by path, if `is_wanted` accepts them. O(names)
    /// for substrings, otherwise O(matches).
    pub fn files_with_symbol(
        &self,
        path: &NamePath,
        is_wanted: impl Fn(FileId, &str) -> bool,
    ) -> Vec<FileId> {
        let last = path.last();
        let mut files: Vec<FileId> = Vec::new();
        if path.substring {
            let letters = letter_mask(last) & ANYWHERE_BITS;
            for (row, &known) in self.names.masks().iter().enumerate() {
                let name = self.names.name(row);
                if known & letters == letters && name.contains(last) {
                    files.extend(self.names.get(name).into_iter().flat_map(|p| p.defined.iter()));
                }
            }
        } else if let Some(postings) = self.names.get(last) {
            files.extend(postings.defined.iter());
            // The postings list local definitions only as uses.
            if postings.used.len() <= MAX_FILES {
                files.extend(postings.used.iter());
            }
        }
        let path_of = |file: &FileId| self.files.get(file).map_or("", |entry| &*entry.path);
        files.sort_unstable_by(|a, b| path_of(a).cmp(path_of(b)).then(a.cmp(b)));
        files.dedup();
        files.retain(|file| !self.is_dependency(*file) && is_wanted(*file, path_of(file)));
        files.truncate(MAX_FILES);
        files
    }

    /// The matching definitions of a file, in order.
    #[must_use]
    pub fn symbols_matching(&self, file: FileId, path: &NamePath) -> Vec<FileSymbol> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let all: Box<dyn Iterator<Item = u32> + '_> = match facts.strings.find(path.last()) {
            _ if path.substring => Box::new(facts.by_place.iter().copied()),
            Some(name) => Box::new(facts.definitions_named(name).iter().copied()),
            None => return Vec::new(),
        };
        let mut found: Vec<_> =
            all.filter_map(|d| facts.symbol(d)).filter(|s| path.matches(&s.path)).collect();
        found.sort_by_key(|s| s.name_span.start);
        let mut attributes: Vec<Vec<String>> = Vec::new();
        found.retain(|symbol| {
            let is_repeated =
                symbol.kind == DefinitionKind::Field && attributes.contains(&symbol.path);
            attributes.push(symbol.path.clone());
            !is_repeated
        });
        found
    }

    /// Defined names with a similar spelling, the nearest first. O(names).
    #[must_use]
    pub fn similar_names(&self, name: &str, limit: usize) -> Vec<&str> {
        let spelling = NameSimilarity::new(name);
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
