//! Divides a file into units: functions, types and values, each with the names that it uses.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet};
use workspace::{DefinitionKind, FileSymbol};

use super::lexer::{Style, Token, TokenKind, tokens};
use super::rust_blocks::{ImplBlock, impl_blocks, item_macros};

/// The number of a name.
pub(super) type Name = u32;

/// All names of a project, numbered.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: FxHashMap<Box<str>, Name>,
    texts: Vec<Box<str>>,
}

impl Names {
    pub(super) fn number(&mut self, text: &str) -> Name {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = Name::try_from(self.texts.len()).unwrap_or(Name::MAX);
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    pub(super) fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    pub(super) fn text(&self, name: Name) -> &str {
        self.texts.get(name as usize).map_or("", |text| text)
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }
}

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum UnitKind {
    Function,
    /// A class or the like: its header and body without its methods.
    Type,
    /// A variable or a constant of a module.
    Value,
    /// A module inside a file.
    Module,
}

/// A part of a file that is used by its name.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) name: Name,
    /// Its name path in the file, with what distinguishes its `impl` block.
    pub(super) path: Vec<Box<str>>,
    pub(super) kind: UnitKind,
    /// The type or module around it, as a number of the file's units.
    pub(super) parent: Option<usize>,
    /// The names of the types whose member it is.
    pub(super) types: Vec<Name>,
    /// Whether it is called without its name: an operator, a method of a trait, a fixture's setup.
    pub(super) is_implicit: bool,
    /// Whether its name or its attributes say that it is a test.
    pub(super) is_test: bool,
    /// Names in its header: base classes.
    pub(super) header: Vec<Name>,
    /// Other names that it has: a fixture's, in its decorator.
    pub(super) other_names: Vec<Name>,
    pub(super) uses: Vec<Name>,
    /// The hash of its tokens; the units inside it are left out.
    pub(super) hash: u64,
    /// The hash of what is before its body: its decorators, its name, its parameters.
    pub(super) head_hash: u64,
}

/// A file's units and what it does when it is imported.
#[derive(Debug)]
pub(super) struct FileUnits {
    pub(super) style: Style,
    pub(super) units: Vec<Unit>,
    /// Names that the file's own statements use, outside of all units.
    pub(super) uses: Vec<Name>,
    /// Names whose code may run when the file is imported.
    pub(super) runs: Vec<Name>,
    /// Names in import statements, and in strings that may be paths.
    pub(super) imports: Vec<Name>,
    /// Names and what imports rename them to.
    pub(super) aliases: Vec<(Name, Name)>,
    /// Beginnings of names that are completed at run time.
    pub(super) prefixes: Vec<Name>,
    /// Whether it does not parse: then importing it fails.
    pub(super) is_broken: bool,
    /// Of the file's own statements, without imports.
    pub(super) hash: u64,
    /// Of its import statements.
    pub(super) import_hash: u64,
}

/// Functions that Python's test runners call by convention, as beginnings of names.
const PYTHON_SETUP: &[&str] =
    &["setUp", "tearDown", "setup", "teardown", "asyncSetUp", "asyncTearDown", "addCleanup"];
/// Last names of Rust attributes that make tests.
const RUST_TESTS: &[&str] =
    &["test", "rstest", "test_case", "quickcheck", "parameterized", "wasm_bindgen_test", "case"];

/// Divides a text by its definitions. O(text).
pub(super) fn file_units(
    style: Style,
    text: &str,
    symbols: &[FileSymbol],
    names: &mut Names,
) -> FileUnits {
    let tokens = tokens(style, text);
    let blocks = if style == Style::Rust { impl_blocks(text, &tokens) } else { Vec::new() };
    let mut builder = Builder::new(style, text, &tokens, &blocks, names);
    builder.add_units(symbols);
    builder.include_decorators();
    builder.read_tokens();
    builder.finish()
}

/// A unit while its file is read.
struct Open<'t> {
    symbol: &'t FileSymbol,
    kind: UnitKind,
    parent: Option<usize>,
    /// With its decorators.
    start: usize,
    end: usize,
    uses: FxHashSet<Name>,
    header: Vec<Name>,
    other_names: Vec<Name>,
    is_test: bool,
    hasher: DefaultHasher,
    head_hasher: DefaultHasher,
    /// How deep in brackets its header is; `None` after the header.
    header_depth: Option<u32>,
    /// Whether a default value is read.
    is_default: bool,
}

