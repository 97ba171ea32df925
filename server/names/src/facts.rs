//! The facts of one file: its scopes, definitions, references and imports.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use syntax::{Language, Syntax};
use text::Text;

use crate::expression::{Expression, Value};
use crate::lowering::Lowerer;
use crate::name_table::NameTable;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// No definition, scope or name.
pub(crate) const NONE: u32 = u32::MAX;

/// Marks a Rust module path that starts at the module itself (`self`), not at its parent (`super`).
pub(crate) const SELF_MODULE: u32 = 1 << 31;

/// Everything that one file's text states about names. A pure function of the text, in flat arrays:
/// entries refer to each other by index, and neither tree nor text is kept.
#[derive(Debug)]
pub struct Facts {
    pub(crate) language: Language,
    pub(crate) strings: NameTable,
    pub(crate) scopes: Box<[Scope]>,
    /// The first definition is the file itself, as a module.
    pub(crate) definitions: Box<[Def]>,
    pub(crate) references: Box<[Ref]>,
    pub(crate) expressions: Box<[Expression]>,
    pub(crate) lists: Box<[Value]>,
    /// Glob imports and re-exports.
    pub(crate) globs: Box<[Glob]>,
    /// Scopes with members for types that are declared elsewhere.
    pub(crate) extensions: Box<[Extension]>,
    /// The values that functions return: the function's scope and the value.
    pub(crate) returns: Box<[(u32, Value)]>,
    /// Ranges in which a test has established a name's type.
    pub(crate) narrowings: Box<[Narrowing]>,
    /// Ranges that are inactive on every system like this one, by their end.
    pub(crate) other_platform_ranges: Box<[(u32, u32)]>,
    /// The name spans of deprecated definitions, by position.
    pub(crate) deprecated: Box<[(u32, u32)]>,
    /// Branches of preprocessor conditions, by their start.
    pub(crate) branches: Box<[Branch]>,
    /// Definitions by (scope, name, position).
    pub(crate) by_scope: Box<[u32]>,
    /// Definitions by (name, position).
    pub(crate) by_name: Box<[u32]>,
    /// Definitions by the position of their name.
    pub(crate) by_place: Box<[u32]>,
    /// References by position; empty if they are numbered in that order.
    pub(crate) by_reference: Box<[u32]>,
    /// The package that the file declares.
    pub(crate) package: u32,
    pub(crate) len: u32,
    pub(crate) lines: u32,
}

/// A range of text in which names are defined.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) kind: ScopeKind,
    pub(crate) parent: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The definition whose body this is.
    pub(crate) owner: u32,
    /// The type that an extension extends, or the call that a lambda is passed to.
    pub(crate) subject: Value,
}

/// A definition of a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Def {
    pub(crate) name: u32,
    pub(crate) kind: DefinitionKind,
    pub(crate) namespace: Namespace,
    pub(crate) flags: Flags,
    /// The scope in which it is visible.
    pub(crate) scope: u32,
    pub(crate) name_start: u32,
    pub(crate) name_end: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The offset from which it is visible.
    pub(crate) visible_from: u32,
    /// The scope of its body.
    pub(crate) body: u32,
    /// Its value, return type, or aliased type.
    pub(crate) value: Value,
    /// The list of its supertypes.
    pub(crate) supertypes: u32,
}

impl Def {
    /// The definition of a file as a module.
    pub(crate) fn of_file(name: u32, len: u32) -> Self {
        Self {
            name,
            kind: DefinitionKind::Module,
            namespace: Namespace::default(),
            flags: Flags::EXPORTED | Flags::HIDDEN,
            scope: NONE,
            name_start: 0,
            name_end: 0,
            start: 0,
            end: len,
            visible_from: 0,
            body: 0,
            value: Value::NONE,
            supertypes: NONE,
        }
    }
}

