//! The scan of one text.

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::finding::{Confidence, Finding, fingerprint, redact};
use crate::rule::{BadPattern, Rule, built_in};

/// Limit for the findings in one text. A text with more is a list of secrets, and the rest adds nothing.
pub const MAX_FINDINGS_PER_TEXT: usize = 100;
/// Most patterns of a caller, and bytes of one.
const MAX_PATTERNS: usize = 20;
const MAX_PATTERN_BYTES: usize = 500;
/// Bytes before a keyword in which a rule's match may begin.
const BEFORE: usize = 200;
/// Keywords after which the interrupt is checked.
const HITS_PER_CHECK: usize = 4_096;
/// Comments that allow the secrets of their line.
const ALLOWANCES: &[&[u8]] = &[b"tandem:allow-secret", b"gitleaks:allow"];
/// Bytes of a line, on each side, in which such a comment is searched.
const MAX_LINE: usize = 4_096;

/// The built-in rules with the automaton of their keywords.
struct BuiltIn {
    rules: Vec<Rule>,
    automaton: AhoCorasick,
    /// The rule of each keyword.
    owners: Vec<usize>,
}

static BUILT_IN: LazyLock<BuiltIn> = LazyLock::new(|| {
    let rules = built_in();
    let keywords = rules
        .iter()
        .enumerate()
        .flat_map(|(n, rule)| rule.keywords.iter().map(move |keyword| (n, keyword.as_str())));
    let (owners, keywords): (Vec<usize>, Vec<&str>) = keywords.unzip();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(keywords)
        .expect("a test builds the automaton");
    BuiltIn { rules, automaton, owners }
});

/// The built-in rules, and a caller's patterns.
#[derive(Debug, Default)]
pub struct Scanner {
    custom: Vec<Rule>,
}

/// A match before it is a finding.
struct Candidate {
    /// The rule's place: the first of overlapping ones counts.
    order: usize,
    whole: Range<usize>,
    secret: Range<usize>,
    confidence: Confidence,
}

impl Scanner {
    /// A scanner with more patterns. Group 1 of a pattern is the secret, or all that it matches.
    ///
    /// # Errors
    /// If a pattern does not compile, or there are too many.
    pub fn with_patterns(patterns: &[String]) -> Result<Self, BadPattern> {
        if patterns.len() > MAX_PATTERNS {
            return Err(BadPattern(format!("at most {MAX_PATTERNS} patterns are possible")));
        }
        if let Some(long) = patterns.iter().find(|pattern| pattern.len() > MAX_PATTERN_BYTES) {
            let why = format!("has {} bytes; {MAX_PATTERN_BYTES} are possible", long.len());
            return Err(BadPattern(why));
        }
        let custom = patterns.iter().zip(1..).map(|(pattern, n)| Rule::custom(n, pattern));
        Ok(Self { custom: custom.collect::<Result<_, _>>()? })
    }

    /// The built-in rules.
    #[must_use]
    pub fn rules() -> &'static [Rule] {
        &BUILT_IN.rules
    }

    /// Finds the secrets in the text of the file at `path`, by position. At most
    /// [`MAX_FINDINGS_PER_TEXT`]; none once `interrupt` is set. O(n).
    #[must_use]
    pub fn scan(&self, path: &str, text: &[u8], interrupt: &AtomicBool) -> Vec<Finding> {
        let mut candidates = Vec::new();
        built_in_candidates(path, text, interrupt, &mut candidates);
        for (n, rule) in self.custom.iter().enumerate() {
            run(rule, BUILT_IN.rules.len() + n, text, 0..text.len(), interrupt, &mut candidates);
        }
        if candidates.is_empty() || interrupt.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut chosen = without_overlaps(candidates);
        chosen.retain(|found| !is_allowed(text, found));
        chosen.truncate(MAX_FINDINGS_PER_TEXT);
        self.findings(path, text, &chosen)
    }

    fn findings(&self, path: &str, text: &[u8], chosen: &[Candidate]) -> Vec<Finding> {
        let (mut line, mut counted) = (1, 0);
        let mut finding = |found: &Candidate| {
            let rule = match BUILT_IN.rules.get(found.order) {
                Some(rule) => rule,
                None => self.custom.get(found.order - BUILT_IN.rules.len())?,
            };
            let start = found.secret.start;
            line += text[counted..start].iter().filter(|byte| **byte == b'\n').count();
            counted = start;
            let line_start = text[..start].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            let before = String::from_utf8_lossy(&text[line_start..start]);
            let secret = &text[found.secret.clone()];
            Some(Finding {
                rule: rule.id.clone(),
                kind: rule.kind.clone(),
                about: rule.about.clone(),
                confidence: found.confidence,
                span: found.secret.clone(),
                line,
                column: before.encode_utf16().count() + 1,
                redacted: redact(secret),
                fingerprint: fingerprint(path, &rule.id, secret),
            })
        };
        chosen.iter().filter_map(&mut finding).collect()
    }
}

