//! What a call would do, in one line: what a person reads first of a question.

use super::question::act;
use super::rules::Ruling;
use super::visible::visible;
use crate::{Command, Effect, Target};

/// Longest command line that is shown whole, in characters.
const LONGEST_LINE: usize = 160;
/// What is shown of a longer one.
const HEAD: usize = 60;
/// What a command with the network reaches.
const ANY_HOST: &str = "any host";
/// Most effects that are named.
const MOST: usize = 3;

/// A line for a person.
pub(super) struct Summary {
    pub(super) line: String,
    /// Whether it leaves out nothing of what is to be done.
    pub(super) is_whole: bool,
}

/// What a call would do: first what is asked for, then the rest.
pub(super) fn summary(tool: &str, effects: &[Effect], asked: &[(usize, Ruling)]) -> Summary {
    if effects.is_empty() {
        return Summary { line: format!("call {tool}"), is_whole: true };
    }
    let is_asked = |index: usize| asked.iter().any(|(of, _)| *of == index);
    // Of a command that reaches the network, its own part of the line says so.
    let says_network =
        |effect: &Effect| matches!(&effect.target, Target::Command(command) if command.network);
    let is_said = effects.iter().any(says_network);
    let is_any_host = |target: &Target| matches!(target, Target::Named(name) if name == ANY_HOST);
    let is_named = |index: &usize| !(is_said && is_any_host(&effects[*index].target));
    let (mut first, rest): (Vec<_>, Vec<_>) =
        (0..effects.len()).filter(is_named).partition(|index| is_asked(*index));
    let also = first.len();
    first.extend(rest);
    let mut is_whole = first.len() <= MOST;
    let mut parts = Vec::new();
    for (place, index) in first.iter().take(MOST).enumerate() {
        let effect = &effects[*index];
        // Longer than a sentence of ours can be: `act` has cut it.
        let part = if let Target::Command(command) = &effect.target {
            is_whole &= is_shown_whole(command);
            of_command(command)
        } else {
            let part = act(effect);
            is_whole &= effect.detail.is_none() && part.chars().count() <= LONGEST_LINE;
            cut(&part)
        };
        parts.push(if place < also { part } else { format!("also {part}") });
    }
    if first.len() > MOST {
        parts.push(format!("{} more", first.len() - MOST));
    }
    Summary { line: parts.join(" · "), is_whole }
}

/// What a command has made where editors and tools look for what they run.
pub(super) fn summary_of_made(command: &Command, count: usize) -> String {
    let files = if count == 1 { "a file" } else { "files" };
    format!("keep {files} that editors and tools run or trust, made by `{}`", line(command))
}

fn of_command(command: &Command) -> String {
    let cwd = visible(&command.cwd.display_path());
    let place = if cwd == "." { String::new() } else { format!(" in {cwd}/") };
    let network = if command.network { "with network" } else { "no network" };
    let sandbox = if command.sandbox { "" } else { " · may write anywhere" };
    let more =
        if command.env.is_empty() && command.input.is_none() { "" } else { " · with input" };
    format!("run `{}`{place} · {network}{sandbox}{more}", line(command))
}

fn is_shown_whole(command: &Command) -> bool {
    command.env.is_empty() && command.input.is_none() && line(command) == command.line
}

/// A command line: whole, or its begin.
fn line(command: &Command) -> String {
    let first = command.line.trim().lines().next().unwrap_or_default();
    let shown = visible(first);
    if shown.chars().count() <= LONGEST_LINE && first == command.line.trim() {
        return shown;
    }
    // The program, and as many words as fit: the rest has to be read in full anyway.
    let head: String = shown.chars().take(HEAD).collect();
    let end = head.rfind(' ').filter(|_| shown.len() > head.len()).unwrap_or(head.len());
    format!("{} …", head[..end].trim_end())
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST_LINE {
        return text.to_owned();
    }
    text.chars().take(LONGEST_LINE - 1).chain(['…']).collect()
}
