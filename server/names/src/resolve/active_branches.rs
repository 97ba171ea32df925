//! Which of several definitions under preprocessor conditions is active, as far as the project's
//! own macros decide it.

use super::{DefId, Resolver};
use crate::expression::Expression;
use crate::index::FileId;
use crate::lowering::condition_parser::{ConditionParser, ConditionValue, MacroEnvironment};
use crate::lowering::preprocessor_branches::{directive_holds, predefined, predefined_value};
use crate::vocabulary::DefinitionKind;

/// Limit of the definitions of one macro that are examined.
const MAX_MACRO_DEFINITIONS: usize = 16;

/// The kind of these steps among those under way.
const BRANCH_STEP: u8 = 6;

/// Marks the memoised value of a macro among the verdicts on branches.
const MACRO: u32 = 1 << 31;

const UNKNOWN: ConditionValue = ConditionValue { value: 0, known: false };

impl Resolver<'_> {
    /// The active definitions among those of one file; `None` if conditions do not distinguish
    /// them.
    pub(super) fn active_definitions(&self, file: FileId, all: &[u32]) -> Option<Vec<u32>> {
        let facts = self.facts(file);
        if all.len() < 2 || facts.branches.is_empty() {
            return None;
        }
        let read = |d: &u32| {
            let at = facts.definitions[*d as usize].name_start;
            self.is_active(file, at).holds()
        };
        let read: Vec<u32> = all.iter().copied().filter(read).collect();
        (!read.is_empty() && read.len() < all.len()).then_some(read)
    }

    /// Whether all conditions around an offset hold.
    fn is_active(&self, file: FileId, at: u32) -> ConditionValue {
        let branches = &self.facts(file).branches;
        let next = branches.partition_point(|b| b.start <= at);
        let mut verdict = ConditionValue { value: 1, known: true };
        for n in (0..next).filter(|&n| at < branches[n].end) {
            let own = self.branch_verdict(file, n as u32);
            if own.known && !own.holds() {
                return own;
            }
            let value = i64::from(verdict.holds() && own.holds());
            verdict = ConditionValue { value, known: verdict.known && own.known };
        }
        verdict
    }

    /// Whether a branch is the active one of its condition.
    fn branch_verdict(&self, file: FileId, n: u32) -> ConditionValue {
        let key = (file, n);
        if let Some(known) = self.branch_verdicts.borrow().get(&key) {
            return *known;
        }
        let step = (file, n, BRANCH_STEP);
        if self.begin_step(step).is_none() {
            return UNKNOWN;
        }
        // Memoise first: a condition that depends on itself stays unknown instead of recursing.
        self.branch_verdicts.borrow_mut().insert(key, UNKNOWN);
        let facts = self.facts(file);
        let own = facts.branches[n as usize];
        let macros = MacrosAt { resolver: self, file, at: own.first };
        let mut verdict = ConditionValue { value: 1, known: true };
        let from = facts.branches.partition_point(|b| b.start < own.first);
        let all = facts.branches.get(from..=n as usize).unwrap_or_default();
        // `#elif` and `#else` branches are active only if no branch before them is.
        for branch in all.iter().filter(|b| b.first == own.first) {
            let text = facts.strings.text(branch.condition);
            let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
            let (directive, condition) = text.split_at(end);
            let mut holds = directive_holds(&macros, directive, &without_comments(condition));
            if branch.start != own.start {
                holds.value = i64::from(!holds.holds());
            }
            if holds.known && !holds.holds() {
                verdict = holds;
                break;
            }
            let value = i64::from(verdict.holds() && holds.holds());
            verdict = ConditionValue { value, known: verdict.known && holds.known };
        }
        self.end_step(step);
        self.branch_verdicts.borrow_mut().insert(key, verdict);
        verdict
    }

    /// The value of a macro, if it is a number.
    fn macro_value(&self, id: DefId) -> ConditionValue {
        let facts = self.facts(id.file);
        let def = self.def(id);
        let value = def.value.as_expression().and_then(|e| facts.expressions.get(e as usize));
        let Some(&Expression::Named(text)) = value else { return UNKNOWN };
        let key = (id.file, id.def | MACRO);
        if let Some(known) = self.branch_verdicts.borrow().get(&key) {
            return *known;
        }
        let step = (id.file, id.def, BRANCH_STEP + 1);
        if self.begin_step(step).is_none() {
            return UNKNOWN;
        }
        self.branch_verdicts.borrow_mut().insert(key, UNKNOWN);
        let macros = MacrosAt { resolver: self, file: id.file, at: def.start };
        let text = without_comments(facts.strings.text(text));
        let verdict = ConditionParser { macros: &macros, rest: &text, depth: 0 }.parse_or();
        self.end_step(step);
        self.branch_verdicts.borrow_mut().insert(key, verdict);
        verdict
    }
}

