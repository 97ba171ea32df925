//! What may be done: one engine for all front ends, by effect.
//!
//! Rules come from the user's settings and from the workspace's, which only tighten. `deny` wins
//! over `ask`, `ask` over `allow`; what no rule speaks of goes by defaults: reading is allowed, and
//! writing and deleting in the workspace but for guarded names; everything else is asked for.

mod command;
mod compiled;
mod globs;
mod grants;
mod guarded_links;
mod hidden;
mod judge;
mod made;
mod overlap;
mod pending;
mod question;
mod rules;
mod settings;
mod shell;
mod silenced;
mod sources;
mod summary;
mod visible;

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use workspace::{
    ApprovalDecision, ApprovalRequest, ContentHash, Entry, FilePath, OwnFiles, Snapshot,
};

use self::grants::{Grants, alike, exact};
use self::guarded_links::GuardedLinks;
use self::judge::{Guarded, Judge};
pub(crate) use self::made::Standing;
use self::pending::Open;
use self::question::{act, question};
use self::rules::{Ruling, Verdict};
pub use self::silenced::Silenced;
use self::sources::Sources;
use self::summary::{Summary, summary};
use crate::tool_names::ToolNames;
use crate::{Code, Effect, EffectKind, Target, ToolError, ToolRequest};

/// The rules in force, and what a person has given leave for.
pub struct Policy {
    sources: Sources,
    grants: Grants,
    open: Open,
    links: GuardedLinks,
    /// Tandem's own files, as the last call that changes something found them.
    own: Mutex<Arc<OwnFiles>>,
}

/// What one call may do.
#[derive(Debug, Default)]
pub(crate) struct Approval {
    approved: Vec<(FilePath, Option<ContentHash>)>,
    decision: Decision,
}

/// Why a call may go on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The rules allow it.
    #[default]
    Rules,
    /// A person said so, for this call.
    Once,
    /// A person said so, for calls like it in this session.
    Session,
    /// A person said so, for exactly this call from then on.
    Always,
}

impl Decision {
    /// The name on record.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "allowed",
            Self::Once => "allowed once",
            Self::Session => "allowed for the session",
            Self::Always => "allowed always",
        }
    }
}

impl Approval {
    /// The hash of what a person was shown to stand at `path`.
    pub(crate) fn approved(&self, path: &FilePath) -> Option<Option<ContentHash>> {
        self.approved.iter().find(|(approved, _)| approved == path).map(|(_, hash)| *hash)
    }

    /// Why the call may go on.
    pub(crate) fn decision(&self) -> Decision {
        self.decision
    }
}

/// What the person was shown of a call when they approved it.
struct ShownCall<'a> {
    effects: &'a [Effect],
    rulings: &'a [(usize, Ruling)],
    contents: &'a [(FilePath, Option<ContentHash>)],
}

impl Policy {
    /// The user's settings, tightened by those of the workspace of `snapshot`.
    pub(crate) fn new(snapshot: &Snapshot, names: Arc<ToolNames>) -> Self {
        Self {
            sources: Sources::new(snapshot, names),
            grants: Grants::default(),
            open: Open::default(),
            links: GuardedLinks::default(),
            own: Mutex::new(Arc::new(OwnFiles::resolve(snapshot.roots()))),
        }
    }

