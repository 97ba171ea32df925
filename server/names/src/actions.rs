//! Code actions: changes that are offered at a place because names make them certain.
//!
//! Each action is a pure planner in a file of its own: an index, a parsed text and a range go in;
//! edits, or the reason why there are none, come out. What is not certain is refused.

mod add_import;
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
mod site;
mod unused_import;
mod unused_variable;
mod value_type;

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use syntax::{ActionOffer, Mended, Syntax};
use text::Text;
use thiserror::Error;

use crate::diagnose::Finding;
use crate::facts::Facts;
use crate::index::{FileId, Index};
use site::Site;

/// Deepest place in a tree that something is done at: what people write stays far under it.
const DEEPEST: usize = 2_000;

/// Where an action is asked for.
pub struct ActionPlace<'a> {
    /// The file.
    pub file: FileId,
    /// What its text says about names.
    pub facts: &'a Facts,
    /// Its text, parsed.
    pub syntax: &'a Syntax,
    /// What is selected, in bytes; empty where it is only the cursor.
    pub range: Range<usize>,
    /// The name that what comes into being is to have, in place of one that is made up.
    pub name: Option<&'a str>,
    /// The path of the file that it is to go to, as the index knows it.
    pub to: Option<&'a str>,
    /// The text of another file that the index holds. What is not at hand is given later: the
    /// question is asked again.
    pub text: &'a dyn Fn(FileId) -> Option<Text>,
    /// Set once nobody wants the answer any more.
    pub interrupt: &'a AtomicBool,
}

impl std::fmt::Debug for ActionPlace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = (self.file, &self.range, self.name, self.to);
        f.debug_tuple("ActionPlace").field(&shown).finish()
    }
}

/// An action that can be asked for at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedAction {
    /// What is said of it; [`Index::action`] knows it by its name and its choice.
    pub offer: ActionOffer,
    /// Why it cannot be had after all, where that is known by now.
    pub refused: Option<ActionRefusal>,
}

/// What an action changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionPlan {
    /// What changes: in order of file and place, no two overlap.
    pub edits: Vec<ActionEdit>,
    /// Files that come into being.
    pub creates: Vec<NewFile>,
    /// The name that was made up for what comes into being: a person may want another.
    pub name: Option<String>,
}

/// A change of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionEdit {
    /// The file.
    pub file: FileId,
    /// The bytes that go.
    pub span: Range<usize>,
    /// What comes instead.
    pub new_text: String,
}

/// A file that an action makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// The file whose root it is in.
    pub near: FileId,
    /// Its path, as the index would know it.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// Why an action is not made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{why}")]
pub struct ActionRefusal {
    /// What kind of reason it is.
    pub reason: RefusalReason,
    /// What is the matter, in words.
    pub why: String,
}

/// What kind of reason speaks against an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefusalReason {
    /// There is nothing here that it could be about.
    Nothing,
    /// The code around has syntax errors.
    Syntax,
    /// Things would happen in another order.
    Order,
    /// What happens only sometimes, or often, would happen once.
    Conditional,
    /// What is read would be changed meanwhile, or what is changed is read later.
    Assigned,
    /// It needs names that are not known where it would stand.
    Scope,
    /// A name would be taken for another.
    Conflict,
    /// A type would have to be written that is not certain, or would come out different.
    Type,
    /// It leaves the code around: returns, breaks, yields.
    Control,
    /// It is used in ways that do not go with it.
    Used,
    /// It is not known what a name means.
    Unknown,
    /// It is written in a way that is not covered.
    Shape,
    /// Given up, or asked for again later.
    Interrupted,
}

impl RefusalReason {
    /// The name used in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
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
            Self::Shape => "shape",
            Self::Interrupted => "interrupted",
        }
    }
}

