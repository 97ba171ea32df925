//! Preprocessor branches: which one is active, for a usual compiler on Linux and the macros that
//! the file itself defines before.

use std::ops::Range;

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::condition_parser::{ConditionParser, ConditionValue, MacroEnvironment};
use super::macro_tokens;
use super::{Binding, Lowerer, UsedAs, span};
use crate::expression::Value;
use crate::facts::ReferenceRole;
use crate::node_rules::NodeRule;
use crate::vocabulary::{ChildRole, DefinitionKind, Flags, Namespace};

/// Length limit of the conditions evaluated.
const MAX_LENGTH: usize = 400;

/// Macros that compilers predefine, with their values.
const PREDEFINED_MACROS: &[(&str, i64)] = &[
    ("__GNUC__", 4),
    ("__GNUC_MINOR__", 2),
    ("__clang__", 1),
    ("__linux__", 1),
    ("__linux", 1),
    ("linux", 1),
    ("__unix__", 1),
    ("__unix", 1),
    ("unix", 1),
    ("__ELF__", 1),
    ("__x86_64__", 1),
    ("__LP64__", 1),
    ("__STDC__", 1),
    ("__STDC_VERSION__", 201_112),
    ("__SIZEOF_POINTER__", 8),
    ("__CHAR_BIT__", 8),
    ("__amd64__", 1),
    ("__SSE2__", 1),
    ("__SSE__", 1),
    ("__clang_major__", 18),
    ("__clang_minor__", 1),
    ("__GLIBC__", 2),
    ("__GLIBC_MINOR__", 36),
    ("__SIZEOF_INT__", 4),
    ("__SIZEOF_LONG__", 8),
    ("__SIZEOF_INT128__", 16),
    ("__BYTE_ORDER__", 1234),
    ("__ORDER_LITTLE_ENDIAN__", 1234),
    ("__ORDER_BIG_ENDIAN__", 4321),
    ("__EXCEPTIONS", 1),
    ("__GXX_RTTI", 1),
    ("__has_include", 1),
    ("__has_attribute", 1),
    ("__has_builtin", 1),
    ("__has_feature", 1),
    ("__has_cpp_attribute", 1),
];

/// Macros of other compilers and platforms.
const OTHER_PLATFORM_MACROS: &[&str] = &[
    "_WIN32",
    "WIN32",
    "_WIN64",
    "WIN64",
    "__WIN32__",
    "_MSC_VER",
    "__MINGW32__",
    "__MINGW64__",
    "__CYGWIN__",
    "__BORLANDC__",
    "__APPLE__",
    "__MACH__",
    "__FreeBSD__",
    "__NetBSD__",
    "__OpenBSD__",
    "__DragonFly__",
    "__sun",
    "__sun__",
    "__SVR4",
    "_AIX",
    "__hpux",
    "__HAIKU__",
    "__QNX__",
    "__ANDROID__",
    "__EMSCRIPTEN__",
    "__MVS__",
    "__PASE__",
    "__SUNPRO_C",
    "__SUNPRO_CC",
];

/// Whether compilers and systems like this define a macro; `None` if it is not one of theirs.
pub(crate) fn predefined(name: &str) -> Option<bool> {
    if OTHER_PLATFORM_MACROS.contains(&name) {
        return Some(false);
    }
    let is = PREDEFINED_MACROS.iter().any(|d| d.0 == name)
        || is_system_constant(name)
        || name.starts_with("__cpp_");
    is.then_some(true)
}

/// The value of such a macro.
pub(crate) fn predefined_value(name: &str) -> Option<i64> {
    match name {
        "true" => Some(1),
        "false" => Some(0),
        _ if OTHER_PLATFORM_MACROS.contains(&name) => Some(0),
        // Positive, whatever it is.
        _ if is_system_constant(name) => Some(1),
        // A language feature: the year and month of its adoption.
        _ if name.starts_with("__cpp_") => Some(202_002),
        _ => PREDEFINED_MACROS.iter().find(|d| d.0 == name).map(|d| d.1),
    }
}

