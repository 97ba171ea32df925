//! Blanks C and C++ macros that the grammar cannot parse: attributes before a class name,
//! annotations after a function, export words before a declaration, macros that open or close
//! namespaces, heads of tests.
//!
//! Unexpanded macros make the grammar see errors in large parts of a file. The macros are found by
//! their position among tokens, replaced by blanks of the same length, and their words are lowered
//! separately.

use std::ops::Range;
use std::rc::Rc;

use super::macro_tokens::{ConditionBranch, ConditionalDirective, Token, Tokens, tokens};

/// Limit of the nested conditions whose state is saved.
const MAX_SAVED_CONDITIONS: usize = 64;

/// A text with macros blanked out.
#[derive(Default)]
pub(super) struct BlankedMacros<'t> {
    /// The text with blanks.
    pub(super) text: String,
    /// Words in blanked macros.
    pub(super) words: Vec<Range<usize>>,
    /// Macros that stand for fields of the struct around them.
    pub(super) fields: Vec<Range<usize>>,
    /// Types that are macro arguments.
    pub(super) types: Vec<MacroTypeArgument>,
    /// The blanked ranges, in any order.
    pub(super) blanks: Vec<Range<usize>>,
    /// Branches of conditions.
    pub(super) branches: Vec<ConditionBranch<'t>>,
    /// Blocks that macros open and close, in order.
    pub(super) regions: Vec<MacroRegion<'t>>,
}

/// A type that is a macro argument.
pub(super) struct MacroTypeArgument {
    pub(super) ty: Range<usize>,
    /// Whether it is written with its tag: `struct s`.
    pub(super) tag: bool,
    /// The macro's next argument, if it is a member of the type.
    pub(super) member: Option<Range<usize>>,
}

/// A block between macros that open and close a namespace, or the body of a function whose head is
/// a macro.
#[derive(Clone)]
pub(super) struct MacroRegion<'t> {
    pub(super) word: Range<usize>,
    pub(super) end: usize,
    pub(super) kind: MacroRegionKind<'t>,
}

#[derive(Clone, Copy)]
pub(super) enum MacroRegionKind<'t> {
    /// A namespace, named by its macro.
    Namespace,
    /// A linkage specification.
    Linkage,
    /// A function, with the first word among the macro's arguments: in tests often a fixture class.
    Function(&'t str),
}

/// The nesting state at a token.
#[derive(Clone, Copy, Default)]
pub(super) struct NestingLevel<'t> {
    /// Whether it is in a function body or an initializer.
    pub(super) inner: bool,
    pub(super) class: &'t str,
    /// The first token of the current statement, and the parentheses open in it.
    pub(super) head: usize,
    pub(super) parens: u32,
    /// The function region that this level is the body of: its index in `regions` plus one.
    region: usize,
}

pub(super) struct MacroScanner<'t> {
    pub(super) read: Rc<Tokens<'t>>,
    pub(super) aside: BlankedMacros<'t>,
    levels: Vec<NestingLevel<'t>>,
    pub(super) now: NestingLevel<'t>,
    /// The token after the last macro blanked before a declaration.
    pub(super) chained: usize,
    lent: Option<usize>,
    /// Indices in `regions` of open namespaces.
    pub(super) open: Vec<usize>,
}

