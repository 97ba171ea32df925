//! Visits a parsed command line and collects its commands, redirections and doubts.

use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, Command,
    CommandPrefixOrSuffixItem, CompoundCommand, CompoundList, ExtendedTestExpr, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect, Pipeline, Program, RedirectList, SimpleCommand,
};

use super::programs::{
    has_command_option, is_evaluating, is_harmful_option, is_harmless_without_options, is_launcher,
    is_setter, is_shell,
};
use super::scripts::may_run_anything;
use super::words::{Expansions, Word, parse_word, scan_expansions};
use super::{LineAnalysis, MAX_STORED_COMMANDS, Redirect, ShellCommand, analyse_nested};

/// Adds the commands of a syntax tree to `line`; `depth` is the number of enclosing command lines.
pub(super) struct CommandVisitor<'a> {
    pub(super) line: &'a mut LineAnalysis,
    pub(super) depth: usize,
}

/// The doubt about syntax on which shells differ, or which only some support.
const AMBIGUOUS: &str = "shells read parts of it in different ways";
/// Limit for the words of a launcher that are analysed.
const MAX_LAUNCHED_WORDS: usize = 64;

/// Limit for the `=` in a word after which a command may start.
const MAX_OPTION_VALUES: usize = 4;

impl CommandVisitor<'_> {
    pub(super) fn program(&mut self, program: &Program) {
        for list in &program.complete_commands {
            self.list(list);
        }
    }

    /// Notes why no rule can allow the line; the first reason is kept.
    fn doubt(&mut self, why: &'static str) {
        self.line.doubt.get_or_insert(why);
    }

    fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            self.and_or(&item.0);
        }
    }

    fn and_or(&mut self, list: &AndOrList) {
        self.pipeline(&list.first);
        for AndOr::And(pipeline) | AndOr::Or(pipeline) in &list.additional {
            self.pipeline(pipeline);
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        for command in &pipeline.seq {
            self.command(command);
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(command) => self.simple(command),
            Command::Compound(command, redirects) => {
                self.compound(command);
                self.redirects(redirects.as_ref());
            }
            Command::Function(function) => {
                self.doubt("it defines a function");
                self.compound(&function.body.0);
                self.redirects(function.body.1.as_ref());
            }
            Command::ExtendedTest(test, redirects) => {
                self.doubt(AMBIGUOUS);
                self.test(&test.expr);
                self.redirects(redirects.as_ref());
            }
        }
    }

    fn compound(&mut self, command: &CompoundCommand) {
        match command {
            CompoundCommand::Arithmetic(command) => self.arithmetic(&command.expr.value),
            CompoundCommand::ArithmeticForClause(command) => {
                for part in [&command.initializer, &command.condition, &command.updater] {
                    self.arithmetic(part.as_ref().map_or("", |part| &part.value));
                }
                self.list(&command.body.list);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            CompoundCommand::ForClause(clause) => {
                for value in clause.values.iter().flatten() {
                    self.word(&value.value);
                }
                // The variable may be one that programs use.
                self.doubt("it sets variables");
                self.list(&clause.body.list);
            }
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value.value);
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.word(&pattern.value);
                    }
                    if let Some(list) = &case.cmd {
                        self.list(list);
                    }
                }
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition);
                self.list(&clause.then);
                for clause in clause.elses.iter().flatten() {
                    if let Some(condition) = &clause.condition {
                        self.list(condition);
                    }
                    self.list(&clause.body);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0);
                self.list(&clause.1.list);
            }
            CompoundCommand::Coprocess(command) => {
                self.doubt(AMBIGUOUS);
                self.command(&command.body);
            }
        }
    }

    /// Visits an arithmetic expression: subscripts and substitutions in it may run commands.
    fn arithmetic(&mut self, text: &str) {
        self.doubt(AMBIGUOUS);
        if text.contains(['[', '`', '$']) {
            self.line.may_run_anything = true;
        }
    }

    fn test(&mut self, test: &ExtendedTestExpr) {
        match test {
            ExtendedTestExpr::And(a, b) | ExtendedTestExpr::Or(a, b) => {
                self.test(a);
                self.test(b);
            }
            ExtendedTestExpr::Not(test) | ExtendedTestExpr::Parenthesized(test) => self.test(test),
            ExtendedTestExpr::UnaryTest(_, a) => self.arithmetic_word(&a.value),
            ExtendedTestExpr::BinaryTest(_, a, b) => {
                self.arithmetic_word(&a.value);
                self.arithmetic_word(&b.value);
            }
        }
    }

    /// Visits a word that may be evaluated as arithmetic, including subscripts.
    fn arithmetic_word(&mut self, raw: &str) {
        self.word(raw);
        if raw.contains('[') {
            self.line.may_run_anything = true;
        }
    }

    fn simple(&mut self, command: &SimpleCommand) {
        let mut words = Vec::new();
        for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item, &mut words);
        }
        let assigns = command.prefix.iter().flat_map(|prefix| &prefix.0);
        for item in assigns {
            if matches!(item, CommandPrefixOrSuffixItem::AssignmentWord(..)) {
                self.doubt("it sets variables");
            }
        }
        if let Some(name) = &command.word_or_name {
            words.push(self.word(&name.value));
        }
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut words);
        }
        // Assignments alone run nothing.
        if command.word_or_name.is_some() {
            self.add_command(words);
        }
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, words: &mut Vec<Word>) {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect),
            CommandPrefixOrSuffixItem::Word(raw) => words.push(self.word(&raw.value)),
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, raw) => {
                self.assignment(assignment);
                if !words.is_empty() {
                    words.push(self.word(&raw.value));
                }
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                self.doubt(AMBIGUOUS);
                self.list(&subshell.list);
                words.push(Word::Unknown);
            }
        }
    }

    /// Visits an assignment; subscripts in it are evaluated, so they may run commands.
    fn assignment(&mut self, assignment: &Assignment) {
        if matches!(assignment.name, AssignmentName::ArrayElementName(..)) {
            self.doubt(AMBIGUOUS);
            self.line.may_run_anything = true;
        }
        match &assignment.value {
            AssignmentValue::Scalar(value) => {
                let word = self.word(&value.value);
                // Evaluating a name evaluates its value, which may contain subscripts.
                self.line.may_run_anything |= word.known().is_some_and(may_evaluate);
            }
            AssignmentValue::Array(values) => {
                self.doubt(AMBIGUOUS);
                for (key, value) in values {
                    if let Some(key) = key {
                        self.arithmetic_word(&key.value);
                    }
                    self.word(&value.value);
                }
            }
        }
    }

    fn redirects(&mut self, redirects: Option<&RedirectList>) {
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            self.redirect(redirect);
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect) {
        match redirect {
            IoRedirect::File(_, kind, target) => {
                let writes =
                    !matches!(kind, IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput);
                match target {
                    IoFileRedirectTarget::Filename(name) => {
                        self.add_file_redirect(&name.value, writes)
                    }
                    IoFileRedirectTarget::Fd(_) => {}
                    IoFileRedirectTarget::ProcessSubstitution(_, subshell) => {
                        self.doubt(AMBIGUOUS);
                        self.list(&subshell.list);
                    }
                    IoFileRedirectTarget::Duplicate(word) => {
                        let is_descriptor = |c: char| c.is_ascii_digit() || c == '-';
                        if !word.value.chars().all(is_descriptor) {
                            self.doubt(AMBIGUOUS);
                            self.add_file_redirect(&word.value, true);
                        }
                    }
                }
            }
            IoRedirect::HereDocument(_, document) => {
                self.doubt("it holds a here-document");
                let mut found = Expansions::default();
                if document.requires_expansion {
                    scan_expansions(&document.doc.value, &mut found);
                }
                self.add_expansions(found);
            }
            IoRedirect::HereString(_, word) => {
                self.doubt(AMBIGUOUS);
                self.word(&word.value);
            }
            IoRedirect::OutputAndError(word, _) => {
                self.doubt(AMBIGUOUS);
                self.add_file_redirect(&word.value, true);
            }
        }
    }

    /// Adds a redirection to or from a file.
    fn add_file_redirect(&mut self, raw: &str, writes: bool) {
        let target = self.word(raw);
        if self.line.redirects.len() < MAX_STORED_COMMANDS {
            self.line.redirects.push(Redirect { target, writes });
        } else {
            self.doubt("it has too many redirections");
        }
    }

    /// Expands a word, and adds what its expansions run.
    fn word(&mut self, raw: &str) -> Word {
        let mut found = Expansions::default();
        let word = parse_word(raw, &mut found);
        self.add_expansions(found);
        word
    }

    /// Adds what a word's expansions run.
    fn add_expansions(&mut self, found: Expansions) {
        if found.is_ambiguous {
            self.doubt(AMBIGUOUS);
        }
        if found.hides_code {
            self.line.may_run_anything = true;
        }
        for code in found.code {
            if found.is_ambiguous {
                // The substitution may end elsewhere.
                self.line.may_run_anything = true;
            }
            analyse_nested(&code, self.line, self.depth + 1);
        }
    }

    /// Adds a command that is run.
    fn add_command(&mut self, words: Vec<Word>) {
        if self.line.commands.len() >= MAX_STORED_COMMANDS {
            return self.doubt("it is made of more than 50 commands");
        }
        let Some(Word::Known(program)) = words.first().cloned() else {
            self.doubt("the program it runs is unknown");
            self.line.commands.push(ShellCommand { words, is_launcher: true });
            return;
        };
        self.line.changes_folder |= matches!(program.as_str(), "cd" | "pushd" | "popd");
        let mut is_launching = is_launcher(&program) || is_shell(&program);
        if is_harmless_without_options(&program) {
            is_launching = words[1..].iter().any(|word| match word {
                Word::Known(word) => is_harmful_option(&program, word),
                _ => true,
            });
        }
        if is_setter(&program) || (program == "printf" && sets_variable(&words)) {
            self.doubt("it sets variables");
        }
        self.line.may_run_anything |= may_run_anything(&program, &words[1..]);
        let known = || words[1..].iter().filter_map(Word::known);
        if is_evaluating(&program) {
            self.line.may_run_anything |= known().any(may_evaluate);
        }
        if is_launching || known().any(|word| has_command_option(&program, word)) {
            self.add_launched(&program, &words);
        }
        self.line.commands.push(ShellCommand { words, is_launcher: is_launching });
    }

    /// Adds what a launcher may run.
    fn add_launched(&mut self, program: &str, words: &[Word]) {
        let is_option = |word: &Word| matches!(word, Word::Known(w) if w.starts_with(['-', '+']));
        let named: Vec<_> = words[1..].iter().filter(|word| !is_option(word)).collect();
        // A shell without arguments runs its input.
        let runs_file = matches!(program, "." | "source");
        self.line.may_run_anything |= runs_file || (is_shell(program) && named.is_empty());
        self.line.may_run_anything |= words.len() > MAX_LAUNCHED_WORDS;
        // A launched program may be a launcher itself; after a shell, words may be command lines.
        let mut in_shell = is_shell(program);
        for (index, word) in words.iter().enumerate().take(MAX_LAUNCHED_WORDS).skip(1) {
            let Word::Known(text) = word else {
                self.line.may_run_anything = true;
                continue;
            };
            self.line.add_possible(words[index..].to_vec());
            self.line.may_run_anything |= may_run_anything(text, &words[index + 1..]);
            if in_shell || text.contains(|c: char| c.is_whitespace() || ";|&$`(=".contains(c)) {
                self.line.add_possible_line(text, self.depth + 1);
            }
            // `alias x='…'`, `--command='…'`
            for (at, _) in text.match_indices('=').take(MAX_OPTION_VALUES) {
                let code = text[at + 1..].trim_start_matches(['!', '|']);
                self.line.add_possible_line(code, self.depth + 1);
            }
            // `-I'…'`
            if let Some(code) = text.strip_prefix('-').and_then(|option| option.get(1..)) {
                self.line.add_possible_line(code, self.depth + 1);
            }
            in_shell |= is_shell(text);
        }
        if program == "eval" {
            self.add_eval(&words[1..]);
        }
    }

    /// Adds what `eval` runs: it joins its arguments to a line.
    fn add_eval(&mut self, words: &[Word]) {
        let known = words.iter().map(|word| match word {
            Word::Known(word) => Some(word.as_str()),
            _ => None,
        });
        match known.collect::<Option<Vec<_>>>() {
            Some(words) => self.line.add_possible_line(&words.join(" "), self.depth + 1),
            None => self.line.may_run_anything = true,
        }
    }
}

/// Whether text runs a command if it is used as the name of a variable.
fn may_evaluate(text: &str) -> bool {
    text.contains('[') && (text.contains("$(") || text.contains('`'))
}

/// Whether `printf` sets a variable.
fn sets_variable(words: &[Word]) -> bool {
    words.get(1).is_some_and(|word| word.known().is_none_or(|word| word.starts_with("-v")))
}