    /// What is wrong with the settings: while they cannot be used, everything but reading is asked
    /// for.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        self.sources.latest().broken.clone()
    }

    /// What is not heeded of settings that are used.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.sources.latest().warnings.clone()
    }

    /// How long a person may take to answer.
    pub(crate) fn patience(&self) -> std::time::Duration {
        self.sources.latest().patience()
    }

    /// Whether any rule hides files.
    pub(crate) fn hides_files(&self) -> bool {
        self.sources.latest().hides_files()
    }

    /// Whether files may be looked at. Quick: searches ask it of every file.
    #[must_use]
    pub fn may_read(&self, path: &FilePath) -> bool {
        let rules = self.sources.latest();
        let is_denied =
            |place: &Path| rules.on_path(EffectKind::Read, place, false).verdict == Verdict::Deny;
        !rules.hides_files()
            || !(is_denied(&path.absolute()) || path.ways().iter().any(|way| is_denied(way)))
    }

    /// Reads the settings again where they have changed.
    pub fn refresh(&self, snapshot: &Snapshot) {
        self.sources.current(snapshot);
    }

    /// Whether the person has said that they trust the repositories in a folder.
    #[must_use]
    pub fn trusts(&self, folder: &Path) -> bool {
        self.sources.latest().trusts(folder)
    }

    /// Whether some reading is denied or asked for.
    pub(crate) fn restricts_reading(&self) -> bool {
        self.sources.latest().restricts(EffectKind::Read)
    }

    /// Whether a person is asked before the file at `path` is changed or deleted: a call that
    /// would should then say in detail what it does.
    pub(crate) fn asks_about(&self, path: &FilePath) -> bool {
        let rules = self.sources.latest();
        let is_asked = |place: &Path| {
            rules.is_guarded(place)
                || rules.on_path(EffectKind::Delete, place, false).verdict != Verdict::Allow
        };
        path.has_guarded_name()
            || self.own.lock().contains_path(&path.absolute())
            || is_asked(&path.absolute())
            || path.ways().iter().any(|way| is_asked(way))
    }

    /// Decides on a call, asking the person where the rules say so.
    ///
    /// # Errors
    /// `E_DENIED`, and `E_CONFLICT` where what the person was asked about has changed meanwhile.
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
        let against = Judge::judge(&rules, request, tool, params, effects, &guarded)?;
        if let Some((index, ruling)) = against.iter().find(|(_, r)| r.verdict == Verdict::Deny) {
            return Err(denied_by_rule(tool, effects.get(*index), ruling));
        }
        if against.is_empty() {
            return Ok(Approval::default());
        }
        let contents = contents(&request.snapshot, effects);
        let this = exact(tool, params, effects, &contents);
        let like_it = alike(tool, effects);
        let leave = |decision, approved| Ok(Approval { approved, decision });
        if self.grants.in_session(this) || self.grants.is_lasting(&request.snapshot, this) {
            return leave(Decision::Always, contents);
        }
        if self.grants.in_session(like_it) {
            return leave(Decision::Session, Vec::new());
        }
        let asked = question(tool, effects, &against);
        let offered: &'static [ApprovalDecision] = if asked.is_whole {
            &[
                ApprovalDecision::Once,
                ApprovalDecision::Session,
                ApprovalDecision::Always,
                ApprovalDecision::Deny,
            ]
        } else {
            &[ApprovalDecision::Once, ApprovalDecision::Deny]
        };
        let Summary { line, is_whole } = summary(tool, effects, &against);
        let asking = ApprovalRequest {
            summary: line,
            is_summary_whole: is_whole && asked.is_whole,
            text: asked.text,
            decisions: offered,
            timeout: rules.patience(),
        };
        let answer = self.ask(request, tool, &asking);
        request.check_interrupt(tool)?;
        let decision = match answer {
            Ok(ApprovalDecision::Once) => Decision::Once,
            Ok(ApprovalDecision::Session) => Decision::Session,
            Ok(ApprovalDecision::Always) => Decision::Always,
            Ok(ApprovalDecision::Deny) => {
                return Err(denied(tool, effects, &against, "the person said no"));
            }
            Err(why) => {
                let why = format!("it needs a person's approval, and {why}");
                let error = denied(tool, effects, &against, &why);
                return Err(error.hint(self.how_to_allow(effects)));
            }
        };
        let shown = ShownCall { effects, rulings: &against, contents: &contents };
        self.check_unchanged(request, tool, params, effects_now, &shown)?;
        match decision {
            Decision::Session => self.grants.for_session(like_it),
            Decision::Always => {
                let acts: Vec<_> = effects.iter().take(3).map(act).collect();
                let what = format!("{tool}: {}", acts.join("; "));
                self.grants.for_ever(&request.snapshot, this, &what);
            }
            Decision::Rules | Decision::Once => {}
        }
        leave(decision, contents)
    }

    /// What is guarded beside names: nothing matters to a call that only reads.
    fn guarded(&self, request: &ToolRequest<'_>, effects: &[Effect]) -> Guarded {
        if effects.iter().all(|effect| effect.kind == EffectKind::Read) {
            return Guarded::default();
        }
        let own = Arc::new(OwnFiles::resolve(request.snapshot.roots()));
        self.own.lock().clone_from(&own);
        let links = self.links.current(&request.snapshot, &own);
        Guarded { own, links }
    }

    /// Takes the links among the guarded places that were just found: a command may have made some.
    pub(crate) fn links_found(&self, snapshot: &Snapshot, entries: &[Entry]) {
        self.links.replace(snapshot, entries);
    }

    /// Refuses if something that the person was shown has changed: other calls and programs went on
    /// while they decided.
    fn check_unchanged(
        &self,
        request: &ToolRequest<'_>,
        tool: &str,
        params: &Value,
        effects_now: &dyn Fn() -> Result<Vec<Effect>, ToolError>,
        shown: &ShownCall<'_>,
    ) -> Result<(), ToolError> {
        let rules = self.sources.current(&request.snapshot);
        let now = effects_now()?;
        self.links.forget();
        let guarded = self.guarded(request, &now);
        let same = now == shown.effects
            && Judge::judge(&rules, request, tool, params, &now, &guarded)? == shown.rulings
            && contents(&request.workspace.snapshot(), &now) == shown.contents;
        if same {
            return Ok(());
        }
        let message = format!("{tool}: its target changed while approval was asked");
        Err(ToolError::new(Code::Conflict, message).hint("look at it again, then retry"))
    }

    fn how_to_allow(&self, effects: &[Effect]) -> String {
        let key = match effects.iter().map(|effect| effect.kind).max() {
            Some(EffectKind::Execute) => "run",
            Some(kind) => kind.as_str(),
            None => "write",
        };
        format!(
            "the person can allow it in {} (policy.allow.{key}), answer in an editor that shows \
             questions, or give `tandem call --yes`",
            self.sources.user_file()
        )
    }
}

/// What stands now at the places that a call changes; nothing of those that cannot be read.
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
    let act = effect.map(|effect| format!(" to {}", act(effect))).unwrap_or_default();
    let message = format!("{tool}{}: denied by {}", clipped(&act), ruling.why);
    ToolError::new(Code::Denied, message).hint("only the person can change the rules")
}

fn denied(tool: &str, effects: &[Effect], against: &[(usize, Ruling)], what: &str) -> ToolError {
    let (index, why) = against.first().map_or((0, ""), |(index, r)| (*index, r.why.as_str()));
    let act = effects.get(index).map(|effect| format!(" to {}", act(effect))).unwrap_or_default();
    ToolError::new(Code::Denied, format!("{tool}{}: {what} ({why})", clipped(&act)))
}

/// Short enough to leave room for the reason.
fn clipped(text: &str) -> String {
    if text.chars().count() <= 300 {
        return text.to_owned();
    }
    text.chars().take(299).chain(['…']).collect()
}