/// The macros that are defined at an offset of a file.
struct MacrosAt<'r, 'i> {
    resolver: &'r Resolver<'i>,
    file: FileId,
    at: u32,
}

impl MacrosAt<'_, '_> {
    /// The definitions of a macro that a compiler reads before the offset. Definitions in the same
    /// file come first.
    fn definitions(&self, name: &str) -> Vec<DefId> {
        let resolver = self.resolver;
        let is_macro = |id: &DefId| {
            resolver.def(*id).kind == DefinitionKind::Macro
                && matches!(resolver.language(id.file), "c" | "cpp")
                && (id.file != self.file || resolver.def(*id).name_start < self.at)
        };
        let mut all: Vec<DefId> =
            resolver.definitions_named(name).filter(is_macro).take(MAX_MACRO_DEFINITIONS).collect();
        if all.iter().any(|id| id.file != self.file) {
            let near = resolver.include_closure(self.file);
            let included = |id: &DefId| near.contains(&id.file);
            if all.iter().any(included) {
                all.retain(included);
            } else {
                all.retain(|id| super::modules::is_header(resolver.path(id.file)));
            }
        }
        all.sort_by_key(|id| (id.file != self.file, std::cmp::Reverse(id.def)));
        all
    }

    fn active_definition(&self, name: &str) -> (bool, Option<DefId>) {
        let all = self.definitions(name);
        let resolver = self.resolver;
        let read = |id: &&DefId| resolver.is_active(id.file, resolver.def(**id).name_start).holds();
        (!all.is_empty(), all.iter().find(read).copied())
    }
}

impl MacroEnvironment for MacrosAt<'_, '_> {
    fn defined(&self, name: &str) -> ConditionValue {
        if name == "__cplusplus" {
            let is = self.resolver.language(self.file) == "cpp";
            return ConditionValue { value: i64::from(is), known: is };
        }
        if let Some(is) = predefined(name) {
            return ConditionValue { value: i64::from(is), known: true };
        }
        match self.active_definition(name) {
            (_, Some(_)) => ConditionValue { value: 1, known: true },
            (any, None) => {
                ConditionValue { value: i64::from(!any && is_feature(name)), known: false }
            }
        }
    }

    fn value(&self, name: &str) -> ConditionValue {
        if name == "__cplusplus" && self.resolver.language(self.file) == "cpp" {
            return ConditionValue { value: 201_703, known: true };
        }
        if let Some(value) = predefined_value(name) {
            return ConditionValue { value, known: true };
        }
        match self.active_definition(name) {
            (_, Some(id)) => self.resolver.macro_value(id),
            (any, None) => {
                ConditionValue { value: i64::from(!any && is_feature(name)), known: false }
            }
        }
    }
}

/// Whether a macro stands for a system feature: assumed present.
fn is_feature(name: &str) -> bool {
    name.starts_with("HAVE_") || name.contains("_HAVE_")
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        out.push(' ');
        rest = rest[at + 2..].find("*/").map_or("", |end| &rest[at + end + 4..]);
    }
    out.push_str(rest);
    if let Some(at) = out.find("//") {
        out.truncate(at);
    }
    out
}
