//! Code actions: the index's plans, brought to texts and documents, and what syntax alone answers.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use names::{ActionPlace, ActionPlan, ActionRefusal, FileId, Index, OfferedAction, RefusalReason};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{Syntax, SyntaxAction};
use text::Text;
use thiserror::Error;

use super::QueryError;
use super::outside::DEPENDENCIES;
use crate::indexer::{FileState, index_name};
use crate::{Document, FilePath, Snapshot};

/// Most times that a plan is worked out because it needs one more text.
const ROUNDS: usize = 24;
/// How long it is found out of what is offered whether it can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionTime {
    /// A menu of everything, which opens by itself or at a key: 40 ms.
    Menu,
    /// The list is what was asked for, by a tool or of some kinds of actions alone: 800 ms.
    List,
}

impl ActionTime {
    fn limit(self) -> Duration {
        match self {
            Self::Menu => Duration::from_millis(40),
            Self::List => Duration::from_millis(800),
        }
    }
}

/// What an action is asked for with.
#[derive(Debug, Clone, Default)]
pub struct ActionRequest {
    /// The action's name.
    pub id: String,
    /// Which of several of its name.
    pub choice: String,
    /// What is selected, in bytes.
    pub range: Range<usize>,
    /// The name that what comes into being is to have.
    pub name: Option<String>,
    /// The file that it is to go to.
    pub to: Option<FilePath>,
}

/// What an action changes.
#[derive(Debug)]
pub struct ActionEdits {
    /// The files that change, in the order of their URIs.
    pub files: Vec<ChangedFile>,
    /// Files that come into being, with what they hold.
    pub creates: Vec<(FilePath, String)>,
    /// The name that was made up for what comes into being.
    pub name: Option<String>,
}

/// A file that an action changes.
#[derive(Debug)]
pub struct ChangedFile {
    /// The document's URI: the client's spelling where it is open.
    pub uri: Arc<str>,
    /// The open document's version.
    pub version: Option<i32>,
    /// The text that the spans are of.
    pub text: Text,
    /// Spans of the text and what comes there: in order, disjoint.
    pub edits: Vec<(Range<usize>, String)>,
}

