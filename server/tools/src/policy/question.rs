//! What a person is shown before they decide.

use std::fmt::Write;

use super::rules::Ruling;
use super::visible::{visible, visible_lines};
use crate::{Command, Effect, EffectKind, Target};

/// Longest text of one command or diff that is shown whole, in characters.
const LONGEST: usize = 10_000;
/// What is shown of a longer one.
const HEAD: usize = 6_000;
const TAIL: usize = 2_000;
/// Longest question.
const LONGEST_QUESTION: usize = 40_000;
/// Most things that one question lists.
const MOST: usize = 40;

/// How a cut text begins the line that says so.
const LEFT_OUT: &str = "[left out";

/// A question's text.
pub(super) struct Asked {
    pub(super) text: String,
    /// Whether everything is shown: only then may the answer hold for more than this call.
    pub(super) is_whole: bool,
}

/// The question about a call, some of whose effects need leave.
pub(super) fn question(tool: &str, effects: &[Effect], asked: &[(usize, Ruling)]) -> Asked {
    let mut question = Asked { text: String::new(), is_whole: true };
    let is_asked = |index: usize| asked.iter().find(|(of, _)| *of == index);
    let mut listed = 0;
    for (index, effect) in effects.iter().enumerate() {
        let Some((_, ruling)) = is_asked(index) else { continue };
        listed += 1;
        if listed > MOST || question.text.len() > LONGEST_QUESTION {
            continue;
        }
        question.effect(tool, effect);
        let _ = writeln!(question.text, "({})", visible(&ruling.why));
        let others = asked.iter().filter(|(of, other)| *of == index && other != ruling);
        for (_, other) in others.take(3) {
            let _ = writeln!(question.text, "({})", visible(&other.why));
        }
    }
    if effects.is_empty() {
        let why = asked.first().map_or("", |(_, ruling)| ruling.why.as_str());
        let _ = writeln!(question.text, "Call {tool}?\n({})", visible(why));
    }
    let others: Vec<_> = (0..effects.len()).filter(|index| is_asked(*index).is_none()).collect();
    for index in others.iter().take(MOST) {
        let effect = &effects[*index];
        let _ = writeln!(question.text, "It would also {}.", act(effect));
    }
    let left_out = listed.saturating_sub(MOST) + others.len().saturating_sub(MOST);
    if left_out > 0 || question.text.len() > LONGEST_QUESTION {
        question.is_whole = false;
        let _ = writeln!(question.text, "{left_out} further effects are not shown.");
    }
    question.text.truncate(question.text.trim_end().len());
    question
}

/// The question whether what a command has made may stay.
pub(super) fn question_of_made(
    tool: &str,
    command: &Command,
    made: &[(&Effect, &Ruling)],
) -> String {
    let mut question = Asked { text: String::new(), is_whole: true };
    let _ = writeln!(question.text, "{tool} has run:");
    question.long(&visible_lines(&command.line));
    let _ = writeln!(question.text, "in {}", place(command));
    let _ = writeln!(question.text, "It created files that editors and tools run or trust:");
    let mut left = made.len();
    for (effect, ruling) in made.iter().take(MOST) {
        if question.text.len() > LONGEST_QUESTION {
            break;
        }
        left -= 1;
        if let Target::Path(path) | Target::Tree(path) = &effect.target {
            let _ = writeln!(question.text, "{}", visible(&path.display_path()));
        }
        if let Some(detail) = &effect.detail {
            question.long(&visible_lines(detail));
        }
        let _ = writeln!(question.text, "({})", visible(&ruling.why));
    }
    if left > 0 {
        let _ = writeln!(question.text, "{left} more are not shown.");
    }
    question.text.push_str("Keep them? Otherwise they go to the trash.");
    question.text
}

impl Asked {
    fn effect(&mut self, tool: &str, effect: &Effect) {
        if let Target::Command(command) = &effect.target {
            return self.command(tool, command);
        }
        let _ = writeln!(self.text, "{tool} wants to {}.", act(effect));
        if let Some(detail) = &effect.detail {
            // Whoever made it may have cut it already.
            self.is_whole &= !detail.lines().any(|line| line.starts_with(LEFT_OUT));
            self.long(&visible_lines(detail));
        }
    }

    fn command(&mut self, tool: &str, command: &Command) {
        let _ = writeln!(self.text, "{tool} wants to run:");
        self.long(&visible_lines(&command.line));
        let _ = writeln!(self.text, "in {}", place(command));
        if !command.env.is_empty() {
            let names = command.env.iter().map(|(name, value)| format!("{name}={value}"));
            let names: Vec<_> = names.collect();
            let _ = write!(self.text, "with ");
            self.long(&visible(&names.join(" ")));
        }
        if let Some(input) = &command.input {
            let _ = writeln!(self.text, "with this to read:");
            self.long(&visible_lines(input));
        }
        let network = if command.network { "with the network" } else { "without the network" };
        let sandbox =
            if command.sandbox { "kept to the workspace" } else { "free to write anywhere" };
        let _ = writeln!(self.text, "{network}, {sandbox}");
    }

    fn long(&mut self, text: &str) {
        let count = text.chars().count();
        if count <= LONGEST {
            return self.quote(text);
        }
        self.is_whole = false;
        let head: String = text.chars().take(HEAD).collect();
        let tail: String = text.chars().skip(count - TAIL).collect();
        let left_out = count - HEAD - TAIL;
        self.quote(&head);
        let _ = writeln!(self.text, "… {left_out} characters are not shown …");
        self.quote(&tail);
    }

    /// Every line marked, so that none passes for one of ours.
    fn quote(&mut self, text: &str) {
        for line in text.lines() {
            let _ = writeln!(self.text, "| {line}");
        }
    }
}

/// The folder that a command runs in.
fn place(command: &Command) -> String {
    match command.cwd.display_path().as_str() {
        "." => "the workspace's folder".to_owned(),
        folder => visible(folder),
    }
}

/// What an effect does, as the end of a sentence.
pub(super) fn act(effect: &Effect) -> String {
    let what = match &effect.target {
        Target::Path(path) => visible(&path.display_path()),
        Target::Tree(path) => format!("{} and everything below it", visible(&path.display_path())),
        Target::Repository(path) => {
            format!("the repository in {}", visible(&path.to_string_lossy()))
        }
        Target::Command(command) => visible(&command.line),
        Target::Named(name) => visible(name),
    };
    let verb = match effect.kind {
        EffectKind::Read => "read",
        EffectKind::Write => "write",
        EffectKind::Delete => "delete",
        EffectKind::Execute => "run",
        EffectKind::Network => "reach over the network:",
        EffectKind::Admin => "change the rules or what is outside the workspace:",
    };
    let what = if what.chars().count() > 1_000 {
        what.chars().take(999).chain(['…']).collect()
    } else {
        what
    };
    format!("{verb} {what}")
}