/// Blanks such macros; offsets stay the same. O(n).
pub(super) fn blank_macros(text: &str) -> BlankedMacros<'_> {
    let mut read = tokens(text);
    let aside = BlankedMacros {
        blanks: std::mem::take(&mut read.comments),
        branches: std::mem::take(&mut read.branches),
        ..BlankedMacros::default()
    };
    let mut scan = MacroScanner {
        read: Rc::new(read),
        aside,
        levels: Vec::new(),
        now: NestingLevel::default(),
        chained: usize::MAX,
        lent: None,
        open: Vec::new(),
    };
    scan.run();
    let mut aside = scan.aside;
    if aside.blanks.is_empty() {
        return aside;
    }
    let mut cleaned = text.as_bytes().to_vec();
    for blank in &aside.blanks {
        for at in blank.clone() {
            // Continuation lines stay such.
            let goes_on =
                cleaned[at] == b'\\' && matches!(cleaned.get(at + 1), Some(b'\n' | b'\r') | None);
            if !matches!(cleaned[at], b'\n' | b'\r') && !goes_on {
                cleaned[at] = b' ';
            }
        }
    }
    aside.text = String::from_utf8(cleaned).unwrap_or_default();
    // A function region is valid only if its brace was closed.
    let closed = |r: &MacroRegion<'_>| r.end > r.word.end;
    aside.regions.retain(closed);
    aside
}

impl<'t> MacroScanner<'t> {
    /// Scans all tokens and keeps track of the nesting.
    fn run(&mut self) {
        let (mut i, mut marks) = (0, 0);
        let mut saved: Vec<(NestingLevel<'t>, usize)> = Vec::new();
        while let Some(&token) = self.read.all.get(i) {
            while let Some(&(_, mark)) = self.read.marks.get(marks).filter(|m| m.0 <= i) {
                marks += 1;
                match mark {
                    ConditionalDirective::If if saved.len() < MAX_SAVED_CONDITIONS => {
                        saved.push((self.now, self.levels.len()));
                    }
                    ConditionalDirective::If => {}
                    ConditionalDirective::Else => {
                        // Each branch starts in the same state as the first.
                        if let Some(&(level, depth)) = saved.last()
                            && depth <= self.levels.len()
                        {
                            self.levels.truncate(depth);
                            self.now = level;
                        }
                    }
                    ConditionalDirective::End => {
                        saved.pop();
                    }
                }
            }
            i = match token.text {
                "(" => {
                    self.now.parens += 1;
                    i + 1
                }
                ")" => {
                    self.now.parens = self.now.parens.saturating_sub(1);
                    i + 1
                }
                "{" => {
                    let level = self.level_of_brace(i);
                    self.levels.push(std::mem::replace(&mut self.now, level));
                    i + 1
                }
                "}" => {
                    if let Some(region) = self.now.region.checked_sub(1) {
                        self.aside.regions[region].end = token.start + 1;
                    }
                    self.now = self.levels.pop().unwrap_or_default();
                    if self.now.parens == 0 {
                        self.now.head = i + 1;
                    }
                    i + 1
                }
                ";" if self.now.parens == 0 => {
                    self.now.head = i + 1;
                    i + 1
                }
                ":" if matches!(
                    self.read.at(i.wrapping_sub(1)),
                    "public" | "private" | "protected"
                ) =>
                {
                    self.now.head = i + 1;
                    i + 1
                }
                "struct" | "union" | "enum" if self.now.inner && self.now.parens > 0 => {
                    self.handle_type_argument(i, i + 1);
                    i + 1
                }
                "*" if self.now.inner && i > 1 && matches!(self.read.at(i + 1), ")" | ",") => {
                    if self.read.all[i - 1].is_word() {
                        self.handle_type_argument(i - 1, i - 1);
                    }
                    i + 1
                }
                "extern" if self.read.at(i + 1) == "template" => {
                    self.blank(token.span());
                    i + 1
                }
                "__attribute__" | "__declspec" if self.read.at(i + 1) == "(" => {
                    self.blank_attribute(i)
                }
                _ if token.is_macro() => self.handle_macro(i),
                _ if !self.now.inner && token.is_word() => self.handle_word(i),
                _ => i + 1,
            };
        }
    }

    /// The level that a brace opens.
    fn level_of_brace(&self, brace: usize) -> NestingLevel<'t> {
        let function = self.function_region(brace);
        let level = NestingLevel {
            inner: true,
            head: brace + 1,
            region: function,
            ..NestingLevel::default()
        };
        if self.now.inner {
            let local = self.read.at(self.now.head);
            if !matches!(local, "struct" | "class" | "union") {
                return level;
            }
        }
        let head = &self.read.all[self.now.head.min(brace)..brace];
        let before = self.read.at(brace.wrapping_sub(1));
        let outer = NestingLevel { inner: false, ..level };
        if head.iter().take(4).any(|t| t.text == "namespace")
            || head.first().is_some_and(|t| t.text == "extern") && head.len() == 1
        {
            return outer;
        }
        if self.now.parens > 0 || matches!(before, ")" | "=" | "const" | "override" | "noexcept") {
            return level;
        }
        let (mut name, mut keyword, mut depth) = ("", false, 0);
        for (n, token) in head.iter().enumerate() {
            match token.text {
                "<" | "(" => depth += 1,
                ">" | ")" => depth -= 1,
                "class" | "struct" | "union" if depth <= 0 => (keyword, name) = (true, ""),
                ":" if keyword
                    && head.get(n + 1).is_none_or(|t| t.text != ":")
                    && n > 0
                    && head[n - 1].text != ":" =>
                {
                    break;
                }
                "final" | "alignas" => {}
                _ if keyword && depth <= 0 && token.is_word() => name = token.text,
                _ => {}
            }
        }
        if keyword { NestingLevel { class: name, ..outer } } else { level }
    }

