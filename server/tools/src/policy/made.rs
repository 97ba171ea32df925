//! What may stay of what a command has made where editors and tools look for what they run.

use std::sync::Arc;

use workspace::{ApprovalDecision, ApprovalRequest};

use super::question::question_of_made;
use super::rules::{Rules, Verdict};
use super::summary::summary_of_made;
use super::{Policy, Ruling};
use crate::{Command, Effect, EffectKind, Target, ToolRequest};

/// The rules as they were before a command ran, which may have made others.
pub(crate) struct Standing(Arc<Rules>);

impl Policy {
    /// The rules that the last call was decided by.
    pub(crate) fn standing(&self) -> Standing {
        Standing(self.sources.latest())
    }

    /// Which of the places that `command` has `made` may stay: those that the rules allow by name,
    /// and those that a person gives leave for now.
    pub(crate) fn may_stay(
        &self,
        request: &ToolRequest<'_>,
        standing: &Standing,
        tool: &str,
        command: &Command,
        made: &[Effect],
    ) -> Vec<bool> {
        let rules = &standing.0;
        let rulings: Vec<Ruling> = made
            .iter()
            .map(|effect| match &effect.target {
                Target::Path(path) | Target::Tree(path) => {
                    rules.on_path(EffectKind::Write, &path.absolute(), true)
                }
                Target::Command(_) | Target::Named(_) | Target::Repository(_) => {
                    Ruling { verdict: Verdict::Ask, why: String::new() }
                }
            })
            .collect();
        let of = |verdict| move |(_, ruling): &(&Effect, &Ruling)| ruling.verdict == verdict;
        let all = || made.iter().zip(&rulings);
        let asked: Vec<_> = all().filter(of(Verdict::Ask)).collect();
        let answers: &'static [ApprovalDecision] =
            &[ApprovalDecision::Once, ApprovalDecision::Deny];
        // Whoever has given the call up is not asked any more.
        let is_wanted = request.check_interrupt(tool).is_ok();
        let is_given = is_wanted && !asked.is_empty() && {
            let text = question_of_made(tool, command, &asked);
            let question = ApprovalRequest {
                summary: summary_of_made(command, asked.len()),
                is_summary_whole: false,
                text,
                decisions: answers,
                timeout: rules.patience(),
            };
            self.ask(request, tool, &question) == Ok(ApprovalDecision::Once)
        };
        let stays = |ruling: &Ruling| match ruling.verdict {
            Verdict::Allow => true,
            Verdict::Ask => is_given,
            Verdict::Deny => false,
        };
        rulings.iter().map(stays).collect()
    }
}