/// Why there is no action.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ActionFailure {
    #[error(transparent)]
    Refused(#[from] ActionRefusal),
    #[error(transparent)]
    Query(#[from] QueryError),
}

type Known = FxHashMap<FileId, (Arc<str>, Text, FileState)>;

/// How much is done to answer a question about actions.
#[derive(Clone, Copy)]
struct Effort {
    /// How many files of dependencies are read, and how long that may take.
    dependencies: (usize, Duration),
    /// When no more texts of other files are given: what needs them is then refused as interrupted.
    until: Option<Instant>,
}

impl Effort {
    const FULL: Self = Self { dependencies: DEPENDENCIES, until: None };

    fn within(time: Duration) -> Self {
        let dependencies = (DEPENDENCIES.0, DEPENDENCIES.1.min(time));
        Self { dependencies, until: Some(Instant::now() + time) }
    }

    fn is_spent(self) -> bool {
        self.until.is_some_and(|until| Instant::now() > until)
    }
}

impl Snapshot {
    /// What can be done at a range of a document, of the kinds that `wanted` holds for. What needs
    /// other files is worked out as far as `time` goes, and what is not known to succeed by then is
    /// listed as refused. Never waits for the index.
    ///
    /// # Errors
    /// When interrupted, or when the document has moved on.
    pub fn actions(
        &self,
        document: &Document,
        range: Range<usize>,
        wanted: &dyn Fn(&str) -> bool,
        time: ActionTime,
        interrupt: &AtomicBool,
    ) -> Result<Vec<OfferedAction>, QueryError> {
        let (started, time) = (Instant::now(), time.limit());
        let request = ActionRequest { range, ..ActionRequest::default() };
        let ask = |index: &Index, place: &ActionPlace<'_>| index.actions(place, wanted);
        let effort = Effort { until: None, ..Effort::within(time / 2) };
        let found = self.ask_actions(document, &request, interrupt, effort, &ask)?;
        let mut found = found.map(|(found, _)| found).unwrap_or_default();
        self.refuse_in_time(document, &request, &mut found, (started, time), interrupt)?;
        let syntax = document.syntax(interrupt);
        let more = syntax.map(|s| s.actions(request.range, wanted, interrupt)).unwrap_or_default();
        found.extend(more.into_iter().map(|a| OfferedAction { offer: a.offer, refused: None }));
        if interrupt.load(Ordering::Relaxed) {
            return Err(QueryError::Interrupted);
        }
        Ok(found)
    }

    /// Marks the actions as refused that need other files and turn out to be impossible, or that could
    /// not be checked before the list has to be shown: one that fails is worse than one that is missing.
    fn refuse_in_time(
        &self,
        document: &Document,
        request: &ActionRequest,
        found: &mut [OfferedAction],
        (started, time): (Instant, Duration),
        interrupt: &AtomicBool,
    ) -> Result<(), QueryError> {
        if !self.index_progress().complete {
            // What is not known yet is no reason.
            return Ok(());
        }
        for offered in found {
            let left = time.saturating_sub(started.elapsed());
            let (id, choice) = (offered.offer.id, offered.offer.choice.as_str());
            if offered.refused.is_some() || !Index::is_wide_action(id) {
                continue;
            }
            let edits = match left.is_zero() {
                true => None,
                false => self.checked(document, request, (id, choice), left, interrupt)?,
            };
            let refused = match edits {
                Some(Ok(_)) => continue,
                // What took longer may have done without a file that it needs.
                Some(Err(ActionFailure::Refused(refused)))
                    if started.elapsed() < time && refused.reason != RefusalReason::Interrupted =>
                {
                    refused
                }
                Some(Err(ActionFailure::Query(error))) => return Err(error),
                _ => unchecked(),
            };
            offered.offer.preferred = false;
            offered.refused = Some(refused);
        }
        Ok(())
    }

    /// What an action would change, worked out for no longer than `left` where dependencies are to be
    /// read for it.
    fn checked(
        &self,
        document: &Document,
        request: &ActionRequest,
        (id, choice): (&str, &str),
        left: Duration,
        interrupt: &AtomicBool,
    ) -> Result<Option<Result<Option<ActionEdits>, ActionFailure>>, QueryError> {
        let ask = |index: &Index, place: &ActionPlace<'_>| index.action(place, id, choice);
        let effort = Effort::within(left);
        let found = self.ask_actions(document, request, interrupt, effort, &ask)?;
        Ok(found.map(|(plan, texts)| {
            plan.map_err(ActionFailure::from)
                .and_then(|plan| self.action_edits(document, &plan, texts, interrupt))
        }))
    }

    /// What an action changes. Waits for the index where other files matter.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn action(
        &self,
        document: &Document,
        request: &ActionRequest,
        interrupt: &AtomicBool,
    ) -> Result<ActionEdits, ActionFailure> {
        if let Some(action) = by_syntax(document, request, interrupt) {
            let file = ChangedFile {
                uri: document.uri().clone(),
                version: self.document(document.uri()).map(|d| d.version()),
                text: document.text().clone(),
                edits: action?.edits,
            };
            return Ok(ActionEdits { files: vec![file], creates: Vec::new(), name: None });
        }
        let ask = |index: &Index, place: &ActionPlace<'_>| {
            index.action(place, &request.id, &request.choice)
        };
        if Index::is_wide_action(&request.id) {
            for other in self.documents() {
                self.index_document(other, interrupt);
            }
            self.wait_for_index(interrupt)?;
        }
        for _ in 0..super::ROUNDS {
            let found = self.ask_actions(document, request, interrupt, Effort::FULL, &ask)?;
            let Some((plan, texts)) = found else {
                let why = "the language of this file is not known".to_owned();
                return Err(ActionRefusal { reason: RefusalReason::Nothing, why }.into());
            };
            if let Some(edits) = self.action_edits(document, &plan?, texts, interrupt)? {
                return Ok(edits);
            }
        }
        Err(QueryError::Moved.into())
    }

    /// Asks about a range of a document; again with each text that turned out to be needed.
    fn ask_actions<T>(
        &self,
        document: &Document,
        request: &ActionRequest,
        interrupt: &AtomicBool,
        effort: Effort,
        ask: &dyn Fn(&Index, &ActionPlace<'_>) -> T,
    ) -> Result<Option<(T, Known)>, QueryError> {
        self.indexer.trim();
        self.catch_up(interrupt);
        let parsed = (document.syntax(interrupt), document.facts(interrupt));
        let file = self.index_document(document, interrupt);
        let ((Some(syntax), Some(facts)), Some(file)) = (parsed, file) else {
            return match interrupt.load(Ordering::Relaxed) {
                true => Err(QueryError::Interrupted),
                false => Ok(None),
            };
        };
        let to = request.to.as_ref().map(|path| index_name(&self.roots, path));
        let mut texts = Known::default();
        let mut gone: FxHashSet<FileId> = FxHashSet::default();
        for round in 0..=ROUNDS {
            let missing: RefCell<FxHashSet<FileId>> = RefCell::default();
            let text = |file: FileId| {
                if effort.is_spent() {
                    return None;
                }
                let known = texts.get(&file).map(|known| known.1.clone());
                if known.is_none() && !gone.contains(&file) {
                    missing.borrow_mut().insert(file);
                }
                known
            };
            let place = ActionPlace {
                file,
                facts: &facts,
                syntax: &syntax,
                range: request.range.clone(),
                name: request.name.as_deref(),
                to: to.as_deref(),
                text: &text,
                interrupt,
            };
            let answer = self.with_some_dependencies(effort.dependencies, interrupt, || {
                Ok::<_, QueryError>(ask(&self.indexer.index.read(), &place))
            })?;
            let missing = missing.into_inner();
            if missing.is_empty() || round == ROUNDS {
                return Ok(Some((answer, texts)));
            }
            for file in missing {
                if effort.is_spent() {
                    break;
                }
                let state = self.indexer.state(file);
                match self.text_of(file, interrupt) {
                    Some((uri, text)) => {
                        texts.insert(file, (uri, text, state));
                    }
                    None => {
                        gone.insert(file);
                    }
                }
            }
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
        }
        Ok(None)
    }

    /// The plan with its texts; `None` where a file has changed since it was read.
    fn action_edits(
        &self,
        document: &Document,
        plan: &ActionPlan,
        mut texts: Known,
        interrupt: &AtomicBool,
    ) -> Result<Option<ActionEdits>, ActionFailure> {
        let own = self.index_document(document, interrupt).ok_or(QueryError::Interrupted)?;
        let mut files: Vec<ChangedFile> = Vec::new();
        for edits in plan.edits.chunk_by(|a, b| a.file == b.file) {
            let Some(file) = edits.first().map(|e| e.file) else { continue };
            let (uri, text) = if file == own {
                (document.uri().clone(), document.text().clone())
            } else {
                if let std::collections::hash_map::Entry::Vacant(entry) = texts.entry(file) {
                    let state = self.indexer.state(file);
                    let Some((uri, text)) = self.text_of(file, interrupt) else { return Ok(None) };
                    entry.insert((uri, text, state));
                }
                let Some((uri, text, state)) = texts.get(&file) else { return Ok(None) };
                if self.indexer.state(file) != *state {
                    return Ok(None);
                }
                (uri.clone(), text.clone())
            };
            files.push(ChangedFile {
                version: self.document(&uri).map(|d| d.version()),
                uri,
                text,
                edits: edits.iter().map(|e| (e.span.clone(), e.new_text.clone())).collect(),
            });
        }
        files.sort_by(|a, b| a.uri.cmp(&b.uri));
        let mut creates = Vec::new();
        for new in &plan.creates {
            let refused = |why: String| ActionRefusal { reason: RefusalReason::Conflict, why };
            let (near, name) = (self.indexer.entry(new.near).path, new.path.as_str());
            let root = near.map(|p| p.root.path().join(in_root(name)));
            let path = root.and_then(|p| self.locate(p.to_str()?).ok());
            let Some(path) = path else {
                return Err(refused(format!("`{name}` is no place for a new file")).into());
            };
            if self.read_bytes(&path).is_ok() || self.open_document(&path).is_some() {
                return Err(refused(format!("`{name}` is there already")).into());
            }
            creates.push((path, new.text.clone()));
        }
        Ok(Some(ActionEdits { files, creates, name: plan.name.clone() }))
    }
}

