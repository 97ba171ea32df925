//! Policy: decides for all front ends which effects a call may have.
//!
//! Rules come from the user's settings and from the workspace's, which can only tighten them.
//! `deny` wins over `ask`, `ask` over `allow`. Where no rule matches, reading is allowed, and so is
//! writing and deleting in the workspace except at guarded names; everything else needs approval.

mod allowing_rule;
mod approvals;
mod command;
mod compiled;
mod container_settings;
mod created_files;
mod database_settings;
mod desktop_settings;
mod disabled_diagnostics;
mod evaluation;
mod globs;
mod guarded_links;
mod hidden;
mod hosts;
mod infrastructure_settings;
mod metrics_settings;
mod model_settings;
mod network_settings;
mod overlap;
mod pending;
mod profile_settings;
mod question;
mod rules;
mod settings;
mod shell;
mod sources;
mod summary;
mod together;
mod visible;
mod vulnerability_settings;
mod worktree_settings;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use workspace::{
    ApprovalDecision, ApprovalRequest, ContentHash, Entry, FilePath, OwnFiles, Snapshot,
};

use self::allowing_rule::{DeniedCall, allowing_rules};
use self::approvals::{StoredApprovals, exact_key, similar_key};
pub use self::container_settings::ContainerSettings;
pub(crate) use self::created_files::RulesBefore;
pub use self::database_settings::{DatabaseKind, DatabaseSettings};
pub use self::desktop_settings::DesktopSettings;
pub use self::disabled_diagnostics::Silenced;
use self::evaluation::{Evaluation, Guarded};
use self::guarded_links::GuardedLinks;
pub use self::infrastructure_settings::{InfrastructureProgram, InfrastructureSettings};
pub use self::metrics_settings::{MetricsSettings, OtlpSettings};
pub use self::model_settings::{
    InfluxSettings, ModelApi, ModelBackend, ModelSettings, default_influx_database,
};
pub use self::network_settings::{NetworkSettings, SearchProvider, SearchSettings};
use self::pending::PendingApprovals;
pub use self::pending::{Approvals, PendingApproval};
pub use self::profile_settings::{ListedToolSettings, ProfileSettings, SomeParameters};
use self::question::approval_text;
pub(crate) use self::question::effect_phrase;
use self::rules::{Ruling, Verdict};
use self::sources::SettingsFiles;
pub(crate) use self::sources::mcp_settings;
pub use self::sources::worktree_settings;
pub use self::sources::{allowed_mcp_roots, inline_completion_backend};
use self::summary::{Summary, summary};
pub use self::together::PlannedDecision;
pub(crate) use self::together::PlannedEffects;
use crate::tool_names::ToolNames;
use crate::{Code, Effect, EffectKind, Target, ToolError, ToolRequest};

/// The rules in force, and the approvals of this session.
pub struct Policy {
    sources: SettingsFiles,
    approvals: StoredApprovals,
    pending: Arc<PendingApprovals>,
    links: GuardedLinks,
    /// Tandem's own files, as resolved by the last call that changes something.
    own_files: Mutex<Arc<OwnFiles>>,
}

/// The decision on one call, with the contents that the person approved.
#[derive(Debug, Default)]
pub(crate) struct Approval {
    approved: Vec<(FilePath, Option<ContentHash>)>,
    decision: Decision,
}

/// Why a call is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The rules allow it.
    #[default]
    Rules,
    /// A person approved this call.
    Once,
    /// A person approved this call with others, as a step of a workflow.
    Together,
    /// A person approved similar calls for this session.
    Session,
    /// A person approved exactly this call, permanently.
    Always,
}

impl Decision {
    /// The name in the audit log.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "allowed",
            Self::Once => "allowed once",
            Self::Together => "allowed with its workflow",
            Self::Session => "allowed for the session",
            Self::Always => "allowed always",
        }
    }
}