/// An action: what offers it, and what works it out.
struct Planner {
    id: &'static str,
    kind: &'static str,
    /// Whether it needs to know of other files; it is then worked out only once it is wanted.
    wide: bool,
    /// What can be asked for at a place. Told by the text alone, in microseconds.
    offers: fn(&Site<'_>) -> Vec<Offer>,
    plan: fn(&Site<'_>, &str) -> Result<ActionPlan, ActionRefusal>,
}

/// What an action would do at a place.
struct Offer {
    title: String,
    choice: String,
    preferred: bool,
    mends: Vec<Mended>,
}

impl Offer {
    fn one(title: impl Into<String>) -> Vec<Self> {
        vec![Self {
            title: title.into(),
            choice: String::new(),
            preferred: false,
            mends: Vec::new(),
        }]
    }

    /// The only one, for what would be no more.
    fn mending(title: impl Into<String>, found: &[Finding]) -> Vec<Self> {
        let mends = found.iter().map(mended).collect();
        let (title, choice) = (title.into(), String::new());
        vec![Self { title, choice, preferred: false, mends }]
    }
}

fn mended(found: &Finding) -> Mended {
    Mended { span: found.span.clone(), code: Some(found.kind.code()) }
}

/// Every action, in the order in which they are offered.
const PLANNERS: &[Planner] = &[
    add_import::NAME,
    unused_import::ONE,
    unused_import::ALL,
    unused_variable::VARIABLE,
    organise_imports::IMPORTS,
    organise_imports::SORT,
    convert_import::IMPORT,
    extract_variable::VARIABLE,
    extract_constant::CONSTANT,
    extract_function::FUNCTION,
    inline_variable::VARIABLE,
    fill_cases::CASES,
    implement_members::MEMBERS,
    move_to_file::FILE,
];

/// The kinds of actions that there are.
#[must_use]
pub fn action_kinds() -> Vec<&'static str> {
    let mut kinds: Vec<_> = PLANNERS.iter().map(|p| p.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

impl Index {
    /// What can be done at a place; of the kinds that `wanted` holds for. What needs other files
    /// is offered before it is known whether it can be had.
    #[must_use]
    pub fn actions(
        &self,
        place: &ActionPlace<'_>,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Vec<OfferedAction> {
        // They climb from parent to parent, a time quadratic in the depth of a tree.
        if place.syntax.depth(place.range.clone()) > DEEPEST {
            return Vec::new();
        }
        let mut site = Site::new(self, place);
        site.explicit = PLANNERS.iter().any(|p| !wanted(p.kind));
        let mut all = Vec::new();
        for planner in PLANNERS.iter().filter(|p| wanted(p.kind)) {
            for offer in (planner.offers)(&site) {
                let refused = match planner.wide {
                    true => None,
                    false => planned(planner, &site, &offer.choice).err(),
                };
                let offer = ActionOffer {
                    id: planner.id,
                    choice: offer.choice,
                    kind: planner.kind,
                    title: offer.title,
                    preferred: offer.preferred && refused.is_none(),
                    mends: offer.mends,
                };
                all.push(OfferedAction { offer, refused });
            }
        }
        all
    }

    /// Whether there is an action of this name.
    #[must_use]
    pub fn is_action(id: &str) -> bool {
        PLANNERS.iter().any(|p| p.id == id)
    }

    /// Whether an action needs to know of all files.
    #[must_use]
    pub fn is_wide_action(id: &str) -> bool {
        PLANNERS.iter().any(|p| p.id == id && p.wide)
    }

    /// What an action changes.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn action(
        &self,
        place: &ActionPlace<'_>,
        id: &str,
        choice: &str,
    ) -> Result<ActionPlan, ActionRefusal> {
        let planner = PLANNERS.iter().find(|p| p.id == id);
        let Some(planner) = planner else {
            return Err(refusal(RefusalReason::Nothing, format!("there is no action `{id}`")));
        };
        let site = Site::new(self, place);
        planned(planner, &site, choice)
    }
}

/// What an action changes, in order.
fn planned(planner: &Planner, site: &Site<'_>, choice: &str) -> Result<ActionPlan, ActionRefusal> {
    let mut plan = (planner.plan)(site, choice)?;
    plan.edits.sort_by_key(|e| (e.file, e.span.start, e.span.end));
    let apart = |pair: &[ActionEdit]| {
        pair[0].file != pair[1].file || pair[0].span.end <= pair[1].span.start
    };
    match plan.edits.windows(2).all(apart) {
        true => Ok(plan),
        false => Err(refusal(RefusalReason::Shape, "what it would change overlaps")),
    }
}

fn refusal(reason: RefusalReason, why: impl Into<String>) -> ActionRefusal {
    ActionRefusal { reason, why: why.into() }
}

impl ActionPlan {
    /// The plan with the name that it gives, if that was made up.
    fn named(self, site: &Site<'_>, name: &str) -> Self {
        Self { name: site.place.name.is_none().then(|| name.to_owned()), ..self }
    }

    fn of(file: FileId, edits: Vec<(Range<usize>, String)>) -> Self {
        let edit = |(span, new_text)| ActionEdit { file, span, new_text };
        Self { edits: edits.into_iter().map(edit).collect(), creates: Vec::new(), name: None }
    }
}