fn unchecked() -> ActionRefusal {
    let why = "finding out whether this can be done takes longer than a menu has; \
        choose the kind of action first, as by \"Refactor…\"";
    ActionRefusal { reason: RefusalReason::Interrupted, why: why.to_owned() }
}

/// What is asked for, if the syntax of the text answers that. Asked for by its name, it need not be
/// what would be offered anyway.
fn by_syntax(
    document: &Document,
    request: &ActionRequest,
    interrupt: &AtomicBool,
) -> Option<Result<SyntaxAction, ActionFailure>> {
    let kind = Syntax::action_kind(&request.id)?;
    let syntax = document.syntax(interrupt);
    let wanted = |of: &str| of == kind;
    let found = syntax.map(|s| s.actions(request.range.clone(), &wanted, interrupt));
    let found = found.into_iter().flatten();
    let action =
        found.into_iter().find(|a| a.offer.id == request.id && a.offer.choice == request.choice);
    if action.is_none() && Index::is_action(&request.id) {
        return None;
    }
    if interrupt.load(Ordering::Relaxed) {
        return Some(Err(QueryError::Interrupted.into()));
    }
    let why = || format!("`{}` is not offered here, or would break the code", request.id);
    let refusal = || ActionRefusal { reason: RefusalReason::Nothing, why: why() };
    Some(action.ok_or_else(|| refusal().into()))
}

/// The kinds of actions that there are.
#[must_use]
pub fn action_kinds() -> Vec<&'static str> {
    let mut kinds = names::action_kinds();
    kinds.extend(Syntax::action_kinds());
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// A path of the index, from its root on.
fn in_root(name: &str) -> &str {
    match name.strip_prefix("//") {
        Some(rest) => rest.split_once('/').map_or(rest, |(_, rest)| rest),
        None => name,
    }
}