struct Builder<'t> {
    style: Style,
    text: &'t str,
    tokens: &'t [Token],
    blocks: &'t [ImplBlock],
    names: &'t mut Names,
    units: Vec<Open<'t>>,
    uses: FxHashSet<Name>,
    runs: FxHashSet<Name>,
    imports: FxHashSet<Name>,
    /// The last names of the import statement that is read.
    imported: [Name; 2],
    aliases: Vec<(Name, Name)>,
    prefixes: FxHashSet<Name>,
    hasher: DefaultHasher,
    import_hasher: DefaultHasher,
}

impl<'t> Builder<'t> {
    fn new(
        style: Style,
        text: &'t str,
        tokens: &'t [Token],
        blocks: &'t [ImplBlock],
        names: &'t mut Names,
    ) -> Self {
        Self {
            style,
            text,
            tokens,
            blocks,
            names,
            units: Vec::new(),
            uses: FxHashSet::default(),
            runs: FxHashSet::default(),
            imports: FxHashSet::default(),
            imported: [Name::MAX; 2],
            aliases: Vec::new(),
            prefixes: FxHashSet::default(),
            hasher: DefaultHasher::new(),
            import_hasher: DefaultHasher::new(),
        }
    }

    /// The outermost functions and values, and the types and modules around functions.
    fn add_units(&mut self, symbols: &'t [FileSymbol]) {
        let mut sorted: Vec<&FileSymbol> = symbols.iter().collect();
        sorted.sort_by_key(|symbol| (symbol.span.start, std::cmp::Reverse(symbol.span.end)));
        let mut around: Vec<usize> = Vec::new();
        for symbol in sorted {
            around.retain(|unit| self.units[*unit].end > symbol.span.start);
            let parent = around.last().copied();
            let kind = match symbol.kind {
                kind if kind.is_callable() => UnitKind::Function,
                DefinitionKind::Macro => UnitKind::Function,
                DefinitionKind::Module | DefinitionKind::Namespace => UnitKind::Module,
                DefinitionKind::TypeParameter | DefinitionKind::EnumMember => continue,
                kind if kind.is_type() => UnitKind::Type,
                DefinitionKind::Variable | DefinitionKind::Constant | DefinitionKind::Field => {
                    UnitKind::Value
                }
                _ => continue,
            };
            let around_kind = parent.map(|parent| self.units[parent].kind);
            let is_inner = matches!(around_kind, Some(UnitKind::Function | UnitKind::Value))
                || kind == UnitKind::Value && around_kind == Some(UnitKind::Type);
            if is_inner || symbol.span.is_empty() {
                continue;
            }
            around.push(self.units.len());
            self.units.push(Open {
                symbol,
                kind,
                parent,
                start: symbol.span.start,
                end: symbol.span.end,
                uses: FxHashSet::default(),
                header: Vec::new(),
                other_names: Vec::new(),
                is_test: false,
                hasher: DefaultHasher::new(),
                head_hasher: DefaultHasher::new(),
                header_depth: Some(0),
                is_default: false,
            });
        }
    }

    /// Lets units begin with the decorators and attributes before them.
    fn include_decorators(&mut self) {
        let mark = match self.style {
            Style::Rust => b'#',
            Style::Go => return,
            _ => b'@',
        };
        // Where the text before a unit, which belongs to no other, begins.
        let mut begins = 0;
        let mut token = 0;
        for unit in 0..self.units.len() {
            let (start, parent) = (self.units[unit].start, self.units[unit].parent);
            let parent_name = parent.map_or(0, |parent| self.units[parent].symbol.name_span.end);
            begins = begins.max(parent_name);
            while self.tokens.get(token).is_some_and(|t| (t.start as usize) < begins) {
                token += 1;
            }
            let mut at = token;
            while let Some(t) = self.tokens.get(at).filter(|t| (t.start as usize) < start) {
                let is_inner_attribute =
                    mark == b'#' && self.tokens.get(at + 1).is_some_and(|next| next.is(b'!'));
                if t.is(mark) && t.is_first && !is_inner_attribute {
                    self.units[unit].start = t.start as usize;
                    break;
                }
                // In a block of Rust, what is before it does not belong to the unit.
                at += 1;
            }
            begins = match self.units[unit].kind {
                UnitKind::Function | UnitKind::Value => self.units[unit].end,
                _ => self.units[unit].symbol.name_span.end,
            };
        }
    }

