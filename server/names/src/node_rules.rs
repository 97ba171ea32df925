//! Node rules: `queries/<language>/bindings.scm` as a table of what each node kind means for names.
//!
//! The file uses the syntax of tree-sitter queries, but each pattern describes one node kind and
//! the roles of its direct children, in any order and number: `(kind field: (kind) @role … (#set!
//! key "value")) @action`; a token before a child (`"=" (_) @value`) is one that stands between it
//! and the named child before it. So it compiles to a table keyed by node kind, and one traversal with
//! this table is several times faster than running a query.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use syntax::Language;

use crate::vocabulary::{
    ChildRole, DefinitionKind, Flags, Namespace, NodeAction, RuleHint, ScopeKind,
};

/// The node rules of one language.
pub(crate) struct NodeRules {
    by_kind: Vec<Option<Box<NodeRule>>>,
    /// Whether all names share one namespace.
    pub(crate) one_namespace: bool,
    /// Whether the language has a preprocessor, and if so, whether it is C++.
    pub(crate) preprocessor: Option<bool>,
    /// Whether comments at the start of a file are build constraints.
    pub(crate) constraints: bool,
    /// Whether a file, as a module, starts at its first code.
    pub(crate) starts_with_code: bool,
    /// How comments give types, if they do.
    pub(crate) documented: Option<CommentTypes>,
    /// Whether a member that is assigned is declared elsewhere: the assignment is a use.
    pub(crate) declares_members: bool,
    /// Whether paths of imports begin at the global namespace, whatever the file defines.
    pub(crate) absolute_imports: bool,
}

/// How comments give types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CommentTypes {
    /// `@param {Type} name`, as in JSDoc.
    Braces,
    /// `@param Type $name`, as in PHPDoc.
    Words,
}

/// The rule of one node kind.
pub(crate) struct NodeRule {
    pub(crate) action: NodeAction,
    pub(crate) scope: Option<ScopeKind>,
    pub(crate) namespace: Option<Namespace>,
    /// Flags of every definition that the rule makes.
    pub(crate) flags: Flags,
    /// Words in the node's text that set flags.
    pub(crate) flag_words: Vec<(Box<str>, Flags)>,
    /// Words in the node's text that decide what it means.
    pub(crate) hint_words: Vec<(Box<str>, RuleHint)>,
    pub(crate) visible: Visibility,
    pub(crate) derive: Derivation,
    /// Whether the head (parameters, annotations) is evaluated in the enclosing scope.
    pub(crate) evaluates_head_outside: bool,
    /// Whether `$name` in the parts of a text is a name, where the grammar does not see it.
    pub(crate) interpolates: bool,
    /// Whether a lambda after a call is the last argument of that call.
    pub(crate) trailing_lambda: bool,
    /// Words among the node's tokens and modifiers that decide the kind of its definition.
    pub(crate) kind_words: Vec<(Box<str>, DefinitionKind)>,
    child_roles: Vec<ChildPattern>,
}

/// The role of children by their field, their kind and the token before them; 0 is any.
struct ChildPattern {
    field: u16,
    kind: u16,
    token: u16,
    role: ChildRole,
}

/// Where a definition is visible.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Visibility {
    /// In the scope it is in.
    #[default]
    Scope,
    /// After the end of the declaration.
    After,
    /// After the name.
    Here,
    /// In the enclosing function or file.
    Function,
    /// In the parent of the scope it is in.
    Outer,
    /// In the whole file.
    File,
    /// As the enclosing declaration says: `var` or `let`.
    Declared,
    /// Outside of the types it is in, as a tag of C.
    Tag,
}

/// How the value of a bound name derives from the value that the pattern matches.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Derivation {
    #[default]
    Same,
    Element,
    Enter,
    Instance,
    /// Each of several names gets the part of the same position.
    Position,
}