/// A use of a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ref {
    pub(crate) name: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) scope: u32,
    /// The value that it is a member of.
    pub(crate) receiver: Value,
    pub(crate) namespace: Namespace,
    pub(crate) role: ReferenceRole,
    /// The call expression that it is the callee of.
    pub(crate) call: u32,
}

/// How a reference finds its definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceRole {
    /// In the scopes around it.
    Plain,
    /// As a member of the receiver.
    Member,
    /// As a parameter of the receiver, which is a callee.
    Keyword,
    /// As a field of the receiver, which is a type.
    Field,
    /// As the first part of an import path.
    Root,
    /// As a field of the type that is expected of the object literal around it.
    Expected,
}

/// A range of text in which a test has established a name's type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Narrowing {
    pub(crate) name: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) ty: Value,
}

/// A glob import: all names of a module.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glob {
    pub(crate) scope: u32,
    pub(crate) module: Value,
    pub(crate) exported: bool,
}

/// A branch of a preprocessor condition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Branch {
    /// The start of the condition's first branch.
    pub(crate) first: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The directive.
    pub(crate) condition: u32,
}

/// Members for a type that is declared elsewhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extension {
    /// The scope that holds the members.
    pub(crate) scope: u32,
    /// The type's name as written.
    pub(crate) name: u32,
    /// The type.
    pub(crate) target: Value,
    /// The trait or interface that it implements.
    pub(crate) interface: Value,
}

/// A definition or reference at an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameAt {
    /// The bytes of the name.
    pub span: Range<usize>,
    /// The name.
    pub text: String,
    /// Whether it is defined here.
    pub is_definition: bool,
}

/// A definition of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition<'f> {
    /// Its name.
    pub name: &'f str,
    /// What it is.
    pub kind: DefinitionKind,
    /// The bytes of the whole definition.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
    /// The name of the enclosing type, namespace or function.
    pub container: Option<&'f str>,
    /// Whether the file makes it visible to other files.
    pub exported: bool,
}

impl Facts {
    /// Lowers a parsed text. `None` once `interrupt` is set. O(nodes).
    #[must_use]
    pub fn lower(syntax: &Syntax, interrupt: &AtomicBool) -> Option<Self> {
        let mut stop = || interrupt.load(Ordering::Relaxed);
        Lowerer::run(syntax.language(), syntax.text(), Some(syntax), interrupt, &mut stop)
    }

    /// Parses and lowers a text. Languages with a preprocessor need fewer parses this way: the text
    /// is parsed only in its preprocessed form. `None` once `interrupt` is set, or when `stop`
    /// returns true while parsing. O(n).
    #[must_use]
    pub fn parse_and_lower(
        language: Language,
        text: &Text,
        interrupt: &AtomicBool,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        Lowerer::run(language, text, None, interrupt, stop)
    }

    /// The facts of an empty file.
    #[must_use]
    pub fn empty(language: Language) -> Self {
        let file = Def::of_file(0, 0);
        let whole = Scope {
            kind: ScopeKind::File,
            parent: NONE,
            start: 0,
            end: 0,
            owner: 0,
            subject: Value::NONE,
        };
        Self {
            language,
            strings: NameTable::default(),
            scopes: [whole].into(),
            definitions: [file].into(),
            references: Box::default(),
            expressions: Box::default(),
            lists: Box::default(),
            globs: Box::default(),
            extensions: Box::default(),
            returns: Box::default(),
            narrowings: Box::default(),
            other_platform_ranges: Box::default(),
            deprecated: Box::default(),
            branches: Box::default(),
            by_scope: [0].into(),
            by_name: [0].into(),
            by_place: [0].into(),
            by_reference: Box::default(),
            package: NONE,
            len: 0,
            lines: 1,
        }
    }