impl Lowerer<'_> {
    /// Lowers one branch, and the alternatives after it.
    pub(super) fn lower_conditional(&mut self, rule: &NodeRule, node: Node<'_>) -> Value {
        let outer = self.branch;
        let taken = std::mem::take(&mut self.earlier_branches);
        let verdict = self.evaluate_directive(node);
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        let own = Branch {
            unread: outer.unread || taken.read || !verdict.holds(),
            foreign: outer.foreign || taken.known || verdict.known && !verdict.holds(),
        };
        let mut end = node.end_byte();
        loop {
            let child = self.cursor.node();
            if child.is_named() {
                let field = self.cursor.field_id().map(std::num::NonZero::get);
                match rule.child_role(field, child.kind_id(), 0) {
                    Some(ChildRole::Alternative) => {
                        end = end.min(child.start_byte());
                        self.branch = outer;
                        self.earlier_branches = EarlierBranches {
                            read: taken.read || verdict.holds(),
                            known: taken.known || verdict.known && verdict.holds(),
                        };
                    }
                    Some(_) => self.branch = outer,
                    None => self.branch = own,
                }
                self.lower_node(UsedAs::Value);
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        if own.foreign && !outer.foreign {
            self.foreign.push((node.start_byte() as u32, end as u32));
        }
        self.branch = outer;
        self.earlier_branches = EarlierBranches::default();
        Value::NONE
    }

    /// Lowers names in inactive branches that were blanked out of the text.
    pub(super) fn lower_skipped_names(&mut self, left: &[SkippedName]) {
        for name in left {
            let at = (name.span.start as u32, name.span.end as u32);
            if !name.defined {
                self.push_reference(at, UsedAs::Import, Value::NONE, ReferenceRole::Plain);
                continue;
            }
            let bind = Binding {
                namespace: Some(Namespace::ANY),
                flags: Flags::INACTIVE,
                ..Binding::new(DefinitionKind::Macro, 0, at)
            };
            let definition = self.push_definition(at, &bind);
            let rest = &self.text[name.span.end..];
            let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
            if line.starts_with([' ', '\t']) {
                self.keep_macro_value(definition, at.1, at.1 + line.len() as u32);
            }
        }
    }

    /// Keeps the branches of conditions for the resolver, which knows the macros of other files.
    pub(super) fn record_branches(&mut self, all: &[macro_tokens::ConditionBranch<'_>]) {
        for branch in all.iter().filter(|b| b.condition.len() <= MAX_LENGTH) {
            let start = (branch.condition.as_ptr() as usize - self.text.as_ptr() as usize) as u32;
            let condition = self.intern(start, start + branch.condition.len() as u32);
            self.branches.push(crate::facts::Branch {
                first: branch.first as u32,
                start: branch.span.start as u32,
                end: branch.span.end as u32,
                condition,
            });
        }
        self.branches.sort_unstable_by_key(|b| b.start);
    }

    fn evaluate_directive(&self, node: Node<'_>) -> ConditionValue {
        let directive = node.child(0).map_or("", |c| c.kind());
        let name = |field| {
            let (start, end) = node.child_by_field_name(field).map_or((0, 0), span);
            self.slice(start, end)
        };
        let field = if directive.ends_with("if") { "condition" } else { "name" };
        let field = if directive.contains("def") { "name" } else { field };
        directive_holds(&self.macros, directive.trim_start_matches('#'), name(field))
    }
}

/// The state of the branch that is being lowered.
#[derive(Clone, Copy, Default)]
pub(super) struct Branch {
    /// It is inactive.
    pub(super) unread: bool,
    /// It is inactive on every platform like this.
    foreign: bool,
}

/// Whether an earlier branch of the condition is active, and whether it always is.
#[derive(Clone, Copy, Default)]
pub(super) struct EarlierBranches {
    read: bool,
    known: bool,
}

/// The macros that a file has defined so far.
#[derive(Default)]
pub(super) struct DefinedMacros<'t> {
    pub(super) names: FxHashSet<&'t str>,
    pub(super) cplusplus: bool,
}

impl<'t> DefinedMacros<'t> {
    /// Blanks conditional directives and inactive branches, so that offsets stay the same, and
    /// returns the names in them. O(n).
    pub(super) fn blank_inactive_branches(&mut self, text: &'t str) -> ActiveText {
        let mut out = text.as_bytes().to_vec();
        let (mut left, mut blanks) = (Vec::new(), Vec::new());
        // For each open condition: whether it is in active text, and whether one of its branches
        // was active.
        let mut open: Vec<(bool, bool)> = Vec::new();
        let (mut reading, mut at) = (true, 0);
        let alone = single_branch_conditions(text);
        while at < text.len() {
            let mut end = at;
            loop {
                end = text[end..].find('\n').map_or(text.len(), |n| end + n + 1);
                let line = text[at..end].trim_end();
                if end == text.len() || !line.ends_with('\\') {
                    break;
                }
            }
            let line = text[at..end].trim();
            let mut blank = !reading;
            if let Some(directive) = line.strip_prefix('#') {
                let directive = directive.trim_start();
                let word = directive.find(|c: char| !c.is_alphabetic()).unwrap_or(directive.len());
                let (word, rest) = directive.split_at(word);
                let rest = rest.split("//").next().unwrap_or("");
                let rest = rest.split("/*").next().unwrap_or("").trim();
                let from = at + (rest.as_ptr() as usize - text[at..].as_ptr() as usize);
                match word {
                    "if" | "ifdef" | "ifndef" => {
                        // A branch that a project's own switch turns on, without an alternative,
                        // counts as active: it is code that somebody builds.
                        let holds = directive_holds(self, word, rest).holds()
                            || alone.contains(&at) && is_project_switch(word, rest);
                        open.push((reading, holds));
                        reading &= holds;
                        blank = true;
                        collect_condition_names(rest, from, &mut left);
                    }
                    "elif" | "else" | "elifdef" | "elifndef" => {
                        if let Some((outer, taken)) = open.last_mut() {
                            let holds = word == "else" || directive_holds(self, word, rest).holds();
                            reading = *outer && !*taken && holds;
                            *taken |= holds;
                        }
                        blank = true;
                        collect_condition_names(rest, from, &mut left);
                    }
                    "endif" => {
                        reading = open.pop().is_none_or(|(outer, _)| outer);
                        blank = true;
                    }
                    "define" => {
                        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
                        let to = from + end.unwrap_or(rest.len());
                        if reading {
                            self.names.insert(&text[from..to]);
                        } else {
                            left.push(SkippedName { span: from..to, defined: true });
                        }
                    }
                    _ => {}
                }
            }
            if blank {
                blanks.push(at..end);
                for byte in &mut out[at..end] {
                    if *byte != b'\n' && *byte != b'\r' {
                        *byte = b' ';
                    }
                }
            }
            at = end;
        }
        ActiveText { text: String::from_utf8(out).unwrap_or_default(), left, blanks }
    }
}

impl MacroEnvironment for DefinedMacros<'_> {
    fn defined(&self, name: &str) -> ConditionValue {
        let known = |is: bool| ConditionValue { value: i64::from(is), known: true };
        if name == "__cplusplus" {
            // What C compiles, C++ may compile as well.
            return ConditionValue { value: i64::from(self.cplusplus), known: self.cplusplus };
        }
        if let Some(is) = predefined(name) {
            return known(is);
        }
        let here = self.names.contains(name);
        ConditionValue { value: i64::from(here), known: here }
    }

    fn value(&self, name: &str) -> ConditionValue {
        let known = |value| ConditionValue { value, known: true };
        match predefined_value(name) {
            Some(value) => known(value),
            None if name == "__cplusplus" && self.cplusplus => known(201_703),
            None => ConditionValue { known: false, ..self.defined(name) },
        }
    }
}

