//! Imports that give a definition another name, and the way from a name through imports.

use rustc_hash::FxHashSet;

use super::{DefId, Found, Resolver};
use crate::expression::{Expression, Value};
use crate::facts::NONE;
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

/// Most imports on the way from a name to its definition.
const CHAIN: usize = 64;

/// Most names and places of one search for aliases.
const ALIASES: usize = 2_000;

/// A name to search for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Alias {
    pub(super) name: String,
    /// The only file that can use it; `None` for all files that hold it.
    pub(super) file: Option<FileId>,
}

/// The names of a definition that are still to be searched for.
#[derive(Default)]
pub(super) struct Aliases {
    open: Vec<Alias>,
    seen: FxHashSet<Alias>,
}

impl Aliases {
    pub(super) fn push(&mut self, name: &str, file: Option<FileId>) {
        let everywhere = Alias { name: name.to_owned(), file: None };
        if self.seen.len() >= ALIASES || self.seen.contains(&everywhere) {
            return;
        }
        let alias = Alias { file, ..everywhere };
        if self.seen.insert(alias.clone()) {
            self.open.push(alias);
        }
    }

    /// A name that has been searched for in other ways.
    pub(super) fn skip(&mut self, name: &str) {
        self.seen.insert(Alias { name: name.to_owned(), file: None });
    }

    pub(super) fn pop(&mut self) -> Option<Alias> {
        self.open.pop()
    }
}

impl Resolver<'_> {
    /// Adds the names that imports and exports of a file give to what `name` means there. `used`
    /// are the references of that name that lead to it.
    pub(super) fn aliases_of(
        &self,
        file: FileId,
        name: u32,
        used: &FxHashSet<u32>,
        wanted: &FxHashSet<DefId>,
        aliases: &mut Aliases,
    ) {
        let facts = self.facts(file);
        for (d, def) in facts.definitions.iter().enumerate() {
            let id = DefId { file, def: d as u32 };
            if def.kind != DefinitionKind::Import && !self.is_followed_variable(id, def) {
                continue;
            }
            let leads = || {
                self.refresh();
                let led = self.follow(Found { id, origin: Origin::SameFile });
                led.iter().any(|f| wanted.contains(&f.id))
            };
            let named = match self.bare(file, def.value) {
                value if value.as_reference().is_some() => {
                    value.as_reference().is_some_and(|r| used.contains(&r))
                }
                value => match self.expression(file, value) {
                    Some(Expression::Field(_, field)) => field == name && leads(),
                    Some(Expression::Defined(def)) => wanted.contains(&DefId { file, def }),
                    _ => false,
                },
            };
            if named {
                let everywhere = self.is_importable(id);
                aliases.push(facts.strings.text(def.name), (!everywhere).then_some(file));
            }
        }
    }

    /// Whether other files can take a name from the file that imports it.
    pub(crate) fn is_importable(&self, import: DefId) -> bool {
        let def = self.def(import);
        match self.language(import.file) {
            "typescript" | "tsx" | "javascript" => def.flags.has(Flags::EXPORTED),
            "python" | "rust" => self.facts(import.file).is_reachable(import.def),
            _ => false,
        }
    }

    /// Whether one of `wanted` is what a name means, or an import on the way from it.
    pub(crate) fn leads_through(&self, found: &[Found], wanted: &FxHashSet<DefId>) -> bool {
        let mut open: Vec<DefId> = found.iter().map(|f| f.id).collect();
        let mut seen = FxHashSet::default();
        while let Some(id) = open.pop() {
            if wanted.contains(&id) {
                return true;
            }
            if seen.len() < CHAIN && seen.insert(id) {
                open.extend(self.imported_from(id).into_iter().map(|f| f.id));
            }
        }
        false
    }

    /// What an import names, which may be another import. Nothing for other definitions.
    pub(crate) fn imported_from(&self, id: DefId) -> Vec<Found> {
        let def = self.def(id);
        if def.kind != DefinitionKind::Import {
            return Vec::new();
        }
        let value = self.bare(id.file, def.value);
        if let Some(r) = value.as_reference() {
            return self.unfollowed(id.file, r);
        }
        match self.expression(id.file, value) {
            Some(Expression::Field(object, name)) => {
                let ty = self.eval(id.file, object);
                let name = self.facts(id.file).strings.text(name);
                self.members(&ty, name, Namespace::ANY)
            }
            Some(Expression::Defined(def)) if def != NONE => {
                vec![Found { id: DefId { file: id.file, def }, origin: Origin::SameFile }]
            }
            _ => Vec::new(),
        }
    }

    /// A value without what only repeats it.
    fn bare(&self, file: FileId, mut value: Value) -> Value {
        for _ in 0..CHAIN {
            match self.expression(file, value) {
                Some(Expression::Same(inner)) => value = inner,
                _ => break,
            }
        }
        value
    }
}
