//! Code actions: refactorings and quick fixes, offered where name resolution makes them certain.
//!
//! Each action is a pure planner in a file of its own. Input: an index, a parsed text and a range.
//! Output: edits, or the reason why there are none. An uncertain action is refused.

mod add_import;
mod context;
mod convert_import;
mod extract_constant;
mod extract_function;
mod extract_variable;
mod fill_cases;
mod grammar;
mod implement_members;
mod import_list;
mod inline_variable;
mod move_to_file;
mod organise_imports;
mod unused_import;
mod unused_variable;
mod value_type;

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use syntax::{ActionOffer, FixedDiagnostic, Syntax};
use text::Text;
use thiserror::Error;

use crate::diagnose::NameDiagnostic;
use crate::facts::Facts;
use crate::index::{FileId, Index};
use context::ActionContext;

/// Deepest node at which actions are computed. Hand-written code stays far below it.
const MAX_TREE_DEPTH: usize = 2_000;

/// A request for code actions.
pub struct ActionPlace<'a> {
    /// The file.
    pub file: FileId,
    /// The facts of its text.
    pub facts: &'a Facts,
    /// Its parsed text.
    pub syntax: &'a Syntax,
    /// The selected bytes; empty for a mere cursor.
    pub range: Range<usize>,
    /// The name to give to the extracted item, instead of a generated one.
    pub name: Option<&'a str>,
    /// The destination file of a move: its path in the index.
    pub destination: Option<&'a str>,
    /// Returns the text of another indexed file. `None` means "not loaded yet": the caller loads it
    /// and repeats the request.
    pub text: &'a dyn Fn(FileId) -> Option<Text>,
    /// Set when the request is cancelled.
    pub interrupt: &'a AtomicBool,
}

impl std::fmt::Debug for ActionPlace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fields = (self.file, &self.range, self.name, self.destination);
        f.debug_tuple("ActionPlace").field(&fields).finish()
    }
}

/// An action that is available at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedAction {
    /// Its title and kind; [`Index::action`] computes it from its id and choice.
    pub offer: ActionOffer,
    /// Why it cannot be applied, if that is known already.
    pub refusal: Option<ActionRefusal>,
}

/// The edits of an action.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionPlan {
    /// The edits, sorted by file and position; no two overlap.
    pub edits: Vec<ActionEdit>,
    /// Files to create.
    pub creates: Vec<NewFile>,
    /// The name that was generated for the extracted item, which the user may want to rename.
    pub generated_name: Option<String>,
}

/// An edit of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionEdit {
    /// The file.
    pub file: FileId,
    /// The bytes to replace.
    pub span: Range<usize>,
    /// Their replacement.
    pub new_text: String,
}

/// A file that an action creates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// A file in the same root folder.
    pub same_root_as: FileId,
    /// Its path in the index.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// Why an action is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{why}")]
pub struct ActionRefusal {
    /// The kind of reason.
    pub reason: RefusalReason,
    /// The reason in words.
    pub why: String,
}

/// The kinds of reasons to refuse an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefusalReason {
    /// The action does not apply here.
    NotApplicable,
    /// The surrounding code has syntax errors.
    Syntax,
    /// The order of evaluation would change.
    Order,
    /// Conditional or repeated code would run exactly once.
    Conditional,
    /// A variable would be written between its read and its new place, or the other way round.
    Assigned,
    /// It needs names that are not visible at its new place.
    Scope,
    /// A name would refer to something else.
    Conflict,
    /// A type annotation is needed and the type is uncertain, or the type would change.
    Type,
    /// The code returns from, breaks out of, or yields from the code around it.
    Control,
    /// It is used in a way that the action does not support.
    Used,
    /// A name does not resolve.
    Unknown,
    /// The syntax is not supported.
    Unsupported,
    /// The request was cancelled, or must be repeated with more texts.
    Interrupted,
}

impl RefusalReason {
    /// The name used in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotApplicable => "nothing",
            Self::Syntax => "syntax",
            Self::Order => "order",
            Self::Conditional => "conditional",
            Self::Assigned => "assigned",
            Self::Scope => "scope",
            Self::Conflict => "conflict",
            Self::Type => "type",
            Self::Control => "control",
            Self::Used => "used",
            Self::Unknown => "unknown",
            Self::Unsupported => "shape",
            Self::Interrupted => "interrupted",
        }
    }
}

