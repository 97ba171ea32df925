//! `queries/<language>/bindings.scm` as a table: what each kind of node means for names.
//!
//! The file is written the way tree-sitter's queries are, but each pattern describes one kind of
//! node and what its direct children are to it, in any order and number: `(kind field: (kind)
//! @slot … (#set! key "value")) @act`. That makes it a table keyed by node kind, and one walk over
//! the tree with a table is several times faster than running a query.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use syntax::Language;

use crate::vocabulary::{Act, Flags, Hint, Namespace, ScopeKind, Slot};

/// The table of one language.
pub(crate) struct Rules {
    by_kind: Vec<Option<Box<Rule>>>,
    /// Names mean one thing whatever the position they stand in.
    pub(crate) one_namespace: bool,
    /// Whether macros are expanded before the language is read, and whether it is C++ then.
    pub(crate) preprocessor: Option<bool>,
    /// Comments at the start of a file say which builds it is part of.
    pub(crate) constraints: bool,
    /// A file starts, as a module, with its first code.
    pub(crate) starts_with_code: bool,
    /// Comments give types.
    pub(crate) documented: bool,
}

/// What a node of some kind means.
pub(crate) struct Rule {
    pub(crate) act: Act,
    pub(crate) scope: Option<ScopeKind>,
    pub(crate) namespace: Option<Namespace>,
    /// Flags that every definition made by this rule has.
    pub(crate) flags: Flags,
    /// Words of the node's text that give flags.
    pub(crate) words: Vec<(Box<str>, Flags)>,
    /// Words that tell what a node is about.
    pub(crate) hints: Vec<(Box<str>, Hint)>,
    pub(crate) visible: Visible,
    pub(crate) derive: Derive,
    /// What stands in the head is worked out in the scope around.
    pub(crate) outside: bool,
    slots: Vec<(u16, u16, Slot)>,
}

/// Where a definition can be seen.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Visible {
    /// In the whole scope around it.
    #[default]
    Scope,
    /// From the end of the declaration on.
    After,
    /// From the name on.
    Here,
    /// In the whole function (or file) around it.
    Function,
    /// In the scope around the scope that it stands in.
    Outer,
    /// In the whole file.
    File,
    /// As the declaration around it says.
    Declared,
    /// Around the types that it stands in.
    Tag,
}

/// What a bound name gets of the value it is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Derive {
    #[default]
    Same,
    Element,
    Enter,
    Instance,
    /// Each of several names gets the value's part of the same position.
    Position,
}

impl Rules {
    /// The table of `language`, compiled once.
    pub(crate) fn of(language: Language) -> &'static Self {
        static TABLES: OnceLock<FxHashMap<&'static str, Rules>> = OnceLock::new();
        static EMPTY: Rules = Rules {
            by_kind: Vec::new(),
            one_namespace: true,
            preprocessor: None,
            constraints: false,
            starts_with_code: false,
            documented: false,
        };
        let tables = TABLES.get_or_init(|| {
            let compiled =
                |l: Language| Some((l.id(), Self::compile(l, &l.bindings_query()?).ok()?));
            Language::all().filter_map(compiled).collect()
        });
        tables.get(language.id()).unwrap_or(&EMPTY)
    }

    /// The rule of a kind of node.
    pub(crate) fn rule(&self, kind: u16) -> Option<&Rule> {
        self.by_kind.get(usize::from(kind))?.as_deref()
    }

    /// Whether there are no rules at all.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.by_kind.is_empty()
    }

    pub(crate) fn compile(language: Language, source: &str) -> Result<Self, String> {
        let grammar = language.grammar();
        let mut table = Self {
            by_kind: Vec::new(),
            one_namespace: source.contains("namespaces \"one\""),
            constraints: source.contains("(#set! constraints "),
            preprocessor: source
                .contains("(#set! preprocessor ")
                .then(|| source.contains("preprocessor \"c++\"")),
            starts_with_code: source.contains("(#set! start \"code\")"),
            documented: source.contains("(#set! documented "),
        };
        table.by_kind.resize_with(grammar.node_kind_count(), || None);
        let mut reader = Reader { rest: source };
        while let Some(pattern) = reader.pattern()? {
            let mut rule = Rule {
                act: Act::parse(pattern.act)
                    .ok_or_else(|| format!("{}: no act {}", pattern.kind, pattern.act))?,
                scope: None,
                namespace: None,
                flags: Flags::default(),
                words: Vec::new(),
                hints: Vec::new(),
                visible: Visible::default(),
                derive: Derive::default(),
                outside: false,
                slots: Vec::new(),
            };
            for (field, kind, slot) in &pattern.slots {
                let field_id = match field {
                    Some(field) => grammar
                        .field_id_for_name(field)
                        .ok_or_else(|| format!("{}: no field {field}", pattern.kind))?
                        .get(),
                    None => 0,
                };
                let kind_id = if *kind == "_" { 0 } else { grammar.id_for_node_kind(kind, true) };
                if kind_id == 0 && *kind != "_" {
                    return Err(format!("{}: no node kind {kind}", pattern.kind));
                }
                let slot =
                    Slot::parse(slot).ok_or_else(|| format!("{}: no slot {slot}", pattern.kind))?;
                rule.slots.push((field_id, kind_id, slot));
            }
            for (key, value) in &pattern.properties {
                rule.set(key, value).ok_or_else(|| {
                    format!("{}: property {key} \"{value}\" unknown", pattern.kind)
                })?;
            }
            let id = grammar.id_for_node_kind(pattern.kind, true);
            let place = table.by_kind.get_mut(usize::from(id)).filter(|_| id != 0);
            *place.ok_or_else(|| format!("no node kind {}", pattern.kind))? = Some(Box::new(rule));
        }
        Ok(table)
    }
}

