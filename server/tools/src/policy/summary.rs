//! A one-line summary of a call, which heads its approval request.

use super::question::effect_phrase;
use super::rules::Ruling;
use super::visible::escaped_line;
use crate::{Command, Effect, Target};

/// Limit for a command line that is shown whole, in characters.
const MAX_LINE_CHARS: usize = 160;
/// The length that a longer one is cut to, in characters.
const CUT_LINE_CHARS: usize = 60;
/// The network target of commands.
const ANY_HOST: &str = "any host";
/// Limit for listed effects.
const MAX_EFFECTS: usize = 3;

/// A one-line summary.
pub(super) struct Summary {
    pub(super) line: String,
    /// Whether nothing is left out.
    pub(super) is_whole: bool,
}

/// Summarizes a call: first the effects that need approval, then the rest.
pub(super) fn summary(tool: &str, effects: &[Effect], asked: &[(usize, Ruling)]) -> Summary {
    if effects.is_empty() {
        return Summary { line: format!("call {tool}"), is_whole: true };
    }
    let is_asked = |index: usize| asked.iter().any(|(of, _)| *of == index);
    // A command's own part of the line mentions the network.
    let reaches_network =
        |effect: &Effect| matches!(&effect.target, Target::Command(command) if command.network);
    let says_network = effects.iter().any(reaches_network);
    let is_any_host = |target: &Target| matches!(target, Target::Named(name) if name == ANY_HOST);
    let is_listed = |index: &usize| !(says_network && is_any_host(&effects[*index].target));
    let (mut first, rest): (Vec<_>, Vec<_>) =
        (0..effects.len()).filter(is_listed).partition(|index| is_asked(*index));
    let also = first.len();
    first.extend(rest);
    let mut is_whole = first.len() <= MAX_EFFECTS;
    let mut parts = Vec::new();
    for (position, index) in first.iter().take(MAX_EFFECTS).enumerate() {
        let effect = &effects[*index];
        // `effect_phrase` may have cut a longer one.
        let part = if let Target::Command(command) = &effect.target {
            is_whole &= is_shown_whole(command);
            command_summary(command)
        } else {
            let part = effect_phrase(effect);
            is_whole &= effect.detail.is_none() && part.chars().count() <= MAX_LINE_CHARS;
            cut(&part)
        };
        parts.push(if position < also { part } else { format!("also {part}") });
    }
    if first.len() > MAX_EFFECTS {
        parts.push(format!("{} more", first.len() - MAX_EFFECTS));
    }
    Summary { line: parts.join(" · "), is_whole }
}

/// Summarizes the request for files that a command created in guarded places.
pub(super) fn created_files_summary(command: &Command, count: usize) -> String {
    let files = if count == 1 { "a file" } else { "files" };
    format!("keep {files} that editors and tools run or trust, made by `{}`", cut_line(command))
}

fn command_summary(command: &Command) -> String {
    let cwd = escaped_line(&command.cwd.display_path());
    let folder = if cwd == "." { String::new() } else { format!(" in {cwd}/") };
    let network = if command.network { "with network" } else { "no network" };
    let sandbox = if command.sandbox { "" } else { " · may write anywhere" };
    let more =
        if command.env.is_empty() && command.input.is_none() { "" } else { " · with input" };
    format!("run `{}`{folder} · {network}{sandbox}{more}", cut_line(command))
}

fn is_shown_whole(command: &Command) -> bool {
    command.env.is_empty() && command.input.is_none() && cut_line(command) == command.line
}

/// A command line, cut at a word if it is long.
fn cut_line(command: &Command) -> String {
    let first = command.line.trim().lines().next().unwrap_or_default();
    let shown = escaped_line(first);
    if shown.chars().count() <= MAX_LINE_CHARS && first == command.line.trim() {
        return shown;
    }
    // The program, and as many words as fit: the rest has to be read in full anyway.
    let head: String = shown.chars().take(CUT_LINE_CHARS).collect();
    let end = head.rfind(' ').filter(|_| shown.len() > head.len()).unwrap_or(head.len());
    format!("{} …", head[..end].trim_end())
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_LINE_CHARS {
        return text.to_owned();
    }
    text.chars().take(MAX_LINE_CHARS - 1).chain(['…']).collect()
}
