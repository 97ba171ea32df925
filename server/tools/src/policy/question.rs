//! The text of an approval request.

use std::fmt::Write;

use super::rules::Ruling;
use super::visible::{escaped_line, escaped_lines};
use crate::{Command, Effect, EffectKind, Target};

/// Limit for one command or diff that is shown whole, in characters.
const MAX_QUOTE_CHARS: usize = 10_000;
/// The parts of a longer one that are shown, in characters.
const QUOTE_HEAD_CHARS: usize = 6_000;
const QUOTE_TAIL_CHARS: usize = 2_000;
/// Limit for the whole text, in bytes.
const MAX_TEXT_BYTES: usize = 40_000;
/// Limit for listed effects.
const MAX_EFFECTS: usize = 40;

/// The start of the line that marks a cut in a detail.
const LEFT_OUT: &str = "[left out";

/// The text of a request.
pub(super) struct ApprovalText {
    pub(super) text: String,
    /// Whether nothing is left out: only then may the answer cover more than this call.
    pub(super) is_whole: bool,
}

/// The text for a call; `asked` are the effects that need approval.
pub(super) fn approval_text(
    tool: &str,
    effects: &[Effect],
    asked: &[(usize, Ruling)],
) -> ApprovalText {
    let mut prompt = ApprovalText { text: String::new(), is_whole: true };
    let is_asked = |index: usize| asked.iter().find(|(of, _)| *of == index);
    let mut listed = 0;
    for (index, effect) in effects.iter().enumerate() {
        let Some((_, ruling)) = is_asked(index) else { continue };
        listed += 1;
        if listed > MAX_EFFECTS || prompt.text.len() > MAX_TEXT_BYTES {
            continue;
        }
        prompt.add_effect(tool, effect);
        let _ = writeln!(prompt.text, "({})", escaped_line(&ruling.why));
        let others = asked.iter().filter(|(of, other)| *of == index && other != ruling);
        for (_, other) in others.take(3) {
            let _ = writeln!(prompt.text, "({})", escaped_line(&other.why));
        }
    }
    if effects.is_empty() {
        let why = asked.first().map_or("", |(_, ruling)| ruling.why.as_str());
        let _ = writeln!(prompt.text, "Call {tool}?\n({})", escaped_line(why));
    }
    let others: Vec<_> = (0..effects.len()).filter(|index| is_asked(*index).is_none()).collect();
    for index in others.iter().take(MAX_EFFECTS) {
        let effect = &effects[*index];
        let _ = writeln!(prompt.text, "It would also {}.", effect_phrase(effect));
    }
    let left_out = listed.saturating_sub(MAX_EFFECTS) + others.len().saturating_sub(MAX_EFFECTS);
    if left_out > 0 || prompt.text.len() > MAX_TEXT_BYTES {
        prompt.is_whole = false;
        let _ = writeln!(prompt.text, "{left_out} further effects are not shown.");
    }
    prompt.text.truncate(prompt.text.trim_end().len());
    prompt
}

/// The text for files that a command created in guarded places.
pub(super) fn created_files_text(
    tool: &str,
    command: &Command,
    made: &[(&Effect, &Ruling)],
) -> String {
    let mut prompt = ApprovalText { text: String::new(), is_whole: true };
    let _ = writeln!(prompt.text, "{tool} has run:");
    prompt.add_quote(&escaped_lines(&command.line));
    let _ = writeln!(prompt.text, "in {}", folder_name(command));
    let _ = writeln!(prompt.text, "It created files that editors and tools run or trust:");
    let mut left = made.len();
    for (effect, ruling) in made.iter().take(MAX_EFFECTS) {
        if prompt.text.len() > MAX_TEXT_BYTES {
            break;
        }
        left -= 1;
        if let Target::Path(path) | Target::Tree(path) = &effect.target {
            let _ = writeln!(prompt.text, "{}", escaped_line(&path.display_path()));
        }
        if let Some(detail) = &effect.detail {
            prompt.add_quote(&escaped_lines(detail));
        }
        let _ = writeln!(prompt.text, "({})", escaped_line(&ruling.why));
    }
    if left > 0 {
        let _ = writeln!(prompt.text, "{left} more are not shown.");
    }
    prompt.text.push_str("Keep them? Otherwise they go to the trash.");
    prompt.text
}