impl Rule {
    /// What a child is to this node.
    pub(crate) fn slot(&self, field: Option<u16>, kind: u16) -> Option<Slot> {
        let field = field.unwrap_or(0);
        let fits = |&&(f, k, _): &&(u16, u16, Slot)| {
            (f == 0 || f == field) && (k == 0 || k == kind) && (f != 0 || k != 0 || field == 0)
        };
        self.slots.iter().find(fits).map(|s| s.2)
    }

    /// Whether the rule has hints of a kind.
    pub(crate) fn has_hint(&self, kind: Hint) -> bool {
        self.hints.iter().any(|h| h.1 == kind)
    }

    /// Whether a word is one of the rule's hints of a kind.
    pub(crate) fn is_hint(&self, word: &str, kind: Hint) -> bool {
        self.hints.iter().any(|(w, k)| **w == *word && *k == kind)
    }

    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "scope" => self.scope = Some(ScopeKind::parse(value)?),
            "namespace" => self.namespace = Some(Namespace::parse(value)?),
            "namespaces" | "preprocessor" | "constraints" | "documented" | "start" => {}
            "evaluated" => self.outside = value == "around",
            "visible" => {
                self.visible = match value {
                    "after" => Visible::After,
                    "here" => Visible::Here,
                    "function" => Visible::Function,
                    "outer" => Visible::Outer,
                    "file" => Visible::File,
                    "scope" => Visible::Scope,
                    "declared" => Visible::Declared,
                    "tag" => Visible::Tag,
                    _ => return None,
                }
            }
            "derive" => {
                self.derive = match value {
                    "element" => Derive::Element,
                    "enter" => Derive::Enter,
                    "instance" => Derive::Instance,
                    "position" => Derive::Position,
                    _ => return None,
                }
            }
            "flags" => {
                for flag in value.split_whitespace() {
                    self.flags |= Flags::parse(flag)?;
                }
            }
            hint if Hint::parse(hint).is_some() => {
                let hint = Hint::parse(hint)?;
                self.hints.extend(value.split_whitespace().map(|w| (w.into(), hint)));
            }
            flag => {
                let flags = Flags::parse(flag)?;
                self.words.extend(value.split_whitespace().map(|w| (w.into(), flags)));
            }
        }
        Some(())
    }
}

struct Pattern<'s> {
    kind: &'s str,
    slots: Vec<(Option<&'s str>, &'s str, &'s str)>,
    properties: Vec<(&'s str, &'s str)>,
    act: &'s str,
}

struct Reader<'s> {
    rest: &'s str,
}

impl<'s> Reader<'s> {
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let Some(comment) = self.rest.strip_prefix(';') else { return };
            self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest;
        true
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(format!("{token:?} expected at {:.40}", self.rest))
        }
    }

    fn word(&mut self) -> Result<&'s str, String> {
        self.skip();
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-')))
            .unwrap_or(self.rest.len());
        if end == 0 {
            return Err(format!("a word expected at {:.40}", self.rest));
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }

    fn string(&mut self) -> Result<&'s str, String> {
        self.expect("\"")?;
        let (string, rest) = self.rest.split_once('"').ok_or("a string without an end")?;
        self.rest = rest;
        Ok(string)
    }

    fn pattern(&mut self) -> Result<Option<Pattern<'s>>, String> {
        self.skip();
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.expect("(")?;
        let mut pattern =
            Pattern { kind: self.word()?, slots: Vec::new(), properties: Vec::new(), act: "" };
        while !self.eat(")") {
            if self.eat("(#set!") {
                let key = self.word()?;
                self.skip();
                let value = if self.rest.starts_with('"') { self.string()? } else { "" };
                pattern.properties.push((key, value));
                self.expect(")")?;
                continue;
            }
            let mut field = None;
            if !self.eat("(") {
                field = Some(self.word()?);
                self.expect(":")?;
                self.expect("(")?;
            }
            let kind = self.word()?;
            self.expect(")")?;
            self.eat("?");
            self.eat("*");
            self.expect("@")?;
            pattern.slots.push((field, kind, self.word()?));
        }
        self.expect("@")?;
        pattern.act = self.word()?;
        Ok(Some(pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every language's file names only kinds, fields, acts, slots and properties that exist.
    #[test]
    fn every_bindings_file_compiles() {
        for language in Language::all() {
            let Some(source) = language.bindings_query() else { continue };
            if let Err(message) = Rules::compile(language, &source) {
                panic!("queries/{}/bindings.scm: {message}", language.id());
            }
            assert!(!Rules::of(language).is_empty());
        }
    }
}