    fn read_tokens(&mut self) {
        let tokens = self.tokens;
        let macros = match self.style {
            Style::Rust => item_macros(self.text, tokens),
            _ => Vec::new(),
        };
        let mut around: Vec<usize> = Vec::new();
        let mut next_unit = 0;
        let mut import: Option<u32> = None;
        // `if __name__ == "__main__":` is not run by an import.
        let mut is_main = false;
        for (index, token) in tokens.iter().enumerate() {
            let at = token.start as usize;
            around.retain(|unit| self.units[*unit].end > at);
            while self.units.get(next_unit).is_some_and(|unit| unit.start <= at) {
                if self.units[next_unit].end > at {
                    around.push(next_unit);
                }
                next_unit += 1;
            }
            let owner = around.last().copied();
            import = self.import_depth(import, token);
            if token.kind == TokenKind::Prefix {
                let prefix = self.names.number(token.text(self.text));
                self.prefixes.insert(prefix);
                continue;
            }
            if import.is_some() {
                self.import_token(token, owner);
                continue;
            }
            if self.style == Style::Python && token.is_first && self.indentation(token) == 0 {
                let next = tokens.get(index + 1);
                is_main = token.text(self.text) == "if"
                    && next.is_some_and(|next| next.text(self.text) == "__name__");
            }
            if is_main && owner.is_none() {
                token.text(self.text).hash(&mut self.hasher);
                continue;
            }
            let called = tokens.get(index + 1).is_some_and(|next| next.is(b'('));
            match owner {
                Some(unit) => {
                    // At the level of items, Rust has attributes, headers of `impl` blocks and
                    // macros; only the macros have code.
                    let has_code = self.style != Style::Rust
                        || self.units[unit].kind != UnitKind::Module
                        || macros.iter().any(|range| range.contains(&at));
                    self.unit_token(unit, token, called, has_code);
                }
                None => {
                    let has_code =
                        self.style != Style::Rust || macros.iter().any(|range| range.contains(&at));
                    self.file_token(token, called, has_code);
                }
            }
        }
    }

    /// Whether the token is in an import statement, and how deep in its brackets.
    fn import_depth(&self, import: Option<u32>, token: &Token) -> Option<u32> {
        let depth = match import {
            Some(depth) if token.is_first && depth == 0 => None,
            other => other,
        };
        let Some(depth) = depth else {
            let begins = token.is_first
                && token.kind == TokenKind::Word
                && match (self.style, token.text(self.text)) {
                    (Style::Python, "import" | "from")
                    | (Style::Rust, "use" | "extern")
                    | (Style::Go | Style::Braces, "import") => true,
                    // `import(x)` is an expression.
                    (Style::Script, "import") => {
                        !self.text[token.end as usize..].trim_start().starts_with('(')
                    }
                    (Style::Rust, "pub") => {
                        self.text[token.end as usize..].trim_start().starts_with("use ")
                    }
                    (Style::Script, "export") => {
                        let rest = &self.text[token.end as usize..];
                        let line = rest.lines().next().unwrap_or_default().trim_start();
                        line.starts_with('*') || line.contains(" from ")
                    }
                    _ => false,
                };
            return begins.then_some(0);
        };
        match token.kind {
            TokenKind::Punctuation(b'(' | b'{') => Some(depth + 1),
            TokenKind::Punctuation(b')' | b'}') => Some(depth.saturating_sub(1)),
            // The statement ends; the semicolon is the first token of nothing.
            TokenKind::Punctuation(b';') if depth == 0 => None,
            _ => Some(depth),
        }
    }