impl Approval {
    /// The hash of the content at `path` that the person approved: `None` if nobody was asked,
    /// `Some(None)` if the file did not exist.
    pub(crate) fn approved(&self, path: &FilePath) -> Option<Option<ContentHash>> {
        self.approved.iter().find(|(approved, _)| approved == path).map(|(_, hash)| *hash)
    }

    /// Why the call is allowed.
    pub(crate) fn decision(&self) -> Decision {
        self.decision
    }
}

/// The call as the person saw it when they approved it.
struct ApprovedCall<'a> {
    effects: &'a [Effect],
    rulings: &'a [(usize, Ruling)],
    contents: &'a [(FilePath, Option<ContentHash>)],
}

impl Policy {
    /// The user's settings, tightened by those of the workspace of `snapshot`.
    pub(crate) fn new(snapshot: &Snapshot, names: Arc<ToolNames>) -> Self {
        Self {
            sources: SettingsFiles::new(snapshot, names),
            approvals: StoredApprovals::default(),
            pending: Arc::default(),
            links: GuardedLinks::default(),
            own_files: Mutex::new(Arc::new(OwnFiles::resolve(snapshot.roots()))),
        }
    }

    /// What makes the settings unusable. Until that is fixed, everything except reading needs
    /// approval.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        self.sources.latest().broken.clone()
    }

    /// What is ignored in settings that are otherwise used.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.sources.latest().warnings.clone()
    }

    /// How long an approval request waits for an answer.
    pub fn approval_timeout(&self) -> std::time::Duration {
        self.sources.latest().approval_timeout()
    }

    /// The user's settings for tools that use the network.
    #[must_use]
    pub fn network_settings(&self) -> NetworkSettings {
        self.sources.latest().network.clone()
    }

    /// The user's settings for recorded events.
    #[must_use]
    pub fn metrics_settings(&self) -> MetricsSettings {
        self.sources.latest().metrics.clone()
    }

    /// The folders with advisories of the user's settings.
    pub fn advisory_folders(&self) -> Vec<std::path::PathBuf> {
        self.sources.latest().vulnerabilities.folders()
    }

    /// The user's settings for language models.
    #[must_use]
    pub fn model_settings(&self) -> ModelSettings {
        self.sources.latest().models.clone()
    }

    /// The user's settings for plans of infrastructure.
    #[must_use]
    pub fn infrastructure(&self) -> InfrastructureSettings {
        self.sources.latest().infrastructure.clone()
    }

    /// The container daemon of the user's settings.
    #[must_use]
    pub fn containers(&self) -> ContainerSettings {
        self.sources.latest().containers.clone()
    }

    /// How agents may use the user's desktop.
    #[must_use]
    pub fn desktop(&self) -> DesktopSettings {
        self.sources.latest().desktop.clone()
    }

    /// The databases that the user named in their settings.
    #[must_use]
    pub fn databases(&self) -> BTreeMap<String, DatabaseSettings> {
        self.sources.latest().databases.clone()
    }

    /// Whether any rule hides files.
    pub fn hides_files(&self) -> bool {
        self.sources.latest().hides_files()
    }

    /// Whether `path` may be read. Must be fast: searches check every file.
    #[must_use]
    pub fn may_read(&self, path: &FilePath) -> bool {
        let rules = self.sources.latest();
        let is_denied = |place: &Path| {
            rules.path_ruling(EffectKind::Read, place, false).verdict == Verdict::Deny
        };
        !rules.hides_files()
            || !(is_denied(&path.absolute()) || path.ways().iter().any(|way| is_denied(way)))
    }

    /// Reads settings files again if they changed.
    pub fn refresh(&self, snapshot: &Snapshot) {
        self.sources.current(snapshot);
    }

    /// Whether the settings trust the repositories in a folder.
    #[must_use]
    pub fn trusts(&self, folder: &Path) -> bool {
        self.sources.latest().trusts(folder)
    }

    /// Whether any read is denied or needs approval.
    pub fn restricts_reading(&self) -> bool {
        self.sources.latest().restricts(EffectKind::Read)
    }

    /// Whether changing or deleting `path` needs approval: effects should then carry details.
    pub(crate) fn asks_about(&self, path: &FilePath) -> bool {
        let rules = self.sources.latest();
        let is_asked = |place: &Path| {
            rules.is_guarded(place)
                || rules.path_ruling(EffectKind::Delete, place, false).verdict != Verdict::Allow
        };
        path.has_guarded_name()
            || self.own_files.lock().contains_path(&path.absolute())
            || is_asked(&path.absolute())
            || path.ways().iter().any(|way| is_asked(way))
    }

    /// Decides on a call. Requests approval where the rules require it.
    ///
    /// # Errors
    /// `E_DENIED`, and `E_CONFLICT` if what the person approved has changed meanwhile.
    pub(crate) fn decide(
        &self,
        request: &ToolRequest<'_>,
        tool: &str,
        params: &Value,
        effects: &[Effect],
        effects_now: &dyn Fn() -> Result<Vec<Effect>, ToolError>,
    ) -> Result<Approval, ToolError> {
        let rules = self.sources.current(&request.snapshot);
        let guarded = self.guarded(request, effects);
        let objections = Evaluation::objections(&rules, request, tool, params, effects, &guarded)?;
        if let Some((index, ruling)) = objections.iter().find(|(_, r)| r.verdict == Verdict::Deny) {
            return Err(denied_by_rule(tool, effects.get(*index), ruling));
        }
        if objections.is_empty() {
            return Ok(Approval::default());
        }
        let contents = contents(&request.snapshot, effects);
        let exact = exact_key(tool, params, effects, &contents);
        let similar = similar_key(tool, effects);
        let approve = |decision, approved| Ok(Approval { approved, decision });
        if self.approvals.is_approved_for_session(exact)
            || self.approvals.is_permanently_approved(&request.snapshot, exact)
        {
            return approve(Decision::Always, contents);
        }
        if self.approvals.is_approved_for_session(similar) {
            return approve(Decision::Session, Vec::new());
        }
        let approved = request.approved_calls.as_ref();
        if approved.is_some_and(|approved| approved.contain(exact.bytes())) {
            return approve(Decision::Together, contents);
        }
        let prompt = approval_text(tool, effects, &objections);
        let offered =
            if prompt.is_whole { ApprovalDecision::ALL } else { ApprovalDecision::ONE_TIME };
        let Summary { line, is_whole } = summary(tool, effects, &objections);
        let approval_request = ApprovalRequest {
            summary: line,
            is_summary_whole: is_whole && prompt.is_whole,
            text: prompt.text,
            decisions: offered,
            timeout: rules.approval_timeout(),
            elsewhere: None,
        };
        let answer = self.request_approval(request, tool, &approval_request);
        request.check_interrupt(tool)?;
        let decision = match answer {
            Ok(ApprovalDecision::Once) => Decision::Once,
            Ok(ApprovalDecision::Session) => Decision::Session,
            Ok(ApprovalDecision::Always) => Decision::Always,
            Ok(ApprovalDecision::Deny) => {
                return Err(denied(tool, effects, &objections, "the person said no"));
            }
            Err(why) => {
                let why = format!("it needs a person's approval, and {why}");
                let error = denied(tool, effects, &objections, &why);
                let call = DeniedCall { tool, params, effects, objections: &objections };
                let rules = allowing_rules(&rules, request, &call, &guarded)?;
                return Err(error.hint(self.how_to_allow(rules.as_deref())));
            }
        };
        let approved_call = ApprovedCall { effects, rulings: &objections, contents: &contents };
        self.check_unchanged(request, tool, params, effects_now, &approved_call)?;
        match decision {
            Decision::Session => self.approvals.approve_for_session(similar),
            Decision::Always => {
                let acts: Vec<_> = effects.iter().take(3).map(effect_phrase).collect();
                let what = format!("{tool}: {}", acts.join("; "));
                self.approvals.approve_permanently(&request.snapshot, exact, &what);
            }
            Decision::Rules | Decision::Once | Decision::Together => {}
        }
        approve(decision, contents)
    }

    /// The places that are guarded for other reasons than their names. Skipped for calls that only
    /// read.
    fn guarded(&self, request: &ToolRequest<'_>, effects: &[Effect]) -> Guarded {
        if effects.iter().all(|effect| effect.kind == EffectKind::Read) {
            return Guarded::default();
        }
        let own_files = Arc::new(OwnFiles::resolve(request.snapshot.roots()));
        self.own_files.lock().clone_from(&own_files);
        let links = self.links.current(&request.snapshot, &own_files);
        Guarded { own_files, links }
    }

    /// Replaces the known guarded links by those among `entries`: a command may have created some.
    pub(crate) fn replace_links(&self, snapshot: &Snapshot, entries: &[Entry]) {
        self.links.replace(snapshot, entries);
    }

    /// Refuses if something that the person approved has changed: other calls and programs run
    /// while they decide.
    fn check_unchanged(
        &self,
        request: &ToolRequest<'_>,
        tool: &str,
        params: &Value,
        effects_now: &dyn Fn() -> Result<Vec<Effect>, ToolError>,
        approved_call: &ApprovedCall<'_>,
    ) -> Result<(), ToolError> {
        let rules = self.sources.current(&request.snapshot);
        let now = effects_now()?;
        self.links.invalidate();
        let guarded = self.guarded(request, &now);
        let same = now == approved_call.effects
            && Evaluation::objections(&rules, request, tool, params, &now, &guarded)?
                == approved_call.rulings
            && contents(&request.workspace.snapshot(), &now) == approved_call.contents;
        if same {
            return Ok(());
        }
        let message = format!("{tool}: its target changed while approval was asked");
        Err(ToolError::new(Code::Conflict, message).hint("look at it again, then retry"))
    }

    /// How a person can allow what was denied because nobody answered. `rules` are those that would allow
    /// it, if any do.
    fn how_to_allow(&self, rules: Option<&str>) -> String {
        let by_answer = "answer in an editor that shows questions, or give `tandem call --yes`";
        match rules {
            Some(rules) => {
                let file = self.sources.user_file();
                format!("the person can {by_answer}, or allow it from now on in {file}:\n{rules}")
            }
            None => format!("no rule can allow it; the person can {by_answer}"),
        }
    }
}