impl NodeRules {
    /// The node rules of `language`, compiled once.
    pub(crate) fn of(language: Language) -> &'static Self {
        static TABLES: OnceLock<FxHashMap<&'static str, NodeRules>> = OnceLock::new();
        static EMPTY: NodeRules = NodeRules {
            by_kind: Vec::new(),
            one_namespace: true,
            preprocessor: None,
            constraints: false,
            starts_with_code: false,
            documented: None,
            declares_members: false,
            absolute_imports: false,
        };
        let tables = TABLES.get_or_init(|| {
            let compiled =
                |l: Language| Some((l.id(), Self::compile(l, &l.bindings_query()?).ok()?));
            Language::all().filter_map(compiled).collect()
        });
        tables.get(language.id()).unwrap_or(&EMPTY)
    }

    /// The rule of a node kind.
    pub(crate) fn rule(&self, kind: u16) -> Option<&NodeRule> {
        self.by_kind.get(usize::from(kind))?.as_deref()
    }

    /// Whether there are no rules.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.by_kind.is_empty()
    }

    /// Compiles a bindings file; the error names the offending pattern.
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
            documented: source.contains("(#set! documented ").then(|| {
                let php = source.contains("documented \"phpdoc\"");
                if php { CommentTypes::Words } else { CommentTypes::Braces }
            }),
            absolute_imports: source.contains("(#set! imports \"absolute\")"),
            declares_members: source.contains("(#set! members \"declared\")"),
        };
        table.by_kind.resize_with(grammar.node_kind_count(), || None);
        let mut reader = Reader { rest: source };
        while let Some(pattern) = reader.pattern()? {
            let mut rule = NodeRule {
                action: NodeAction::parse(pattern.action)
                    .ok_or_else(|| format!("{}: no action {}", pattern.kind, pattern.action))?,
                scope: None,
                namespace: None,
                flags: Flags::default(),
                flag_words: Vec::new(),
                hint_words: Vec::new(),
                visible: Visibility::default(),
                derive: Derivation::default(),
                evaluates_head_outside: false,
                interpolates: false,
                trailing_lambda: false,
                kind_words: Vec::new(),
                child_roles: Vec::new(),
            };
            for (token, field, kind, role) in &pattern.child_roles {
                let token_id = match token {
                    Some(token) => grammar.id_for_node_kind(token, false),
                    None => 0,
                };
                if token_id == 0 && token.is_some() {
                    return Err(format!("{}: no token {token:?}", pattern.kind));
                }
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
                let role = ChildRole::parse(role)
                    .ok_or_else(|| format!("{}: no role {role}", pattern.kind))?;
                rule.child_roles.push(ChildPattern {
                    field: field_id,
                    kind: kind_id,
                    token: token_id,
                    role,
                });
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

impl NodeRule {
    /// The role of a child; `token` is the token between it and the named child before it, or 0.
    pub(crate) fn child_role(
        &self,
        field: Option<u16>,
        kind: u16,
        token: u16,
    ) -> Option<ChildRole> {
        let field = field.unwrap_or(0);
        let fits = |p: &&ChildPattern| {
            (p.field == 0 || p.field == field)
                && (p.kind == 0 || p.kind == kind)
                && (p.token == 0 || p.token == token)
                && (p.field != 0 || p.kind != 0 || p.token != 0 || field == 0)
        };
        self.child_roles.iter().find(fits).map(|p| p.role)
    }

    /// Whether the rule has words of a kind.
    pub(crate) fn has_hint(&self, kind: RuleHint) -> bool {
        self.hint_words.iter().any(|h| h.1 == kind)
    }

    /// Whether a word is one of the rule's words of a kind.
    pub(crate) fn is_hint(&self, word: &str, kind: RuleHint) -> bool {
        self.hint_words.iter().any(|(w, k)| **w == *word && *k == kind)
    }

    /// Applies a `#set!` property; `None` if it is unknown.
    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "scope" => self.scope = Some(ScopeKind::parse(value)?),
            "namespace" => self.namespace = Some(Namespace::parse(value)?),
            "namespaces" | "preprocessor" | "constraints" | "documented" | "start" | "members"
            | "imports" => {}
            "evaluated" => self.evaluates_head_outside = value == "around",
            "visible" => {
                self.visible = match value {
                    "after" => Visibility::After,
                    "here" => Visibility::Here,
                    "function" => Visibility::Function,
                    "outer" => Visibility::Outer,
                    "file" => Visibility::File,
                    "scope" => Visibility::Scope,
                    "declared" => Visibility::Declared,
                    "tag" => Visibility::Tag,
                    _ => return None,
                }
            }
            "derive" => {
                self.derive = match value {
                    "element" => Derivation::Element,
                    "enter" => Derivation::Enter,
                    "instance" => Derivation::Instance,
                    "position" => Derivation::Position,
                    _ => return None,
                }
            }
            "lambda" => self.trailing_lambda = value == "trailing",
            "interpolates" => self.interpolates = true,
            "kinds" => {
                let mut words = value.split_whitespace();
                while let Some(word) = words.next() {
                    self.kind_words.push((word.into(), DefinitionKind::parse(words.next()?)?));
                }
            }
            "flags" => {
                for flag in value.split_whitespace() {
                    self.flags |= Flags::parse(flag)?;
                }
            }
            hint if RuleHint::parse(hint).is_some() => {
                let hint = RuleHint::parse(hint)?;
                self.hint_words.extend(value.split_whitespace().map(|w| (w.into(), hint)));
            }
            flag => {
                let flags = Flags::parse(flag)?;
                self.flag_words.extend(value.split_whitespace().map(|w| (w.into(), flags)));
            }
        }
        Some(())
    }
}

struct Pattern<'s> {
    kind: &'s str,
    /// The token before the child, its field, its kind and its role.
    child_roles: Vec<(Option<&'s str>, Option<&'s str>, &'s str, &'s str)>,
    properties: Vec<(&'s str, &'s str)>,
    action: &'s str,
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

    /// Parses the next pattern; `None` at the end of the file.
    fn pattern(&mut self) -> Result<Option<Pattern<'s>>, String> {
        self.skip();
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.expect("(")?;
        let mut pattern = Pattern {
            kind: self.word()?,
            child_roles: Vec::new(),
            properties: Vec::new(),
            action: "",
        };
        while !self.eat(")") {
            if self.eat("(#set!") {
                let key = self.word()?;
                self.skip();
                let value = if self.rest.starts_with('"') { self.string()? } else { "" };
                pattern.properties.push((key, value));
                self.expect(")")?;
                continue;
            }
            self.skip();
            let token = if self.rest.starts_with('"') { Some(self.string()?) } else { None };
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
            pattern.child_roles.push((token, field, kind, self.word()?));
        }
        self.expect("@")?;
        pattern.action = self.word()?;
        Ok(Some(pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every language's file uses only kinds, fields, actions, roles and properties that exist.
    #[test]
    fn compiles_every_bindings_file() {
        for language in Language::all() {
            let Some(source) = language.bindings_query() else { continue };
            if let Err(message) = NodeRules::compile(language, &source) {
                panic!("queries/{}/bindings.scm: {message}", language.id());
            }
            assert!(!NodeRules::of(language).is_empty());
        }
    }
}