    fn import_token(&mut self, token: &Token, owner: Option<usize>) {
        let text = token.text(self.text);
        match owner {
            Some(unit) => text.hash(&mut self.units[unit].hasher),
            None => text.hash(&mut self.import_hasher),
        }
        if matches!(token.kind, TokenKind::Word | TokenKind::InString) {
            let name = self.names.number(text);
            self.imports.insert(name);
            let [before, last] = self.imported;
            if self.names.text(last) == "as" {
                self.aliases.push((before, name));
            }
            self.imported = [last, name];
        }
    }

    fn unit_token(&mut self, unit: usize, token: &Token, called: bool, has_code: bool) {
        let text = token.text(self.text);
        let at = token.start as usize;
        let runs_at_import = self.style.runs_at_import();
        let indentation = self.indentation(token);
        let open = &mut self.units[unit];
        if token.kind != TokenKind::InString {
            if token.is_first && self.style == Style::Python {
                // What a line belongs to depends on its indentation.
                indentation.hash(&mut open.hasher);
            }
            text.hash(&mut open.hasher);
        }
        let is_before = at < open.symbol.span.start;
        if is_before || open.header_depth.is_some() {
            text.hash(&mut open.head_hasher);
        }
        let is_name = matches!(token.kind, TokenKind::Word | TokenKind::InString);
        if is_name && has_code && open.symbol.name_span.start != at {
            let name = self.names.number(text);
            open.uses.insert(name);
            if token.kind == TokenKind::InString && text.len() > 1 {
                self.imports.insert(name);
                if is_before {
                    open.other_names.push(name);
                }
            }
            let is_type_or_value = open.kind != UnitKind::Function;
            let is_header_run = open.header_depth.is_some() && open.is_default && called;
            if runs_at_import && (is_before || is_header_run || is_type_or_value && called) {
                self.runs.insert(name);
            }
            if open.kind == UnitKind::Type && open.header_depth.is_some() && !is_before {
                open.header.push(name);
            }
        }
        if let Some(depth) = open.header_depth.filter(|_| at >= open.symbol.name_span.end) {
            open.header_depth = match token.kind {
                TokenKind::Punctuation(b'(' | b'[') => Some(depth + 1),
                TokenKind::Punctuation(b')' | b']') => Some(depth.saturating_sub(1)),
                TokenKind::Punctuation(b'{') if depth == 0 => None,
                TokenKind::Punctuation(b':') if depth == 0 && self.style == Style::Python => None,
                _ => Some(depth),
            };
            open.is_default = match token.kind {
                TokenKind::Punctuation(b'=') => true,
                TokenKind::Punctuation(b',') if depth == 1 => false,
                _ => open.is_default,
            };
        }
    }

    /// How far the first token of a line is indented, in bytes.
    fn indentation(&self, token: &Token) -> usize {
        if !token.is_first {
            return 0;
        }
        let before = &self.text[..token.start as usize];
        token.start as usize - before.rfind('\n').map_or(0, |end| end + 1)
    }

    fn file_token(&mut self, token: &Token, called: bool, has_code: bool) {
        let text = token.text(self.text);
        if token.kind != TokenKind::InString {
            if token.is_first && self.style == Style::Python {
                self.indentation(token).hash(&mut self.hasher);
            }
            text.hash(&mut self.hasher);
        }
        if !matches!(token.kind, TokenKind::Word | TokenKind::InString) {
            return;
        }
        let name = self.names.number(text);
        if token.kind == TokenKind::InString {
            self.imports.insert(name);
        }
        if has_code {
            self.uses.insert(name);
            if called || matches!(self.style, Style::Rust | Style::Script) {
                self.runs.insert(name);
            }
        }
    }

