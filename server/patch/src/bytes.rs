//! Patches for files of unknown encoding: only exact bytes match.

use crate::occurrences::{disjoint, overlapping};
use crate::patch::Patch;
use crate::plan::{BytesPlan, Outcome, OutcomeKind, Strategy};
use crate::report::{Failure, FailureCode, Report};

/// Matches all patches against the one `bytes`, exactly.
///
/// # Errors
///
/// A [`Report`] with every patch that has no place, more than one, or shares bytes with
/// another. Nothing is planned then.
pub fn plan_bytes(bytes: &[u8], patches: &[Patch]) -> Result<BytesPlan, Report> {
    let (mut edits, mut outcomes, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for (index, patch) in patches.iter().enumerate() {
        let twin = patches[..index].iter().position(|other| other == patch);
        match find_occurrences(bytes, patch) {
            Ok(hits) => {
                let kind = if patch.old_text == patch.new_text {
                    OutcomeKind::Unchanged
                } else {
                    OutcomeKind::Applied
                };
                let line = |at: usize| memchr::memchr_iter(b'\n', &bytes[..at]).count() + 1;
                let (first, last) = (hits[0], hits[hits.len() - 1] + patch.old_text.len() - 1);
                let mut notes =
                    vec!["the encoding is unknown; only exact bytes were matched".to_owned()];
                if let Some(twin) = twin {
                    notes.push(format!("the same as patch {}, done once", twin + 1));
                } else if kind == OutcomeKind::Applied {
                    edits.extend(hits.iter().map(|&at| {
                        (index, at..at + patch.old_text.len(), patch.new_text.as_bytes().to_vec())
                    }));
                }
                outcomes.push(Outcome {
                    kind,
                    strategy: Strategy::Exact,
                    similarity: None,
                    start_line: line(first),
                    end_line: line(last),
                    hint_off_by: None,
                    notes,
                });
            }
            Err((code, message)) => failures.push(Failure::new(index, code, message)),
        }
    }
    edits.sort_by_key(|(_, range, _)| (range.start, range.end));
    for pair in edits.windows(2) {
        let ((a, first, _), (b, second, _)) = (&pair[0], &pair[1]);
        if second.start < first.end {
            for (one, other) in [(*a, *b), (*b, *a)] {
                let message = format!("this patch and patch {} want the same bytes.", other + 1);
                let failure = Failure {
                    with: vec![other],
                    ..Failure::new(one, FailureCode::Overlap, message)
                };
                failures.push(failure);
            }
        }
    }
    if failures.is_empty() {
        let edits = edits.into_iter().map(|(_, range, new)| (range, new)).collect();
        return Ok(BytesPlan { edits, outcomes });
    }
    failures.sort_by_key(|failure| failure.patch);
    Err(Report { failures })
}

fn find_occurrences(bytes: &[u8], patch: &Patch) -> Result<Vec<usize>, (FailureCode, String)> {
    let old = patch.old_text.as_bytes();
    if old.is_empty() {
        return Err((
            FailureCode::Guard,
            "old_text is empty, so there is no place for new_text.".to_owned(),
        ));
    }
    let hits = if patch.replace_all { disjoint(bytes, old) } else { overlapping(bytes, old) };
    match hits.len() {
        0 => Err((
            FailureCode::NoMatch,
            "old_text is not in the file byte for byte, and its encoding is unknown.".to_owned(),
        )),
        1 => Ok(hits),
        _ if patch.replace_all => Ok(hits),
        count => Err((FailureCode::Ambiguous, format!("old_text is in the file {count} times."))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_bytes_only() {
        let bytes = b"\xff\xfe a=1\n\x80 b=2\n";
        let plan = plan_bytes(bytes, &[Patch::new("a=1", "a=2"), Patch::new("b=2", "b=3")])
            .expect("a plan");
        assert_eq!(plan.apply(bytes), b"\xff\xfe a=2\n\x80 b=3\n");
        assert_eq!(
            plan_bytes(bytes, &[Patch::new("a = 1", "x")]).expect_err("report").failures[0].code,
            FailureCode::NoMatch
        );
        assert_eq!(
            plan_bytes(bytes, &[Patch::new("=", "x")]).expect_err("report").failures[0].code,
            FailureCode::Ambiguous
        );
        let overlap = plan_bytes(bytes, &[Patch::new("a=1", "x"), Patch::new("=1", "y")])
            .expect_err("report");
        assert_eq!(overlap.failures.len(), 2);
    }
}
