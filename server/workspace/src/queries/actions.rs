//! Code actions: resolves the index's plans to texts and documents, and adds actions of the syntax
//! alone.

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
use super::dependencies::DEPENDENCY_LIMITS;
use crate::indexer::{FileState, index_name};
use crate::{Document, FilePath, Snapshot};

/// Maximum number of times that a plan is computed again because it needs one more text.
const MAX_ROUNDS: usize = 24;
/// The time limit for checking whether listed actions would succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionTimeLimit {
    /// A menu of all actions, which opens automatically or by a key: 40 ms.
    Menu,
    /// An explicit list, by a tool or for some kinds only: 800 ms.
    List,
}

impl ActionTimeLimit {
    fn limit(self) -> Duration {
        match self {
            Self::Menu => Duration::from_millis(40),
            Self::List => Duration::from_millis(800),
        }
    }
}

/// The parameters of an action.
#[derive(Debug, Clone, Default)]
pub struct ActionRequest {
    /// The action's name.
    pub id: String,
    /// The variant, if there are several actions of this name.
    pub choice: String,
    /// The selected byte range.
    pub range: Range<usize>,
    /// The name of the new definition.
    pub name: Option<String>,
    /// The target file.
    pub to: Option<FilePath>,
}

/// The changes of an action.
#[derive(Debug)]
pub struct ActionEdits {
    /// The changed files, sorted by URI.
    pub files: Vec<ChangedFile>,
    /// New files with their content.
    pub creates: Vec<(FilePath, String)>,
    /// The generated name of the new definition.
    pub name: Option<String>,
}

/// A file that an action changes.
#[derive(Debug)]
pub struct ChangedFile {
    /// The document's URI, spelled as by the client if it is open.
    pub uri: Arc<str>,
    /// The version, if the document is open.
    pub version: Option<i32>,
    /// The text that the spans refer to.
    pub text: Text,
    /// Spans of the text with their replacements: sorted and disjoint.
    pub edits: Vec<(Range<usize>, String)>,
}