    fn finish(mut self) -> FileUnits {
        let mut units = Vec::with_capacity(self.units.len());
        let open = std::mem::take(&mut self.units);
        let header_names: Vec<Vec<Name>> = open.iter().map(|open| open.header.clone()).collect();
        for unit in open {
            let block = self.blocks.iter().find(|block| block.body.contains(&unit.start));
            let mut path: Vec<Box<str>> =
                unit.symbol.path.iter().map(|part| part.as_str().into()).collect();
            path.extend(block.map(|block| block.header_text.as_str().into()));
            let mut types: Vec<Name> = Vec::new();
            if let Some(block) = block {
                types.extend(block.header.iter().map(|name| self.names.number(name)));
            } else if let Some(parent) = unit.parent {
                types.extend(
                    unit.symbol.path.iter().rev().nth(1).map(|name| self.names.number(name)),
                );
                if self.is_called_without_name(&unit) {
                    // Code that handles the base class handles this one.
                    types.extend(&header_names[parent]);
                }
            } else if unit.symbol.path.len() > 1 {
                // A method of Go or C++, outside of its type.
                types.extend(
                    unit.symbol.path.iter().rev().nth(1).map(|name| self.names.number(name)),
                );
            }
            let is_implicit = self.is_called_without_name(&unit)
                || block.is_some_and(|block| block.is_of_trait)
                || self.is_default_export(&unit);
            let is_test = unit.is_test || self.is_test(&unit);
            units.push(Unit {
                name: self.names.number(&unit.symbol.name),
                path,
                kind: unit.kind,
                parent: unit.parent,
                types,
                is_implicit,
                is_test,
                header: unit.header,
                other_names: unit.other_names,
                uses: unit.uses.into_iter().collect(),
                hash: unit.hasher.finish(),
                head_hash: unit.head_hasher.finish(),
            });
        }
        FileUnits {
            style: self.style,
            units,
            uses: self.uses.into_iter().collect(),
            runs: self.runs.into_iter().collect(),
            imports: self.imports.into_iter().collect(),
            aliases: self.aliases,
            prefixes: self.prefixes.into_iter().collect(),
            is_broken: false,
            hash: self.hasher.finish(),
            import_hash: self.import_hasher.finish(),
        }
    }

    fn is_called_without_name(&self, unit: &Open<'_>) -> bool {
        let name = unit.symbol.name.as_str();
        unit.kind == UnitKind::Function
            && match self.style {
                Style::Python => {
                    name.starts_with("__") && name.ends_with("__")
                        || PYTHON_SETUP.iter().any(|setup| name.starts_with(setup))
                }
                Style::Script => {
                    matches!(name, "constructor" | "toString" | "toJSON" | "valueOf" | "then")
                        || name.starts_with('[')
                }
                // Interfaces of the standard library are implemented by methods of these names.
                Style::Go => {
                    matches!(
                        name,
                        "String" | "Error" | "Format" | "GoString" | "Read" | "Write" | "Close"
                    ) || matches!(name, "Len" | "Less" | "Swap" | "Is" | "As" | "Unwrap")
                        || name.starts_with("Marshal")
                        || name.starts_with("Unmarshal")
                        || name == "ServeHTTP"
                }
                Style::Rust | Style::Braces => name == "toString" || name.starts_with("operator"),
            }
    }

    /// Whether other files may give it any name.
    fn is_default_export(&self, unit: &Open<'_>) -> bool {
        let before = self.text[..unit.start.min(self.text.len())].trim_end();
        self.style == Style::Script && (before.ends_with("default") || before.ends_with('='))
    }

    fn is_test(&self, unit: &Open<'_>) -> bool {
        let name = unit.symbol.name.as_str();
        if unit.kind != UnitKind::Function {
            return false;
        }
        match self.style {
            Style::Python => name.starts_with("test"),
            Style::Go => ["Test", "Example", "Fuzz"].iter().any(|start| name.starts_with(start)),
            Style::Rust => self.has_test_attribute(unit),
            Style::Script | Style::Braces => false,
        }
    }

    fn has_test_attribute(&self, unit: &Open<'_>) -> bool {
        let from = self.tokens.partition_point(|token| (token.start as usize) < unit.start);
        let before = self.tokens[from..]
            .iter()
            .take_while(|token| (token.start as usize) < unit.symbol.span.start);
        let before: Vec<&Token> = before.collect();
        let mut attributes = before.split(|token| token.is(b'#')).filter(|part| !part.is_empty());
        attributes.any(|attribute| {
            let path = attribute
                .iter()
                .skip(1)
                .take_while(|token| token.kind == TokenKind::Word || token.is(b':'));
            let last = path.filter(|token| token.kind == TokenKind::Word).last();
            last.is_some_and(|last| RUST_TESTS.contains(&last.text(self.text)))
        })
    }
}