/// An action: detects where it is available, and plans its edits.
struct Planner {
    id: &'static str,
    kind: &'static str,
    /// Whether it needs other files. Such an action is planned only when the client resolves it.
    wide: bool,
    /// The variants that are available at a place, from the text alone, in microseconds.
    offers: fn(&ActionContext<'_>) -> Vec<Offer>,
    plan: fn(&ActionContext<'_>, &str) -> Result<ActionPlan, ActionRefusal>,
}

/// One variant of an action at a place.
struct Offer {
    title: String,
    choice: String,
    preferred: bool,
    mends: Vec<FixedDiagnostic>,
}

impl Offer {
    fn single(title: impl Into<String>) -> Vec<Self> {
        vec![Self {
            title: title.into(),
            choice: String::new(),
            preferred: false,
            mends: Vec::new(),
        }]
    }

    /// A single offer that fixes the given diagnostics.
    fn fixing(title: impl Into<String>, found: &[NameDiagnostic]) -> Vec<Self> {
        let mends = found.iter().map(fixed_diagnostic).collect();
        let (title, choice) = (title.into(), String::new());
        vec![Self { title, choice, preferred: false, mends }]
    }
}

fn fixed_diagnostic(found: &NameDiagnostic) -> FixedDiagnostic {
    FixedDiagnostic { span: found.span.clone(), code: Some(found.kind.code()) }
}

/// All actions, in the order in which they are offered.
const PLANNERS: &[Planner] = &[
    add_import::ADD_IMPORT,
    unused_import::REMOVE_UNUSED_IMPORT,
    unused_import::REMOVE_UNUSED_IMPORTS,
    unused_variable::REMOVE_UNUSED_VARIABLE,
    organise_imports::ORGANISE_IMPORTS,
    organise_imports::SORT_IMPORTS,
    convert_import::CONVERT_IMPORT,
    extract_variable::EXTRACT_VARIABLE,
    extract_constant::EXTRACT_CONSTANT,
    extract_function::EXTRACT_FUNCTION,
    inline_variable::INLINE_VARIABLE,
    fill_cases::FILL_CASES,
    implement_members::IMPLEMENT_MEMBERS,
    move_to_file::MOVE_TO_FILE,
];

/// The LSP kinds of all actions.
#[must_use]
pub fn action_kinds() -> Vec<&'static str> {
    let mut kinds: Vec<_> = PLANNERS.iter().map(|p| p.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

impl Index {
    /// The actions available at a place, of the kinds for which `is_wanted` holds. Actions that
    /// need other files are listed before it is known whether they can be applied.
    #[must_use]
    pub fn actions(
        &self,
        request: &ActionPlace<'_>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Vec<OfferedAction> {
        // Planners climb from parent to parent: quadratic in the depth of the tree.
        if request.syntax.depth(request.range.clone()) > MAX_TREE_DEPTH {
            return Vec::new();
        }
        let mut ctx = ActionContext::new(self, request);
        ctx.explicit = PLANNERS.iter().any(|p| !is_wanted(p.kind));
        let mut all = Vec::new();
        for planner in PLANNERS.iter().filter(|p| is_wanted(p.kind)) {
            for offer in (planner.offers)(&ctx) {
                let refused = match planner.wide {
                    true => None,
                    false => plan_sorted(planner, &ctx, &offer.choice).err(),
                };
                let offer = ActionOffer {
                    id: planner.id,
                    choice: offer.choice,
                    kind: planner.kind,
                    title: offer.title,
                    is_preferred: offer.preferred && refused.is_none(),
                    fixes: offer.mends,
                };
                all.push(OfferedAction { offer, refusal: refused });
            }
        }
        all
    }

    /// Whether an action with this id exists.
    #[must_use]
    pub fn is_action(id: &str) -> bool {
        PLANNERS.iter().any(|p| p.id == id)
    }

    /// Whether an action needs other files.
    #[must_use]
    pub fn needs_other_files(id: &str) -> bool {
        PLANNERS.iter().any(|p| p.id == id && p.wide)
    }

    /// The edits of an action.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn action(
        &self,
        request: &ActionPlace<'_>,
        id: &str,
        choice: &str,
    ) -> Result<ActionPlan, ActionRefusal> {
        let planner = PLANNERS.iter().find(|p| p.id == id);
        let Some(planner) = planner else {
            return Err(refusal(
                RefusalReason::NotApplicable,
                format!("no action has the id `{id}`"),
            ));
        };
        let ctx = ActionContext::new(self, request);
        plan_sorted(planner, &ctx, choice)
    }
}

/// Plans an action and sorts its edits.
fn plan_sorted(
    planner: &Planner,
    ctx: &ActionContext<'_>,
    choice: &str,
) -> Result<ActionPlan, ActionRefusal> {
    let mut plan = (planner.plan)(ctx, choice)?;
    plan.edits.sort_by_key(|e| (e.file, e.span.start, e.span.end));
    let are_disjoint = |pair: &[ActionEdit]| {
        pair[0].file != pair[1].file || pair[0].span.end <= pair[1].span.start
    };
    match plan.edits.windows(2).all(are_disjoint) {
        true => Ok(plan),
        false => Err(refusal(RefusalReason::Unsupported, "its edits overlap")),
    }
}

fn refusal(reason: RefusalReason, why: impl Into<String>) -> ActionRefusal {
    ActionRefusal { reason, why: why.into() }
}

impl ActionPlan {
    /// The plan with the generated name, unless the request gave the name.
    fn with_generated_name(self, ctx: &ActionContext<'_>, name: &str) -> Self {
        Self { generated_name: ctx.request.name.is_none().then(|| name.to_owned()), ..self }
    }

    fn from_edits(file: FileId, edits: Vec<(Range<usize>, String)>) -> Self {
        let edit = |(span, new_text)| ActionEdit { file, span, new_text };
        Self {
            edits: edits.into_iter().map(edit).collect(),
            creates: Vec::new(),
            generated_name: None,
        }
    }
}
