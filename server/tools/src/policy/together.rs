//! One approval for several calls, as they are displayed together.

use std::fmt::Write;

use serde_json::Value;
use workspace::{ApprovalDecision, ApprovalRequest, ContentHash, FilePath};

use super::allowing_rule::{DeniedCall, allowing_rules};
use super::approvals::{ApprovalKey, exact_key, similar_key};
use super::evaluation::Evaluation;
use super::question::{approval_text, effect_phrase};
use super::rules::{Ruling, Verdict};
use super::visible::escaped_line;
use super::{Policy, contents, denied, denied_by_rule};
use crate::approved_calls::ApprovedCalls;
use crate::{Code, Effect, ToolError, ToolRequest};

/// Limit for the text that displays all calls, in bytes.
const MAX_TEXT_BYTES: usize = 60_000;
/// Limit for the effects that are named of a call that needs no approval.
const MAX_PHRASES: usize = 3;

/// A planned call with its effects.
#[derive(Clone, Copy)]
pub(crate) struct PlannedEffects<'a> {
    pub(crate) label: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) params: &'a Value,
    pub(crate) effects: &'a [Effect],
    /// Computes the effects anew.
    pub(crate) now: &'a dyn Fn() -> Result<Vec<Effect>, ToolError>,
}

/// What policy would decide on a planned call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlannedDecision {
    /// It is allowed.
    Allowed,
    /// It needs approval.
    Asks,
    /// A rule denies it.
    Denied,
}

/// A call that needs approval.
struct AskedCall<'a> {
    call: PlannedEffects<'a>,
    objections: Vec<(usize, Ruling)>,
    contents: Vec<(FilePath, Option<ContentHash>)>,
    exact: ApprovalKey,
}

impl Policy {
    /// What policy would decide on `call` now. Nobody is asked.
    ///
    /// # Errors
    /// `E_CANCELLED`.
    pub(crate) fn would_decide(
        &self,
        context: &ToolRequest<'_>,
        call: &PlannedEffects<'_>,
    ) -> Result<PlannedDecision, ToolError> {
        let effects = call.effects;
        let objections = self.objections_to(context, call)?;
        if objections.iter().any(|(_, ruling)| ruling.verdict == Verdict::Deny) {
            return Ok(PlannedDecision::Denied);
        }
        let contents = contents(&context.snapshot, effects);
        let exact = exact_key(call.tool, call.params, effects, &contents);
        let is_asked =
            !objections.is_empty() && !self.is_approved_before(context, call, effects, exact);
        Ok(if is_asked { PlannedDecision::Asks } else { PlannedDecision::Allowed })
    }

