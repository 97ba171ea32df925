//! Tests the index while queries of several snapshots run.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::{Root, Workspace};

/// A query on an old snapshot runs after the document was closed without saving.
#[test]
fn a_closed_document_does_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::write(root.join("shapes.py"), "def saved(): pass\n").unwrap();
    fs::write(root.join("main.py"), "from shapes import typed, saved\ntyped\nsaved\n").unwrap();
    let workspace = Workspace::with_index_cache(None, vec![Root::open(&root).unwrap()]);
    let never = AtomicBool::new(false);
    let uri = |name: &str| crate::uri_of_path(&root.join(name));
    workspace.open(&uri("shapes.py"), "python", 1, "def typed(): pass\n");
    let before = workspace.snapshot();
    before.index_on_demand();
    let leads = |line: usize| {
        let snapshot = workspace.snapshot();
        let document = snapshot.document_or_file(&uri("main.py")).unwrap();
        let offset = document.text().line_start(line);
        let found = snapshot.definition(&document, offset, &never).unwrap();
        found.iter().any(|l| l.uri.ends_with("shapes.py"))
    };
    assert!(leads(1) && !leads(2), "unsaved text takes precedence");
    workspace.close(&uri("shapes.py"));
    before.apply_file_changes(&never);
    for document in before.documents() {
        before.index_document(document, &never);
    }
    assert!(!leads(1) && leads(2), "the disk takes precedence once it is closed");
}

/// The index is never built, so a query without a limit would wait forever.
#[test]
fn a_query_with_a_time_limit_reports_the_progress_of_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::write(root.join("shapes.py"), "def area(): pass\n").unwrap();
    fs::write(root.join("main.py"), "from shapes import area\narea()\n").unwrap();
    let workspace = Workspace::with_index_cache(None, vec![Root::open(&root).unwrap()]);
    let never = AtomicBool::new(false);
    let uri = crate::uri_of_path(&root.join("shapes.py"));
    let references = |snapshot: &crate::Snapshot| {
        let document = snapshot.document_or_file(&uri).unwrap();
        snapshot.references(&document, 4, false, &never).unwrap().len()
    };
    let bounded = workspace.snapshot().with_index_timeout(Duration::from_millis(20));
    assert_eq!(references(&bounded), 0);
    assert!(bounded.partial_index_progress().is_some_and(|progress| !progress.complete));

    workspace.snapshot().index_on_demand();
    let bounded = workspace.snapshot().with_index_timeout(Duration::from_secs(60));
    assert_eq!(references(&bounded), 2, "the import and the call");
    assert!(bounded.partial_index_progress().is_none());
}

/// The initial indexing reaches a file after a query has read the index, and before the texts of the unindexed
/// files are searched.
#[test]
fn a_file_that_is_indexed_meanwhile_is_not_missed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::write(root.join("shapes.py"), "def area(): pass\n").unwrap();
    fs::write(root.join("main.py"), "from shapes import area\narea()\n").unwrap();
    let workspace = Workspace::with_index_cache(None, vec![Root::open(&root).unwrap()]);
    let snapshot = workspace.snapshot();
    let never = AtomicBool::new(false);
    let (sources, _) = crate::walk::project_walk(&snapshot.roots()[0], &never);
    snapshot.register_files(sources.clone());
    let index = |name: &str| {
        let (path, language) =
            sources.iter().find(|(path, _)| path.file_name() == name).expect("a source");
        snapshot.index_file(path, *language, &never).unwrap();
        snapshot.file_id_of(path).unwrap()
    };
    let shapes = index("shapes.py");
    let query = || {
        let found = snapshot.indexer.index.read().references(shapes, 4, false).len();
        index("main.py");
        Ok(found)
    };
    let found = snapshot.query_early(None, &never, query).unwrap();
    assert_eq!(found, Some(2), "the import and the call");
}

/// A cancelled query must not leave the index incomplete.
#[test]
fn the_index_is_built_even_if_the_first_query_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::write(root.join("shapes.py"), "def area(): pass\n").unwrap();
    let workspace = Workspace::with_index_cache(None, vec![Root::open(&root).unwrap()]);
    let snapshot = workspace.snapshot();
    snapshot.index_on_demand();
    let _ = snapshot.wait_for_index(&AtomicBool::new(true));
    let bounded = snapshot.with_index_timeout(Duration::from_secs(60));
    bounded.wait_for_index(&AtomicBool::new(false)).unwrap();
    assert!(snapshot.index_progress().complete);
}