/// Whether a directive activates the text after it.
pub(crate) fn directive_holds(
    macros: &impl MacroEnvironment,
    directive: &str,
    condition: &str,
) -> ConditionValue {
    match directive {
        "ifdef" | "elifdef" => macros.defined(condition.trim()),
        "ifndef" | "elifndef" => {
            let defined = macros.defined(condition.trim());
            ConditionValue { value: i64::from(!defined.holds()), ..defined }
        }
        "if" | "elif" => ConditionParser { macros, rest: condition, depth: 0 }.parse_or(),
        _ => ConditionValue { value: 1, known: true },
    }
}

/// A text without its inactive branches.
pub(super) struct ActiveText {
    pub(super) text: String,
    /// Names in what was blanked.
    pub(super) left: Vec<SkippedName>,
    /// The ranges that were blanked.
    pub(super) blanks: Vec<Range<usize>>,
}

/// A name in blanked text: one in a condition, or a macro that is not defined.
pub(super) struct SkippedName {
    pub(super) span: Range<usize>,
    pub(super) defined: bool,
}

/// Collects the names in a condition.
fn collect_condition_names(condition: &str, from: usize, left: &mut Vec<SkippedName>) {
    let mut at = 0;
    while let Some(start) = condition[at..].find(|c: char| c.is_alphanumeric() || c == '_') {
        let start = at + start;
        let len = condition[start..].find(|c: char| !(c.is_alphanumeric() || c == '_'));
        at = len.map_or(condition.len(), |len| start + len);
        let word = &condition[start..at];
        if word != "defined" && !word.starts_with(|c: char| c.is_ascii_digit()) {
            left.push(SkippedName { span: from + start..from + at, defined: false });
        }
    }
}