impl ApprovalText {
    fn add_effect(&mut self, tool: &str, effect: &Effect) {
        if let Target::Command(command) = &effect.target {
            self.add_command(tool, command);
            if let Some(task) = &effect.detail {
                let _ = writeln!(self.text, "with this task:");
                self.add_quote(&escaped_lines(task));
            }
            return;
        }
        let _ = writeln!(self.text, "{tool} wants to {}.", effect_phrase(effect));
        if let Some(detail) = &effect.detail {
            // The detail may have been cut when it was made.
            self.is_whole &= !detail.lines().any(|line| line.starts_with(LEFT_OUT));
            self.add_quote(&escaped_lines(detail));
        }
    }

    fn add_command(&mut self, tool: &str, command: &Command) {
        let _ = writeln!(self.text, "{tool} wants to run:");
        self.add_quote(&escaped_lines(&command.line));
        let _ = writeln!(self.text, "in {}", folder_name(command));
        if !command.env.is_empty() {
            let names = command.env.iter().map(|(name, value)| format!("{name}={value}"));
            let names: Vec<_> = names.collect();
            let _ = write!(self.text, "with ");
            self.add_quote(&escaped_line(&names.join(" ")));
        }
        if let Some(input) = &command.input {
            let _ = writeln!(self.text, "with this to read:");
            self.add_quote(&escaped_lines(input));
        }
        let network = if command.network { "with the network" } else { "without the network" };
        let sandbox =
            if command.sandbox { "kept to the workspace" } else { "free to write anywhere" };
        let _ = writeln!(self.text, "{network}, {sandbox}");
    }

    /// Adds a quoted text, cut in the middle if it is long.
    fn add_quote(&mut self, text: &str) {
        let count = text.chars().count();
        if count <= MAX_QUOTE_CHARS {
            return self.quote(text);
        }
        self.is_whole = false;
        let head: String = text.chars().take(QUOTE_HEAD_CHARS).collect();
        let tail: String = text.chars().skip(count - QUOTE_TAIL_CHARS).collect();
        let left_out = count - QUOTE_HEAD_CHARS - QUOTE_TAIL_CHARS;
        self.quote(&head);
        let _ = writeln!(self.text, "… {left_out} characters are not shown …");
        self.quote(&tail);
    }

    /// Quotes every line, so that no text can pass for ours.
    fn quote(&mut self, text: &str) {
        for line in text.lines() {
            let _ = writeln!(self.text, "| {line}");
        }
    }
}

/// The folder that a command runs in.
fn folder_name(command: &Command) -> String {
    match command.cwd.display_path().as_str() {
        "." => "the workspace's folder".to_owned(),
        folder => escaped_line(folder),
    }
}

/// An effect as a verb phrase: `write a.txt`.
pub(crate) fn effect_phrase(effect: &Effect) -> String {
    let what = match &effect.target {
        Target::Path(path) => escaped_line(&path.display_path()),
        Target::Tree(path) => {
            format!("{} and everything below it", escaped_line(&path.display_path()))
        }
        Target::Repository(path) => {
            format!("the repository in {}", escaped_line(&path.to_string_lossy()))
        }
        Target::Command(command) => escaped_line(&command.line),
        Target::Named(name) => escaped_line(name),
    };
    let verb = match effect.kind {
        EffectKind::Admin if what.starts_with("desktop/") => "use the desktop:",
        EffectKind::Admin if what.starts_with("stopped/") => "go on with what was stopped:",
        EffectKind::Admin if what.starts_with("database/") => "use the database:",
        EffectKind::Admin if what.starts_with("infrastructure/") => "change infrastructure:",
        EffectKind::Admin if what.starts_with("cluster/read/") => "read from the cluster:",
        EffectKind::Admin if what.starts_with("cluster/") => "change the cluster:",
        EffectKind::Admin if what.starts_with("container/") => "use the container daemon:",
        EffectKind::Admin if what.starts_with("machine/") => {
            "give a container power over this machine:"
        }
        EffectKind::Admin if what.starts_with("secrets/") => "commit what looks like secrets:",
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