    /// The function region whose head is the macro before a brace.
    fn function_region(&self, brace: usize) -> usize {
        match self.aside.regions.last() {
            Some(MacroRegion { kind: MacroRegionKind::Function(_), end, .. }) if *end == brace => {
                self.aside.regions.len()
            }
            _ => 0,
        }
    }

    pub(super) fn blank(&mut self, span: Range<usize>) {
        self.aside.blanks.push(span);
    }

    /// Blanks a token and keeps its word.
    pub(super) fn blank_token(&mut self, i: usize) {
        let span = self.read.all[i].span();
        self.blank(span.clone());
        self.aside.words.push(span);
    }

    /// Blanks a range of tokens and keeps their words.
    pub(super) fn blank_range(&mut self, from: usize, to: usize) {
        let all = &self.read.all;
        self.aside.blanks.push(all[from].start..all[to].span().end);
        self.keep_words(from, to);
    }

    /// Keeps the words of blanked tokens as references, except for members: their objects are not
    /// lowered.
    pub(super) fn keep_words(&mut self, from: usize, to: usize) {
        let at = |n: usize| self.read.at(n);
        let member = |n: usize| {
            n > from + 1 && matches!((at(n - 2), at(n - 1)), (":", ":") | ("-", ">"))
                || n > from && at(n - 1) == "."
        };
        let words = (from..=to).filter(|&n| self.read.all[n].is_word() && !member(n));
        self.aside.words.extend(words.map(|n| self.read.all[n].span()));
    }