/// Why an action is not possible.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ActionFailure {
    #[error(transparent)]
    Refused(#[from] ActionRefusal),
    #[error(transparent)]
    Query(#[from] QueryError),
}

type LoadedTexts = FxHashMap<FileId, (Arc<str>, Text, FileState)>;

/// Limits of a query about actions.
#[derive(Clone, Copy)]
struct WorkLimit {
    /// The number of files of dependencies to index, and the time for it.
    dependencies: (usize, Duration),
    /// The deadline after which no more texts of other files are loaded: actions that need them are
    /// refused as interrupted.
    deadline: Option<Instant>,
}

impl WorkLimit {
    const FULL: Self = Self { dependencies: DEPENDENCY_LIMITS, deadline: None };

    fn within(time: Duration) -> Self {
        let dependencies = (DEPENDENCY_LIMITS.0, DEPENDENCY_LIMITS.1.min(time));
        Self { dependencies, deadline: Some(Instant::now() + time) }
    }

    fn is_exceeded(self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }
}

impl Snapshot {
    /// The actions at a range of a document, of the kinds that `wanted` holds for. Actions that
    /// need other files are checked within `time`; those not known to succeed by then are listed as
    /// refused. Does not wait for the index.
    ///
    /// # Errors
    /// When interrupted, or when the document has changed.
    pub fn actions(
        &self,
        document: &Document,
        range: Range<usize>,
        wanted: &dyn Fn(&str) -> bool,
        time: ActionTimeLimit,
        interrupt: &AtomicBool,
    ) -> Result<Vec<OfferedAction>, QueryError> {
        let (started, time) = (Instant::now(), time.limit());
        let request = ActionRequest { range, ..ActionRequest::default() };
        let query = |index: &Index, place: &ActionPlace<'_>| index.actions(place, wanted);
        let limit = WorkLimit { deadline: None, ..WorkLimit::within(time / 2) };
        let found = self.query_actions(document, &request, interrupt, limit, &query)?;
        let mut found = found.map(|(found, _)| found).unwrap_or_default();
        self.refuse_impossible(document, &request, &mut found, (started, time), interrupt)?;
        let syntax = document.syntax(interrupt);
        let more = syntax.map(|s| s.actions(request.range, wanted, interrupt)).unwrap_or_default();
        found.extend(more.into_iter().map(|a| OfferedAction { offer: a.offer, refusal: None }));
        if interrupt.load(Ordering::Relaxed) {
            return Err(QueryError::Interrupted);
        }
        Ok(found)
    }

    /// Marks actions as refused that need other files and are impossible, or that could not be
    /// checked in time: an action that fails when chosen is worse than a missing one.
    fn refuse_impossible(
        &self,
        document: &Document,
        request: &ActionRequest,
        found: &mut [OfferedAction],
        (started, time): (Instant, Duration),
        interrupt: &AtomicBool,
    ) -> Result<(), QueryError> {
        if !self.index_progress().complete {
            // With an incomplete index the check would fail for wrong reasons.
            return Ok(());
        }
        for offered in found {
            let left = time.saturating_sub(started.elapsed());
            let (id, choice) = (offered.offer.id, offered.offer.choice.as_str());
            if offered.refusal.is_some() || !Index::needs_other_files(id) {
                continue;
            }
            let edits = match left.is_zero() {
                true => None,
                false => self.dry_run(document, request, (id, choice), left, interrupt)?,
            };
            let refused = match edits {
                Some(Ok(_)) => continue,
                // Beyond the time limit, a text may have been missing, so the refusal is not
                // reliable.
                Some(Err(ActionFailure::Refused(refused)))
                    if started.elapsed() < time && refused.reason != RefusalReason::Interrupted =>
                {
                    refused
                }
                Some(Err(ActionFailure::Query(error))) => return Err(error),
                _ => unchecked_refusal(),
            };
            offered.offer.is_preferred = false;
            offered.refusal = Some(refused);
        }
        Ok(())
    }

    /// Computes the edits of an action to check it; dependencies are indexed for at most `left`.
    fn dry_run(
        &self,
        document: &Document,
        request: &ActionRequest,
        (id, choice): (&str, &str),
        left: Duration,
        interrupt: &AtomicBool,
    ) -> Result<Option<Result<Option<ActionEdits>, ActionFailure>>, QueryError> {
        let query = |index: &Index, place: &ActionPlace<'_>| index.action(place, id, choice);
        let limit = WorkLimit::within(left);
        let found = self.query_actions(document, request, interrupt, limit, &query)?;
        Ok(found.map(|(plan, texts)| {
            plan.map_err(ActionFailure::from)
                .and_then(|plan| self.action_edits(document, &plan, texts, interrupt))
        }))
    }

    /// The edits of an action. Waits for the index if other files matter.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn action(
        &self,
        document: &Document,
        request: &ActionRequest,
        interrupt: &AtomicBool,
    ) -> Result<ActionEdits, ActionFailure> {
        if let Some(action) = syntax_action(document, request, interrupt) {
            let file = ChangedFile {
                uri: document.uri().clone(),
                version: self.document(document.uri()).map(|d| d.version()),
                text: document.text().clone(),
                edits: action?.edits,
            };
            return Ok(ActionEdits { files: vec![file], creates: Vec::new(), name: None });
        }
        let query = |index: &Index, place: &ActionPlace<'_>| {
            index.action(place, &request.id, &request.choice)
        };
        if Index::needs_other_files(&request.id) {
            for other in self.documents() {
                self.index_document(other, interrupt);
            }
            self.wait_for_index(interrupt)?;
        }
        for _ in 0..super::MAX_RETRIES {
            let found =
                self.query_actions(document, request, interrupt, WorkLimit::FULL, &query)?;
            let Some((plan, texts)) = found else {
                let why = "the language of this file is not supported".to_owned();
                return Err(ActionRefusal { reason: RefusalReason::NotApplicable, why }.into());
            };
            if let Some(edits) = self.action_edits(document, &plan?, texts, interrupt)? {
                return Ok(edits);
            }
        }
        Err(QueryError::DocumentChanged.into())
    }

    /// Queries the index about a range of a document, again with each text that turns out to be
    /// needed.
    fn query_actions<T>(
        &self,
        document: &Document,
        request: &ActionRequest,
        interrupt: &AtomicBool,
        limit: WorkLimit,
        query: &dyn Fn(&Index, &ActionPlace<'_>) -> T,
    ) -> Result<Option<(T, LoadedTexts)>, QueryError> {
        self.indexer.trim();
        self.apply_file_changes(interrupt);
        let parsed = (document.syntax(interrupt), document.facts(interrupt));
        let file = self.index_document(document, interrupt);
        let ((Some(syntax), Some(facts)), Some(file)) = (parsed, file) else {
            return match interrupt.load(Ordering::Relaxed) {
                true => Err(QueryError::Interrupted),
                false => Ok(None),
            };
        };
        let to = request.to.as_ref().map(|path| index_name(&self.roots, path));
        let mut texts = LoadedTexts::default();
        let mut unavailable: FxHashSet<FileId> = FxHashSet::default();
        for round in 0..=MAX_ROUNDS {
            let missing: RefCell<FxHashSet<FileId>> = RefCell::default();
            let text = |file: FileId| {
                if limit.is_exceeded() {
                    return None;
                }
                let known = texts.get(&file).map(|known| known.1.clone());
                if known.is_none() && !unavailable.contains(&file) {
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
                destination: to.as_deref(),
                text: &text,
                interrupt,
            };
            let result = self.with_some_dependencies(limit.dependencies, interrupt, || {
                Ok::<_, QueryError>(query(&self.indexer.index.read(), &place))
            })?;
            let missing = missing.into_inner();
            if missing.is_empty() || round == MAX_ROUNDS {
                return Ok(Some((result, texts)));
            }
            for file in missing {
                if limit.is_exceeded() {
                    break;
                }
                let state = self.indexer.state(file);
                match self.text_of(file, interrupt) {
                    Some((uri, text)) => {
                        texts.insert(file, (uri, text, state));
                    }
                    None => {
                        unavailable.insert(file);
                    }
                }
            }
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
        }
        Ok(None)
    }

    /// Resolves a plan to texts; `None` if a file has changed since it was indexed.
    fn action_edits(
        &self,
        document: &Document,
        plan: &ActionPlan,
        mut texts: LoadedTexts,
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
            let (near, name) = (self.indexer.entry(new.same_root_as).path, new.path.as_str());
            let root = near.map(|p| p.root.path().join(strip_root_prefix(name)));
            let path = root.and_then(|p| self.locate(p.to_str()?).ok());
            let Some(path) = path else {
                return Err(refused(format!("`{name}` is not a valid path for a new file")).into());
            };
            if self.read_bytes(&path).is_ok() || self.open_document(&path).is_some() {
                return Err(refused(format!("`{name}` already exists")).into());
            }
            creates.push((path, new.text.clone()));
        }
        Ok(Some(ActionEdits { files, creates, name: plan.generated_name.clone() }))
    }
}

fn unchecked_refusal() -> ActionRefusal {
    let why = "checking whether this action is possible takes too long for a menu; \
        choose the kind of action first, for example with \"Refactor…\"";
    ActionRefusal { reason: RefusalReason::Interrupted, why: why.to_owned() }
}

/// The requested action, if it depends on the syntax alone. A request by name may also run an
/// action that the menu does not offer.
fn syntax_action(
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
    let refusal = || ActionRefusal { reason: RefusalReason::NotApplicable, why: why() };
    Some(action.ok_or_else(|| refusal().into()))
}

/// All kinds of actions.
#[must_use]
pub fn action_kinds() -> Vec<&'static str> {
    let mut kinds = names::action_kinds();
    kinds.extend(Syntax::action_kinds());
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// An index path without the prefix that names its root.
fn strip_root_prefix(name: &str) -> &str {
    match name.strip_prefix("//") {
        Some(rest) => rest.split_once('/').map_or(rest, |(_, rest)| rest),
        None => name,
    }
}
