//! `tandem/review`: the client shows a change before it is applied.

use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::request::Request;
use workspace::{Proposal, ProposedFile, Verdict};

/// The request.
pub(crate) enum Review {}

impl Request for Review {
    type Params = ReviewParams;
    type Result = ReviewResponse;
    const METHOD: &'static str = "tandem/review";
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ReviewParams {
    id: u64,
    tool: String,
    title: String,
    files: Vec<ReviewFile>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct ReviewFile {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i32>,
    language: Option<String>,
    old_text: String,
    new_text: String,
    hunks: Vec<ReviewHunk>,
}

/// Lines count from 1. A hunk without lines names the line before it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ReviewHunk {
    old_start: usize,
    old_lines: usize,
    new_start: usize,
    new_lines: usize,
}

/// The client's response.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReviewResponse {
    accept: bool,
    #[serde(default)]
    files: Option<Vec<ChosenHunks>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ChosenHunks {
    uri: String,
    hunks: Vec<usize>,
}

pub(crate) fn params(proposal: &Proposal) -> ReviewParams {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(1);
    ReviewParams {
        id: COUNT.fetch_add(1, Ordering::Relaxed),
        tool: proposal.tool.to_owned(),
        title: proposal.title.clone(),
        files: proposal.files.iter().map(review_file).collect(),
    }
}

fn review_file(proposed: &ProposedFile) -> ReviewFile {
    let hunk = |hunk: &workspace::ProposedHunk| ReviewHunk {
        old_start: hunk.old_start,
        old_lines: hunk.old_lines,
        new_start: hunk.new_start,
        new_lines: hunk.new_lines,
    };
    ReviewFile {
        uri: proposed.uri.to_string(),
        action: proposed.action.map(str::to_owned),
        moved_to: proposed.moved_to.as_ref().map(ToString::to_string),
        version: proposed.version,
        language: proposed.language.map(str::to_owned),
        old_text: proposed.old_text.clone(),
        new_text: proposed.new_text.clone(),
        hunks: proposed.hunks.iter().map(hunk).collect(),
    }
}

/// The verdict in a response. `None` if it names a file or hunk that was not shown.
pub(crate) fn verdict(proposal: &Proposal, answer: ReviewResponse) -> Option<Verdict> {
    if !answer.accept {
        return Some(Verdict::Refused);
    }
    let Some(files) = answer.files else { return Some(Verdict::Accepted) };
    let mut chosen: Vec<(usize, Vec<usize>)> = Vec::new();
    for chosen_file in files {
        let number = proposal.files.iter().position(|file| *file.uri == *chosen_file.uri)?;
        let is_there = |hunk: &usize| *hunk < proposal.files[number].hunks.len();
        let is_again = chosen.iter().any(|(of, _)| *of == number);
        if is_again || !chosen_file.hunks.iter().all(is_there) {
            return None;
        }
        chosen.push((number, chosen_file.hunks));
    }
    Some(Verdict::Chosen(chosen))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use workspace::ProposedHunk;

    use super::*;

    #[test]
    fn only_files_and_hunks_that_were_shown_can_be_chosen() {
        let hunk = ProposedHunk { old_start: 1, old_lines: 1, new_start: 1, new_lines: 1 };
        let proposal = Proposal {
            tool: "apply_edit",
            title: String::new(),
            files: vec![ProposedFile {
                uri: "file:///a".into(),
                moved_to: None,
                action: None,
                version: None,
                language: None,
                old_text: String::new(),
                new_text: String::new(),
                hunks: vec![hunk; 2],
            }],
            timeout: std::time::Duration::ZERO,
        };
        let verdict = |answer: Value| verdict(&proposal, serde_json::from_value(answer).ok()?);
        let of = |hunks: Value| json!({ "accept": true, "files": [{ "uri": "file:///a", "hunks": hunks }] });
        assert_eq!(verdict(json!({ "accept": true })), Some(Verdict::Accepted));
        assert_eq!(verdict(json!({ "accept": true, "files": null })), Some(Verdict::Accepted));
        assert_eq!(verdict(json!({ "accept": false, "files": [] })), Some(Verdict::Refused));
        assert_eq!(verdict(of(json!([1]))), Some(Verdict::Chosen(vec![(0, vec![1])])));
        assert_eq!(verdict(of(json!([2]))), None);
        assert_eq!(verdict(of(json!([-1]))), None);
        let other = json!({ "accept": true, "files": [{ "uri": "file:///b", "hunks": [] }] });
        assert_eq!(verdict(other), None);
        for none in [json!(null), json!({}), json!({ "accept": "yes" })] {
            assert_eq!(verdict(none), None);
        }
    }
}