/// Runs each rule near its keywords. The windows around keywords that lie close together are one.
fn built_in_candidates(
    path: &str,
    text: &[u8],
    interrupt: &AtomicBool,
    candidates: &mut Vec<Candidate>,
) {
    let BuiltIn { rules, automaton, owners } = &*BUILT_IN;
    let mut windows: Vec<Option<Range<usize>>> = vec![None; rules.len()];
    let mut covers: Vec<Option<bool>> = vec![None; rules.len()];
    for (number, hit) in automaton.find_overlapping_iter(text).enumerate() {
        if number % HITS_PER_CHECK == 0 && interrupt.load(Ordering::Relaxed) {
            return;
        }
        let order = owners[hit.pattern().as_usize()];
        let rule = &rules[order];
        if !*covers[order].get_or_insert_with(|| rule.covers(path)) {
            continue;
        }
        let near = hit.start().saturating_sub(BEFORE)..text.len().min(hit.end() + rule.reach);
        match &mut windows[order] {
            Some(window) if near.start <= window.end => window.end = window.end.max(near.end),
            window => {
                if let Some(done) = window.replace(near) {
                    run(rule, order, text, done, interrupt, candidates);
                }
            }
        }
    }
    for (order, window) in windows.into_iter().enumerate() {
        if let Some(window) = window {
            run(&rules[order], order, text, window, interrupt, candidates);
        }
    }
}

/// Adds the matches of a rule in a window of the text.
fn run(
    rule: &Rule,
    order: usize,
    text: &[u8],
    window: Range<usize>,
    interrupt: &AtomicBool,
    candidates: &mut Vec<Candidate>,
) {
    let Some(pattern) = rule.pattern() else { return };
    let (seen, mut at) = (&text[..window.end], window.start);
    while at <= seen.len() && candidates.len() < 10 * MAX_FINDINGS_PER_TEXT {
        if interrupt.load(Ordering::Relaxed) {
            return;
        }
        let Some(captures) = pattern.captures_at(seen, at) else { return };
        let Some(whole) = captures.get(0).map(|found| found.range()) else { return };
        let secret = captures.get(1).map_or(whole.clone(), |found| found.range());
        // What follows a match is not swallowed: it may begin the next one.
        at = secret.end.max(whole.start + 1);
        // A match that the window cuts is judged by text that is not all of it.
        if whole.end == seen.len() && seen.len() < text.len() || secret.is_empty() {
            continue;
        }
        if let Some(confidence) = rule.judge(&text[secret.clone()]) {
            candidates.push(Candidate { order, whole, secret, confidence });
        }
    }
}

/// One finding for each secret, by position: the first rule that knows it.
fn without_overlaps(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by_key(|found| (found.order, found.secret.start));
    let mut chosen: Vec<Candidate> = Vec::new();
    for found in candidates {
        let overlaps = |other: &Candidate| {
            found.secret.start < other.secret.end && other.secret.start < found.secret.end
        };
        if !chosen.iter().any(overlaps) {
            chosen.push(found);
        }
    }
    chosen.sort_by_key(|found| found.secret.start);
    chosen
}

/// Whether a comment on the line allows it: on the one where the match begins, or the secret.
fn is_allowed(text: &[u8], found: &Candidate) -> bool {
    [found.whole.start, found.secret.start].into_iter().any(|at| {
        let head = &text[at.saturating_sub(MAX_LINE)..at];
        let head = head.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let tail = &text[at..text.len().min(at + MAX_LINE)];
        let tail = tail.split(|byte| *byte == b'\n').next().unwrap_or_default();
        ALLOWANCES.iter().any(|mark| {
            [head, tail].iter().any(|part| part.windows(mark.len()).any(|here| here == *mark))
        })
    })
}
