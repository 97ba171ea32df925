//! Approval of files that a command created in guarded places.

use std::sync::Arc;

use workspace::{ApprovalDecision, ApprovalRequest};

use super::question::created_files_text;
use super::rules::{Rules, Verdict};
use super::summary::created_files_summary;
use super::{Policy, Ruling};
use crate::{Command, Effect, EffectKind, Target, ToolRequest};

/// The rules before a command ran: the command may have changed the settings.
pub(crate) struct RulesBefore(Arc<Rules>);

impl Policy {
    /// The rules that decided the last call.
    pub(crate) fn rules_before(&self) -> RulesBefore {
        RulesBefore(self.sources.latest())
    }

    /// Which of the created files may stay: those that the rules allow by name, and those that a
    /// person approves now.
    pub(crate) fn approve_created(
        &self,
        request: &ToolRequest<'_>,
        before: &RulesBefore,
        tool: &str,
        command: &Command,
        created: &[Effect],
    ) -> Vec<bool> {
        let rules = &before.0;
        let rulings: Vec<Ruling> = created
            .iter()
            .map(|effect| match &effect.target {
                Target::Path(path) | Target::Tree(path) => {
                    rules.path_ruling(EffectKind::Write, &path.absolute(), true)
                }
                Target::Command(_) | Target::Named(_) | Target::Repository(_) => {
                    Ruling { verdict: Verdict::Ask, why: String::new() }
                }
            })
            .collect();
        let with_verdict =
            |verdict| move |(_, ruling): &(&Effect, &Ruling)| ruling.verdict == verdict;
        let all = || created.iter().zip(&rulings);
        let asked: Vec<_> = all().filter(with_verdict(Verdict::Ask)).collect();
        // A cancelled call requests no approval.
        let is_active = request.check_interrupt(tool).is_ok();
        let is_approved = is_active && !asked.is_empty() && {
            let text = created_files_text(tool, command, &asked);
            let approval = ApprovalRequest {
                summary: created_files_summary(command, asked.len()),
                is_summary_whole: false,
                text,
                decisions: ApprovalDecision::ONE_TIME,
                timeout: rules.approval_timeout(),
                elsewhere: None,
            };
            self.request_approval(request, tool, &approval) == Ok(ApprovalDecision::Once)
        };
        let stays = |ruling: &Ruling| match ruling.verdict {
            Verdict::Allow => true,
            Verdict::Ask => is_approved,
            Verdict::Deny => false,
        };
        rulings.iter().map(stays).collect()
    }
}