    /// Whether the text parsed without errors: one with syntax errors may define more names than
    /// are known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.definitions[0].flags.has(Flags::FALLBACK)
    }

    /// The language of the file.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The names that other files may find in it: of its outermost definitions, imports included, and of
    /// members that are visible everywhere. May repeat names.
    pub fn visible_names(&self) -> impl Iterator<Item = &str> {
        let visible = (0..).zip(self.definitions.iter()).filter(|(number, definition)| {
            self.is_outermost(*number) || definition.flags.has(Flags::HIDDEN)
        });
        let names = visible.map(|(_, definition)| self.strings.text(definition.name));
        names.filter(|name| !name.is_empty())
    }

    /// The length of the text in bytes.
    #[must_use]
    pub fn text_len(&self) -> usize {
        self.len as usize
    }

    /// The number of lines.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.lines as usize
    }

    /// The name at a byte offset, or directly before it. O(log n).
    #[must_use]
    pub fn name_at(&self, offset: usize) -> Option<NameAt> {
        let (span, name, is_definition) = match self.site_at(offset)? {
            NameSite::Definition(d) => {
                let name = if d == 0 { self.package } else { self.definitions[d as usize].name };
                let d = &self.definitions[d as usize];
                (d.name_start..d.name_end, name, true)
            }
            NameSite::Reference(r) => {
                let r = &self.references[r as usize];
                (r.start..r.end, r.name, false)
            }
        };
        let span = span.start as usize..span.end as usize;
        Some(NameAt { span, text: self.strings.text(name).to_owned(), is_definition })
    }

    /// All definitions whose name is in the text, by position.
    pub fn definitions(&self) -> impl Iterator<Item = Definition<'_>> {
        let named = |d: &&u32| {
            let def = &self.definitions[**d as usize];
            let unnamed = match def.kind {
                DefinitionKind::Parameter => def.name_start == def.name_end,
                // Its name is in the macro that opens it.
                DefinitionKind::Namespace => def.flags.has(Flags::HIDDEN),
                _ => false,
            };
            **d != 0 && !unnamed
        };
        self.by_place.iter().filter(named).map(|&d| self.definition(d))
    }

    pub(crate) fn definition(&self, d: u32) -> Definition<'_> {
        let def = &self.definitions[d as usize];
        Definition {
            name: self.strings.text(def.name),
            kind: def.kind,
            span: def.start as usize..def.end as usize,
            name_span: def.name_start as usize..def.name_end as usize,
            container: self
                .container(d)
                .map(|c| self.strings.text(self.definitions[c as usize].name)),
            exported: self.is_reachable(d),
        }
    }

    /// The definition whose body directly contains `d`.
    pub(crate) fn container(&self, d: u32) -> Option<u32> {
        let mut scope = self.definitions[d as usize].scope;
        loop {
            let at = self.scopes.get(scope as usize)?;
            if at.owner != NONE && at.owner != 0 {
                return Some(at.owner);
            }
            scope = at.parent;
        }
    }

    /// Whether other files can refer to a definition: it is at the top level or a member, and not
    /// file-local.
    pub(crate) fn is_reachable(&self, d: u32) -> bool {
        !self.definitions[d as usize].flags.has(Flags::LOCAL_FILE) && self.is_outermost(d)
    }

    /// The same for file-local definitions, too: a file that includes this one sees those.
    pub(crate) fn is_outermost(&self, d: u32) -> bool {
        let def = &self.definitions[d as usize];
        if def.flags.has(Flags::HIDDEN) || def.kind == DefinitionKind::Parameter {
            return false;
        }
        let mut scope = def.scope;
        let template = |s: &Scope| s.kind == ScopeKind::Template;
        if def.kind == DefinitionKind::TypeParameter
            && self.scopes.get(scope as usize).is_some_and(template)
        {
            return false;
        }
        while let Some(at) = self.scopes.get(scope as usize) {
            match at.kind {
                ScopeKind::Function
                | ScopeKind::Lambda
                | ScopeKind::Block
                | ScopeKind::Comprehension => return false,
                _ => scope = at.parent,
            }
        }
        true
    }

    /// The name of the module that a value stands for, and its number of leading dots.
    pub(crate) fn module_of_value(&self, value: Value) -> Option<(&str, u32)> {
        match *self.expressions.get(value.as_expression()? as usize)? {
            Expression::Module(name, up) => Some((self.strings.text(name), up)),
            _ => None,
        }
    }

    /// The package that the file declares, or an empty string.
    pub(crate) fn package_name(&self) -> &str {
        if self.package == NONE { "" } else { self.strings.text(self.package) }
    }

    /// The span of the local name that an import gives to the name at `start`.
    pub(crate) fn import_alias_at(&self, start: usize) -> Option<Range<usize>> {
        let named = self.reference_at(u32::try_from(start).ok()?)?;
        let imports =
            |d: &&Def| d.kind == DefinitionKind::Import && d.value.as_reference() == Some(named);
        let def = self.definitions.iter().find(imports)?;
        Some(def.name_start as usize..def.name_end as usize)
    }

    /// The definition or reference that touches a byte offset; where two touch, the one that starts
    /// there.
    pub(crate) fn site_at(&self, offset: usize) -> Option<NameSite> {
        let at = u32::try_from(offset).ok()?;
        let next =
            self.by_place.partition_point(|&d| self.definitions[d as usize].name_start <= at);
        let touching = |(start, end): (u32, u32)| start <= at && at <= end && start < end;
        let definition = self.by_place[..next].iter().rev().take(4).copied().find(|&d| {
            let d = &self.definitions[d as usize];
            touching((d.name_start, d.name_end))
        });
        let reference = self.reference_at(at);
        match (definition, reference) {
            (Some(d), Some(r)) => {
                let inside = |end: u32| at < end;
                let (def, re) = (&self.definitions[d as usize], &self.references[r as usize]);
                // An import's name both refers and defines; a query means what it refers to.
                let first = re.start == def.name_start || !inside(def.name_end) && inside(re.end);
                Some(if first { NameSite::Reference(r) } else { NameSite::Definition(d) })
            }
            (Some(d), None) => Some(NameSite::Definition(d)),
            (None, Some(r)) => Some(NameSite::Reference(r)),
            (None, None) => None,
        }
    }

    fn reference_at(&self, at: u32) -> Option<u32> {
        let touches = |&r: &u32| {
            let r = &self.references[r as usize];
            r.start <= at && at <= r.end && r.start < r.end
        };
        if self.by_reference.is_empty() {
            let next = self.references.partition_point(|r| r.start <= at) as u32;
            (0..next).rev().take(4).find(touches)
        } else {
            let before = |&r: &u32| self.references[r as usize].start <= at;
            let next = self.by_reference.partition_point(before);
            self.by_reference[..next].iter().rev().take(4).copied().find(touches)
        }
    }

    /// The definitions of a name in one scope, by position. O(log n).
    pub(crate) fn definitions_in_scope(&self, scope: u32, name: u32) -> &[u32] {
        let key = |&d: &u32| {
            let d = &self.definitions[d as usize];
            (d.scope, d.name)
        };
        let start = self.by_scope.partition_point(|d| key(d) < (scope, name));
        let len = self.by_scope[start..].partition_point(|d| key(d) == (scope, name));
        &self.by_scope[start..start + len]
    }

    /// The definitions of a name, by position. O(log n).
    pub(crate) fn definitions_named(&self, name: u32) -> &[u32] {
        let key = |&d: &u32| self.definitions[d as usize].name;
        let start = self.by_name.partition_point(|d| key(d) < name);
        let len = self.by_name[start..].partition_point(|d| key(d) == name);
        &self.by_name[start..start + len]
    }

    /// All definitions of one scope, grouped by name.
    pub(crate) fn all_in_scope(&self, scope: u32) -> &[u32] {
        let key = |&d: &u32| self.definitions[d as usize].scope;
        let start = self.by_scope.partition_point(|d| key(d) < scope);
        let len = self.by_scope[start..].partition_point(|d| key(d) == scope);
        &self.by_scope[start..start + len]
    }

    /// Whether an offset is in code that is inactive on every system like this one. O(log n).
    pub(crate) fn is_for_other_platform(&self, at: u32) -> bool {
        let next = self.other_platform_ranges.partition_point(|f| f.1 <= at);
        self.other_platform_ranges.get(next).is_some_and(|f| f.0 <= at)
    }

    /// Where the names of deprecated definitions start, by position.
    pub fn deprecated(&self) -> impl Iterator<Item = usize> + '_ {
        self.deprecated.iter().filter(|name| name.1 > 0).map(|name| name.0 as usize)
    }

    /// The names of deprecated definitions, with repetitions.
    pub(crate) fn deprecated_names(&self) -> impl Iterator<Item = &str> + '_ {
        let all = if self.deprecated.is_empty() { 0 } else { self.definitions.len() };
        let numbers = (0..all as u32).filter(|d| self.is_deprecated(*d));
        numbers.map(|d| self.strings.text(self.definitions[d as usize].name))
    }

    /// Whether the file allows the use of deprecated definitions, for itself and the modules below
    /// it.
    pub(crate) fn allows_deprecated(&self) -> bool {
        self.deprecated.first() == Some(&crate::deprecated::USES_ALLOWED)
    }

    /// Whether the definition whose name starts at an offset is deprecated. O(log n).
    pub(crate) fn is_deprecated_at(&self, name_start: usize) -> bool {
        let starts = |name: &(u32, u32)| (name.0 as usize).cmp(&name_start);
        let found = self.deprecated.binary_search_by(starts);
        found.is_ok_and(|at| self.deprecated[at] != crate::deprecated::USES_ALLOWED)
    }

    /// Whether a definition and all others of its name in the scope are deprecated: a use may mean
    /// any of several overloads.
    pub(crate) fn is_deprecated(&self, d: u32) -> bool {
        let Some(def) = self.definitions.get(d as usize).filter(|_| !self.deprecated.is_empty())
        else {
            return false;
        };
        let says = |def: &Def| self.is_deprecated_at(def.name_start as usize);
        let others = self.definitions_in_scope(def.scope, def.name).iter();
        says(def)
            && others
                .map(|&o| &self.definitions[o as usize])
                .all(|o| o.flags.has(Flags::HIDDEN) || says(o))
    }

    /// The values of a list.
    pub(crate) fn list(&self, list: u32) -> &[Value] {
        let Some(&Value(len)) = self.lists.get(list as usize) else { return &[] };
        let start = list as usize + 1;
        self.lists.get(start..start + len as usize).unwrap_or(&[])
    }

    /// The innermost scope around an offset. O(scopes).
    pub(crate) fn scope_at(&self, at: u32) -> u32 {
        let around = |s: &(usize, &Scope)| s.1.start <= at && at < s.1.end;
        let all = self.scopes.iter().enumerate().filter(around);
        all.min_by_key(|(n, s)| (s.end - s.start, usize::MAX - n)).map_or(0, |(n, _)| n as u32)
    }

    /// The approximate memory that the facts take, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self)
            + self.strings.bytes()
            + size_of_val(&*self.scopes)
            + size_of_val(&*self.definitions)
            + size_of_val(&*self.references)
            + size_of_val(&*self.expressions)
            + size_of_val(&*self.lists)
            + size_of_val(&*self.globs)
            + size_of_val(&*self.extensions)
            + size_of_val(&*self.returns)
            + size_of_val(&*self.narrowings)
            + size_of_val(&*self.other_platform_ranges)
            + size_of_val(&*self.deprecated)
            + size_of_val(&*self.branches)
            + size_of_val(&*self.by_scope)
            + size_of_val(&*self.by_place)
            + size_of_val(&*self.by_name)
            + size_of_val(&*self.by_reference)
    }
}

/// The definition or reference at an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameSite {
    Definition(u32),
    Reference(u32),
}