/// The content hashes of the paths that a call changes. Unreadable paths are left out.
fn contents(snapshot: &Snapshot, effects: &[Effect]) -> Vec<(FilePath, Option<ContentHash>)> {
    let mut contents: Vec<(FilePath, Option<ContentHash>)> = Vec::new();
    for effect in effects {
        let (Target::Path(path) | Target::Tree(path)) = &effect.target else { continue };
        if contents.iter().any(|(known, _)| known == path) {
            continue;
        }
        if let Ok(hash) = snapshot.content_hash(path) {
            contents.push((path.clone(), hash));
        }
    }
    contents
}

fn denied_by_rule(tool: &str, effect: Option<&Effect>, ruling: &Ruling) -> ToolError {
    let act = effect.map(|effect| format!(" to {}", effect_phrase(effect))).unwrap_or_default();
    let message = format!("{tool}{}: denied by {}", clipped(&act), ruling.why);
    ToolError::new(Code::Denied, message).hint("only the person can change the rules")
}

fn denied(tool: &str, effects: &[Effect], objections: &[(usize, Ruling)], what: &str) -> ToolError {
    let (index, why) = objections.first().map_or((0, ""), |(index, r)| (*index, r.why.as_str()));
    let act = effects
        .get(index)
        .map(|effect| format!(" to {}", effect_phrase(effect)))
        .unwrap_or_default();
    ToolError::new(Code::Denied, format!("{tool}{}: {what} ({why})", clipped(&act)))
}

/// Cuts the text to leave room for the reason.
fn clipped(text: &str) -> String {
    if text.chars().count() <= 300 {
        return text.to_owned();
    }
    text.chars().take(299).chain(['…']).collect()
}