    /// Handles a macro; returns the next token.
    fn handle_macro(&mut self, i: usize) -> usize {
        let read = Rc::clone(&self.read);
        let at = |n: usize| read.at(n);
        let before = if i == 0 { "" } else { at(i - 1) };
        let next = self.read.all.get(i + 1).copied();
        let next_word = next.is_some_and(|t| t.is_word());
        let starts = self.chained == i
            || matches!(
                before,
                "" | ";"
                    | "}"
                    | "{"
                    | ")"
                    | "static"
                    | "extern"
                    | "inline"
                    | ":"
                    | ">"
                    | "constexpr"
                    | "virtual"
                    | "explicit"
                    | "template"
                    | "friend"
            );
        let close = if at(i + 1) == "(" { self.read.closing(i + 1) } else { None };
        // `class EXPORT Name {`
        if matches!(before, "class" | "struct" | "union" | "enum") {
            let name = close.map_or(i + 1, |c| c + 1);
            if self.read.all.get(name).is_some_and(Token::is_word)
                && matches!(at(name + 1), "{" | ":" | "final" | ";" | "<")
            {
                self.blank_range(i, name - 1);
                return name;
            }
        }
        // `{ FIELDS }`
        let after_fields = i > 0 && self.lent == Some(i - 1);
        if let Some(next) = self.handle_namespace_macro(i, starts || after_fields) {
            return next;
        }
        let lends = matches!(before, ";" | "{" | "}") || after_fields;
        if lends
            && (at(i + 1) == "}" || next.is_some_and(|t| t.is_macro()) && at(i + 2) != "(")
            && !self.declares_after(i)
        {
            self.lent = Some(i);
            let span = self.read.all[i].span();
            self.blank(span.clone());
            self.aside.fields.push(span);
            return i + 1;
        }
        // `template <typename T, ENABLE_IF(…)>`
        if let Some(close) = close
            && matches!(before, "," | "<")
            && matches!(at(close + 1), "," | ">")
            && self.in_template_list(i)
        {
            let all = &self.read.all;
            let from = if before == "," { all[i - 1].start } else { all[i].start };
            let to = if before == "<" && at(close + 1) == "," { close + 1 } else { close };
            self.aside.blanks.push(from..all[to].span().end);
            self.keep_words(i, close);
            return close + 1;
        }
        if let Some(close) = close
            && at(close + 1) == "{"
            && self.now.head == i
            && !self.now.inner
            && self.now.class.is_empty()
            && !(at(close - 1) == ")" && read.all[i + 2].is_type_word())
        {
            // `TEST(Fixture, name) {`
            let all = &self.read.all;
            let first = all[i + 2..close].first().filter(|t| t.is_word()).map_or("", |t| t.text);
            let (word, kind) = (all[i].span(), MacroRegionKind::Function(first));
            self.aside.regions.push(MacroRegion { word, end: close + 1, kind });
            self.aside.blanks.push(all[i].start..all[close].span().end);
            let given = usize::from(!first.is_empty());
            if i + 2 + given < close {
                self.keep_words(i + 2 + given, close);
            }
            return close + 1;
        }
        if starts {
            if let Some(next) = self.blank_attributes_before(i) {
                return next;
            }
            if self.now.inner && next_word && next.is_some_and(|t| t.is_control()) {
                // `FALLTHROUGH case 1:`
                if before != ")" {
                    self.blank_token(i);
                    return i + 1;
                }
            }
        }
        // `EXPORT(type name(…))`
        if let Some(close) = close
            && matches!(before, "" | ";" | "}" | "{")
            && self.read.all[i + 2].is_type_word()
            && at(close - 1) == ")"
        {
            let all = &self.read.all;
            let (open, end) = (all[i].start..all[i + 1].span().end, all[close].span());
            self.blank(open);
            self.blank(end);
            self.aside.words.push(self.read.all[i].span());
            return i + 1;
        }
        if let Some(close) = close
            && let Some(next) = self.handle_statement_macro(i, close)
        {
            return next;
        }
        // `LIST_HEAD(type) name;`
        if let Some(close) = close
            && (matches!(before, "" | ";" | "}" | "{" | "static" | "extern") || self.now.head == i)
            && let Some(name) = self.read.all.get(close + 1).filter(|t| t.is_word())
            && !name.is_macro()
            && !name.is_control()
            && matches!(at(close + 2), ";" | "=" | "[")
        {
            let all = &self.read.all;
            self.aside.blanks.push(all[i + 1].start..all[close].span().end);
            self.keep_words(i + 1, close);
            return close + 1;
        }
        self.handle_annotation(i, before, close)
    }

    /// Whether a token is in a template's parameter list.
    fn in_template_list(&self, i: usize) -> bool {
        let mut depth = 0;
        for n in (i.saturating_sub(200)..i).rev() {
            match self.read.at(n) {
                ";" | "{" | "}" => return false,
                ">" | ")" => depth += 1,
                "<" if depth == 0 => return n > 0 && self.read.at(n - 1) == "template",
                "<" | "(" => depth -= 1,
                _ => {}
            }
        }
        false
    }
}