/// Whether a macro is a constant that all systems of the kind have.
fn is_system_constant(name: &str) -> bool {
    let prefixes = [
        "O_", "SIG", "POLL", "DT_", "S_I", "AF_", "SO_", "F_", "AI_", "SOCK_", "MSG_", "MAP_",
        "EFD_",
    ];
    prefixes.iter().any(|p| name.starts_with(p))
        || name.len() > 3 && name.starts_with('E') && name.bytes().all(|b| b.is_ascii_uppercase())
}

/// The starts of conditions with a single branch that can be read by itself: it contains code, not
/// only directives, and its braces are balanced.
fn single_branch_conditions(text: &str) -> FxHashSet<usize> {
    let (mut open, mut alone, mut at): (Vec<OpenCondition>, _, _) =
        (Vec::new(), FxHashSet::default(), 0);
    for line in text.split_inclusive('\n') {
        if let Some(directive) = line.trim_start().strip_prefix('#') {
            let directive = directive.trim_start();
            if directive.starts_with("if") {
                open.push(OpenCondition {
                    start: at,
                    one: true,
                    code: false,
                    depth: 0,
                    first: None,
                });
            } else if directive.starts_with("el") {
                if let Some(last) = open.last_mut() {
                    // Only one of the branches is active.
                    last.first.get_or_insert(last.depth);
                    (last.one, last.depth) = (false, 0);
                }
            } else if directive.starts_with("endif")
                && let Some(mut ended) = open.pop()
            {
                ended.depth = ended.first.unwrap_or(ended.depth);
                if ended.one && ended.code && ended.depth == 0 {
                    alone.insert(ended.start);
                }
                if let Some(outer) = open.last_mut() {
                    outer.code |= ended.code;
                    outer.depth += ended.depth;
                }
            }
        } else if let Some(last) = open.last_mut() {
            let code = line.trim_start();
            if !last.code && code.starts_with('{') {
                // A body whose head is before the condition.
                last.one = false;
            }
            last.code |= !code.is_empty() && !code.starts_with("/*") && !code.starts_with('*');
            for byte in line.bytes() {
                last.depth += i32::from(byte == b'{') - i32::from(byte == b'}');
            }
        }
        at += line.len();
    }
    alone
}

/// The state of an open condition.
struct OpenCondition {
    start: usize,
    one: bool,
    code: bool,
    depth: i32,
    /// How many braces the first branch leaves open.
    first: Option<i32>,
}

/// Whether a condition depends only on macros of the project. Those of compilers and systems start
/// with an underscore.
fn is_project_switch(word: &str, condition: &str) -> bool {
    let names = condition.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let mut names = names.filter(|n| n.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    let mut names = names.by_ref().filter(|n| *n != "defined").peekable();
    matches!(word, "if" | "ifdef")
        && !condition.contains('!')
        && names.peek().is_some()
        && names.all(|n| !n.starts_with('_'))
}
