//! Which calls may run at the same time: those whose effects do not touch.

use tools::{Effect, EffectKind, Entry, PlannedCall, Target};

/// What a call touches.
pub(super) struct Touched<'c> {
    tool: &'static Entry,
    /// Its effects; `None` if they are not known.
    effects: Option<&'c [Effect]>,
}

impl<'c> Touched<'c> {
    pub(super) fn new(tool: &'static Entry, call: Option<&'c PlannedCall>) -> Self {
        Self { tool, effects: call.and_then(|call| call.effects().ok()) }
    }

    fn only_reads(&self) -> bool {
        only_reads(self.tool)
    }

    /// Whether it touches files by path alone, and which.
    fn paths(&self) -> Option<&'c [Effect]> {
        let effects = self.effects.filter(|effects| !effects.is_empty())?;
        let is_path = |effect: &Effect| {
            matches!(effect.target, Target::Path(_) | Target::Tree(_))
                && matches!(effect.kind, EffectKind::Read | EffectKind::Write | EffectKind::Delete)
        };
        effects.iter().all(is_path).then_some(effects)
    }

    /// Whether it reaches only named things, such as hosts, and changes no files.
    fn names(&self) -> Option<&'c [Effect]> {
        let effects = self.effects.filter(|effects| !effects.is_empty())?;
        let is_name = |effect: &Effect| {
            matches!(effect.target, Target::Named(_))
                && matches!(effect.kind, EffectKind::Read | EffectKind::Network)
        };
        effects.iter().all(is_name).then_some(effects)
    }
}

/// Whether the tool never does more than read.
pub(super) fn only_reads(tool: &Entry) -> bool {
    tool.effects.iter().all(|kind| *kind == EffectKind::Read)
}

/// Whether calls of the tool always run alone.
pub(super) fn runs_alone(tool: &Entry) -> bool {
    tool.effects.iter().any(|kind| matches!(kind, EffectKind::Execute | EffectKind::Admin))
}

/// Whether two calls may run at the same time.
pub(super) fn are_apart(one: &Touched<'_>, other: &Touched<'_>) -> bool {
    if one.only_reads() && other.only_reads() {
        return true;
    }
    if let (Some(one), Some(other)) = (one.paths(), other.paths()) {
        return !one.iter().any(|one| other.iter().any(|other| collide(one, other)));
    }
    match (one.names(), other.names()) {
        (Some(one), Some(other)) => {
            let same =
                |one: &Effect, other: &Effect| one.target == other.target && !both_read(one, other);
            !one.iter().any(|one| other.iter().any(|other| same(one, other)))
        }
        (Some(_), None) => other.only_reads(),
        (None, Some(_)) => one.only_reads(),
        (None, None) => false,
    }
}

fn both_read(one: &Effect, other: &Effect) -> bool {
    one.kind == EffectKind::Read && other.kind == EffectKind::Read
}

/// Whether one of them changes what the other touches.
fn collide(one: &Effect, other: &Effect) -> bool {
    if both_read(one, other) {
        return false;
    }
    let (Target::Path(a) | Target::Tree(a), Target::Path(b) | Target::Tree(b)) =
        (&one.target, &other.target)
    else {
        return true;
    };
    // A folder that is created, moved or deleted touches all below it, and what is made in it touches it.
    let (a, b) = (a.absolute(), b.absolute());
    a.starts_with(&b) || b.starts_with(&a)
}