    /// Asks once for the approval of all `calls` that need it. Calls whose effects are not known yet, and
    /// calls that cannot be displayed in full, are not covered; `rest` says in lines what else is to come.
    ///
    /// # Errors
    /// `E_DENIED` if a rule denies a call, or the person all of them.
    pub(crate) fn approve_together(
        &self,
        context: &ToolRequest<'_>,
        title: &str,
        calls: &[PlannedEffects<'_>],
        rest: &[String],
    ) -> Result<ApprovedCalls, ToolError> {
        let mut asked = Vec::new();
        let mut text = format!("{}\n", escaped_line(title));
        let mut is_whole = true;
        for call in calls {
            let effects = call.effects;
            let objections = self.objections_to(context, call)?;
            let denied = objections.iter().find(|(_, ruling)| ruling.verdict == Verdict::Deny);
            if let Some((index, ruling)) = denied {
                let error = denied_by_rule(call.tool, effects.get(*index), ruling);
                let message = format!("{}: {}", call.label, error.message);
                return Err(ToolError { message, ..error });
            }
            let contents = contents(&context.snapshot, effects);
            let exact = exact_key(call.tool, call.params, effects, &contents);
            let label = escaped_line(call.label);
            if objections.is_empty() || self.is_approved_before(context, call, effects, exact) {
                let phrases: Vec<_> = effects.iter().take(MAX_PHRASES).map(effect_phrase).collect();
                let phrases = if phrases.is_empty() { String::new() } else { phrases.join(", ") };
                let _ = writeln!(text, "\n{label}: {} {phrases}", call.tool);
                continue;
            }
            let shown = approval_text(call.tool, effects, &objections);
            if !shown.is_whole || text.len() + shown.text.len() > MAX_TEXT_BYTES {
                is_whole = false;
                let _ =
                    writeln!(text, "\n{label}: too long to show here; it is asked for by itself");
                continue;
            }
            let _ = writeln!(text, "\n{label}:\n{}", shown.text);
            asked.push(AskedCall { call: *call, objections, contents, exact });
        }
        let Some(first) = asked.first() else { return Ok(ApprovedCalls::default()) };
        for line in rest {
            if text.len() > MAX_TEXT_BYTES {
                break;
            }
            let _ = write!(text, "\n{}", escaped_line(line));
        }
        let count = asked.len();
        let question = ApprovalRequest {
            summary: format!("{}: {count} calls need approval", escaped_line(title)),
            is_summary_whole: false,
            text: text.trim_end().to_owned(),
            decisions: if is_whole { ApprovalDecision::ALL } else { ApprovalDecision::ONE_TIME },
            timeout: self.approval_timeout(),
            elsewhere: None,
        };
        let answer = self.request_approval(context, title, &question);
        context.check_interrupt(title)?;
        let refused = |why: &str| {
            let effects = first.call.effects;
            denied(first.call.label, effects, &first.objections, why)
        };
        let decision = match answer {
            Ok(ApprovalDecision::Deny) => return Err(refused("the person said no")),
            Ok(decision) => decision,
            Err(why) => {
                let error = refused(&format!("it needs a person's approval, and {why}"));
                let rules = self.sources.current(&context.snapshot);
                let effects = first.call.effects;
                let (tool, params) = (first.call.tool, first.call.params);
                let denied = DeniedCall { tool, params, effects, objections: &first.objections };
                let guarded = self.guarded(context, effects);
                let rules = allowing_rules(&rules, context, &denied, &guarded)?;
                return Err(error.hint(self.how_to_allow(rules.as_deref())));
            }
        };
        self.check_all_unchanged(context, &asked)?;
        for asked in &asked {
            let effects = asked.call.effects;
            match decision {
                ApprovalDecision::Session => {
                    self.approvals.approve_for_session(similar_key(asked.call.tool, effects));
                }
                ApprovalDecision::Always => {
                    let what = format!("{title}: {}", asked.call.label);
                    self.approvals.approve_permanently(&context.snapshot, asked.exact, &what);
                }
                ApprovalDecision::Once | ApprovalDecision::Deny => {}
            }
        }
        Ok(ApprovedCalls::new(asked.iter().map(|asked| asked.exact.bytes())))
    }

    fn objections_to(
        &self,
        context: &ToolRequest<'_>,
        call: &PlannedEffects<'_>,
    ) -> Result<Vec<(usize, Ruling)>, ToolError> {
        let rules = self.sources.current(&context.snapshot);
        let effects = call.effects;
        let guarded = self.guarded(context, effects);
        Evaluation::objections(&rules, context, call.tool, call.params, effects, &guarded)
    }

    fn is_approved_before(
        &self,
        context: &ToolRequest<'_>,
        call: &PlannedEffects<'_>,
        effects: &[Effect],
        exact: ApprovalKey,
    ) -> bool {
        self.approvals.is_approved_for_session(exact)
            || self.approvals.is_approved_for_session(similar_key(call.tool, effects))
            || self.approvals.is_permanently_approved(&context.snapshot, exact)
    }

    /// Refuses if something that the person approved has changed meanwhile.
    fn check_all_unchanged(
        &self,
        context: &ToolRequest<'_>,
        asked: &[AskedCall<'_>],
    ) -> Result<(), ToolError> {
        self.links.invalidate();
        for AskedCall { call, objections, contents: before, .. } in asked {
            let effects = call.effects;
            let same = (call.now)()? == effects
                && self.objections_to(context, call)? == *objections
                && contents(&context.workspace.snapshot(), effects) == *before;
            if !same {
                let message =
                    format!("{}: its target changed while approval was asked", call.label);
                return Err(
                    ToolError::new(Code::Conflict, message).hint("look at it again, then retry")
                );
            }
        }
        Ok(())
    }
}
