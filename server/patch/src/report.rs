//! The result of a call with failing patches.

use std::fmt;

/// All failing patches of a call. No patch of the call is applied.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// In the order of the patches.
    pub failures: Vec<Failure>,
}

/// Why a patch failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureCode {
    /// The text is not there.
    NoMatch,
    /// It is there more than once.
    Ambiguous,
    /// Two patches change the same bytes.
    Overlap,
    /// The place is known, but the replacement would damage the text.
    Guard,
}

impl FailureCode {
    /// The code in results.
    pub fn as_str(self) -> &'static str {
        match self {
            FailureCode::NoMatch => "E_NO_MATCH",
            FailureCode::Ambiguous => "E_AMBIGUOUS",
            FailureCode::Overlap => "E_OVERLAP",
            FailureCode::Guard => "E_GUARD",
        }
    }
}

/// A failing patch, with a hint that helps to fix it.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Its index in the call, from 0.
    pub patch: usize,
    /// The kind of failure.
    pub code: FailureCode,
    /// What failed, and where.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Indices of other patches involved.
    pub with: Vec<usize>,
    /// The places that match, or the nearest ones. At most five.
    pub candidates: Vec<Candidate>,
}

impl Failure {
    pub(crate) fn new(patch: usize, code: FailureCode, message: impl Into<String>) -> Failure {
        Failure {
            patch,
            code,
            message: message.into(),
            hint: None,
            with: Vec::new(),
            candidates: Vec::new(),
        }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }
}

/// A place of the snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// First line, 1-based.
    pub start_line: usize,
    /// Last line, 1-based.
    pub end_line: usize,
    /// 0 to 1, where the place is only similar.
    pub similarity: Option<f64>,
    /// The first difference from `old_text`, as a sentence.
    pub difference: Option<String>,
    /// The exact text of the lines, bounded.
    pub text: String,
    /// The shortest neighbouring line that makes `old_text` match this place only.
    pub unique_line: Option<String>,
    /// The candidate's lines up to and including that line: an `old_text` that matches only here.
    pub old_text: Option<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, failure) in self.failures.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(
                f,
                "patch {}: {}: {}",
                failure.patch + 1,
                failure.code.as_str(),
                failure.message
            )?;
            if let Some(hint) = &failure.hint {
                write!(f, " {hint}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Report {}
