//! Imports that give a definition another name, and the chain of imports behind a name.

use rustc_hash::FxHashSet;

use super::{DefId, Resolution, Resolver};
use crate::expression::{Expression, Value};
use crate::facts::NONE;
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

/// Limit of the imports between a name and its definition.
const MAX_CHAIN: usize = 64;

/// Limit of the names and files of one alias search.
const MAX_ALIASES: usize = 2_000;

/// A name to search for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Alias {
    pub(super) name: String,
    /// The only file that can use the name; `None` for all files that contain it.
    pub(super) file: Option<FileId>,
}

/// The work list of an alias search.
#[derive(Default)]
pub(super) struct Aliases {
    open: Vec<Alias>,
    seen: FxHashSet<Alias>,
}

impl Aliases {
    pub(super) fn push(&mut self, name: &str, file: Option<FileId>) {
        let everywhere = Alias { name: name.to_owned(), file: None };
        if self.seen.len() >= MAX_ALIASES || self.seen.contains(&everywhere) {
            return;
        }
        let alias = Alias { file, ..everywhere };
        if self.seen.insert(alias.clone()) {
            self.open.push(alias);
        }
    }

    /// Marks a name as searched in all files.
    pub(super) fn skip(&mut self, name: &str) {
        self.seen.insert(Alias { name: name.to_owned(), file: None });
    }

    pub(super) fn pop(&mut self) -> Option<Alias> {
        self.open.pop()
    }
}

impl Resolver<'_> {
    /// Adds the names that a file's imports and exports give to the definitions of `name`. `used`
    /// are the references of that name that resolve to them.
    pub(super) fn collect_aliases(
        &self,
        file: FileId,
        name: u32,
        used: &FxHashSet<u32>,
        symbol: &FxHashSet<DefId>,
        aliases: &mut Aliases,
    ) {
        let facts = self.facts(file);
        for (d, def) in facts.definitions.iter().enumerate() {
            let id = DefId { file, def: d as u32 };
            if def.kind != DefinitionKind::Import && !self.is_followed_variable(id, def) {
                continue;
            }
            let leads = || {
                self.reset_steps();
                let targets = self.follow_import(Resolution { id, origin: Origin::SameFile });
                targets.iter().any(|f| symbol.contains(&f.id))
            };
            let named = match self.unwrap_same(file, def.value) {
                value if value.as_reference().is_some() => {
                    value.as_reference().is_some_and(|r| used.contains(&r))
                }
                value => match self.expression(file, value) {
                    Some(Expression::Field(_, field)) => field == name && leads(),
                    Some(Expression::Defined(def)) => symbol.contains(&DefId { file, def }),
                    _ => false,
                },
            };
            if named {
                let everywhere = self.is_importable(id);
                aliases.push(facts.strings.text(def.name), (!everywhere).then_some(file));
            }
        }
    }

    /// Whether other files can import a name from the file that imports it.
    pub(crate) fn is_importable(&self, import: DefId) -> bool {
        let def = self.def(import);
        match self.language(import.file) {
            "typescript" | "tsx" | "javascript" => def.flags.has(Flags::EXPORTED),
            "python" | "rust" => self.facts(import.file).is_reachable(import.def),
            _ => false,
        }
    }

    /// Whether one of `symbol` is among the definitions, or an import on the chain behind them.
    pub(crate) fn leads_through(&self, found: &[Resolution], symbol: &FxHashSet<DefId>) -> bool {
        let mut open: Vec<DefId> = found.iter().map(|f| f.id).collect();
        let mut seen = FxHashSet::default();
        while let Some(id) = open.pop() {
            if symbol.contains(&id) {
                return true;
            }
            if seen.len() < MAX_CHAIN && seen.insert(id) {
                open.extend(self.imported_from(id).into_iter().map(|f| f.id));
            }
        }
        false
    }

    /// The target of an import, which may be another import; empty for other definitions.
    pub(crate) fn imported_from(&self, id: DefId) -> Vec<Resolution> {
        let def = self.def(id);
        if def.kind != DefinitionKind::Import {
            return Vec::new();
        }
        let value = self.unwrap_same(id.file, def.value);
        if let Some(r) = value.as_reference() {
            return self.resolve_without_imports(id.file, r);
        }
        match self.expression(id.file, value) {
            Some(Expression::Field(object, name)) => {
                let ty = self.type_of_value(id.file, object);
                let name = self.facts(id.file).strings.text(name);
                self.members_named(&ty, name, Namespace::ANY)
            }
            Some(Expression::Defined(def)) if def != NONE => {
                vec![Resolution { id: DefId { file: id.file, def }, origin: Origin::SameFile }]
            }
            _ => Vec::new(),
        }
    }

    /// A value without wrappers that only repeat it.
    fn unwrap_same(&self, file: FileId, mut value: Value) -> Value {
        for _ in 0..MAX_CHAIN {
            match self.expression(file, value) {
                Some(Expression::Same(inner)) => value = inner,
                _ => break,
            }
        }
        value
    }
}
