//! The suite `heuristic`: what can be counted in a response without a model. `docs/models.md` defines the
//! numbers.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Counts, and scores from 0 (bad) to 1 (good).
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct HeuristicScores {
    characters: usize,
    words: usize,
    sentences: usize,
    paragraphs: usize,
    headings: usize,
    list_items: usize,
    code_blocks: usize,
    /// Different words by all words.
    unique_words: f64,
    /// The share of the prompt's words of four letters or more that the response has, too.
    prompt_overlap: f64,
    /// Phrases such as "as an AI" and "I cannot".
    compliance_markers: usize,
    /// 1 if it begins with a phrase such as "Certainly!".
    formulaic_preamble: u8,
    /// The share of sequences of four words that it had before.
    degeneration: f64,
    /// 1 if it has no words, or characters that could not be decoded.
    empty_broken: u8,
    /// Whether it seems to end in the middle.
    cut_off: bool,
    /// The format that the prompt asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_format: Option<Format>,
    length: f64,
    structure: f64,
    format: f64,
    /// The mean of `length`, `structure` and `format`; 0 if it is empty or broken.
    score: f64,
}

/// A format that a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    Json,
    Table,
    List,
    Code,
}

/// Phrases in which models speak of their rules instead of the matter, in lower case.
const COMPLIANCE_MARKERS: &[&str] = &[
    "as an ai",
    "as a language model",
    "as a large language model",
    "i cannot assist",
    "i can't assist",
    "i cannot help",
    "i can't help with",
    "i cannot provide",
    "i'm not able to",
    "i am not able to",
    "i'm unable to",
    "i am unable to",
    "it is important to note",
    "it's important to note",
    "please consult a",
];
/// Openings that every prompt could have got, in lower case.
const PREAMBLES: &[&str] = &[
    "certainly",
    "of course",
    "absolutely",
    "sure,",
    "sure!",
    "great question",
    "that's a great question",
    "i'd be happy to",
    "i would be happy to",
    "i'll be happy to",
    "okay, let",
    "happy to help",
    "thank you for your question",
];
/// Words that are enough for a long prompt.
const ENOUGH_WORDS: usize = 20;
/// Words of a response that ought to end in a sentence's end.
const PROSE_WORDS: usize = 20;
/// Words of a sequence that counts as repeated.
const SEQUENCE: usize = 4;

/// Scores a response.
pub(crate) fn scores(prompt: &str, response: &str) -> HeuristicScores {
    let lower = response.to_lowercase();
    let words = words(&lower);
    let prompt_lower = prompt.to_lowercase();
    let prompt_words = self::words(&prompt_lower);
    let lines = Lines::of(response);
    let unique: HashSet<&str> = words.iter().copied().collect();
    let degeneration = repetition(&words);
    let is_broken = words.is_empty() || response.contains(char::REPLACEMENT_CHARACTER);
    let cut_off = is_cut_off(response, &lines, words.len());
    let requested_format = requested_format(&prompt_lower, &prompt_words);
    let length = share(words.len(), prompt_words.len().clamp(1, ENOUGH_WORDS)).min(1.0);
    let structure = (1.0 - degeneration) * if cut_off { 0.5 } else { 1.0 };
    let follows = requested_format.is_none_or(|format| follows(format, response, &lines));
    let format = if follows { 1.0 } else { 0.0 };
    let score = if is_broken { 0.0 } else { (length + structure + format) / 3.0 };
    let beginning = lower.trim_start();
    HeuristicScores {
        characters: response.chars().count(),
        words: words.len(),
        sentences: sentences(response, words.len()),
        paragraphs: lines.paragraphs,
        headings: lines.headings,
        list_items: lines.list_items,
        code_blocks: lines.fences / 2,
        unique_words: rounded(share(unique.len(), words.len())),
        prompt_overlap: rounded(overlap(&prompt_words, &unique)),
        compliance_markers: COMPLIANCE_MARKERS.iter().map(|p| lower.matches(p).count()).sum(),
        formulaic_preamble: PREAMBLES.iter().any(|p| beginning.starts_with(p)).into(),
        degeneration: rounded(degeneration),
        empty_broken: is_broken.into(),
        cut_off,
        requested_format,
        length: rounded(length),
        structure: rounded(structure),
        format,
        score: rounded(score),
    }
}

/// What the lines of a text are.
struct Lines<'t> {
    paragraphs: usize,
    headings: usize,
    list_items: usize,
    table_rows: usize,
    indented: usize,
    fences: usize,
    /// The last line that is not empty.
    last: &'t str,
    is_last_prose: bool,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let mut lines = Self {
            paragraphs: 0,
            headings: 0,
            list_items: 0,
            table_rows: 0,
            indented: 0,
            fences: 0,
            last: "",
            is_last_prose: false,
        };
        let mut is_in_paragraph = false;
        for line in text.lines() {
            let trimmed = line.trim();
            if trimmed.is_empty() {
                is_in_paragraph = false;
                continue;
            }
            lines.paragraphs += usize::from(!is_in_paragraph);
            is_in_paragraph = true;
            lines.last = trimmed;
            lines.is_last_prose = false;
            if trimmed.starts_with("```") {
                lines.fences += 1;
            } else if lines.fences % 2 == 1 {
                // Code.
            } else if trimmed.trim_start_matches('#').starts_with(' ') && trimmed.starts_with('#') {
                lines.headings += 1;
            } else if is_list_item(trimmed) {
                lines.list_items += 1;
            } else if trimmed.starts_with('|') {
                lines.table_rows += 1;
            } else if line.starts_with("    ") || line.starts_with('\t') {
                lines.indented += 1;
            } else {
                lines.is_last_prose = true;
            }
        }
        lines
    }
}

fn is_list_item(line: &str) -> bool {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ ", "\u{2022} "].iter().any(|mark| line.starts_with(mark))
        || numbered.len() < line.len() && (numbered.starts_with(". ") || numbered.starts_with(") "))
}

fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_');
    words.filter(|word| word.chars().any(char::is_alphanumeric)).collect()
}

fn sentences(text: &str, words: usize) -> usize {
    let mut characters = text.chars().peekable();
    let mut ends = 0;
    while let Some(c) = characters.next() {
        let is_end = matches!(c, '.' | '!' | '?' | '\u{3002}');
        ends += usize::from(is_end && characters.peek().is_none_or(|next| next.is_whitespace()));
    }
    if words == 0 { 0 } else { ends.max(1) }
}

/// The share of word sequences that a text had before.
fn repetition(words: &[&str]) -> f64 {
    let mut seen = HashSet::new();
    let sequences = words.windows(SEQUENCE);
    let count = sequences.len();
    let repeated = sequences.filter(|sequence| !seen.insert(*sequence)).count();
    share(repeated, count)
}

fn overlap(prompt: &[&str], response: &HashSet<&str>) -> f64 {
    let wanted: HashSet<&str> =
        prompt.iter().copied().filter(|word| word.chars().count() >= 4).collect();
    share(wanted.iter().filter(|word| response.contains(*word)).count(), wanted.len())
}

fn is_cut_off(text: &str, lines: &Lines<'_>, words: usize) -> bool {
    let end = text.trim_end().chars().last();
    lines.fences % 2 == 1
        || end.is_some_and(|end| matches!(end, ',' | '(' | '[' | '{' | '\u{2014}'))
        || words > PROSE_WORDS && lines.is_last_prose && end.is_some_and(char::is_alphanumeric)
}

fn requested_format(prompt: &str, words: &[&str]) -> Option<Format> {
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    if has(&["json"]) {
        Some(Format::Json)
    } else if has(&["table"]) && has(&["markdown", "columns", "rows"]) {
        Some(Format::Table)
    } else if has(&["bullet", "bullets", "bulleted"])
        || prompt.contains("numbered list")
        || prompt.contains("list of")
    {
        Some(Format::List)
    } else if has(&["write", "implement", "create"])
        && has(&["code", "function", "script", "program", "snippet", "class"])
    {
        Some(Format::Code)
    } else {
        None
    }
}

fn follows(format: Format, response: &str, lines: &Lines<'_>) -> bool {
    match format {
        Format::Json => {
            let is_json = |text: &str| serde_json::from_str::<Value>(text.trim()).is_ok();
            let fenced = response.split("```").nth(1);
            let fenced = fenced.map(|block| block.strip_prefix("json").unwrap_or(block));
            is_json(response) || fenced.is_some_and(is_json)
        }
        Format::Table => lines.table_rows >= 2,
        Format::List => lines.list_items >= 2,
        Format::Code => lines.fences >= 2 || lines.indented >= 1,
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of a text's words are small")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn rounded(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_response_gets_all_points() {
        let found = scores(
            "Name the two largest planets as a bulleted list.",
            "## Planets\n\nThe largest planets are:\n\n- Jupiter\n- Saturn, which has rings.\n",
        );
        let wanted = HeuristicScores {
            characters: 75,
            words: 10,
            sentences: 1,
            paragraphs: 3,
            headings: 1,
            list_items: 2,
            code_blocks: 0,
            unique_words: 0.9,
            prompt_overlap: 0.4,
            compliance_markers: 0,
            formulaic_preamble: 0,
            degeneration: 0.0,
            empty_broken: 0,
            cut_off: false,
            requested_format: Some(Format::List),
            length: 1.0,
            structure: 1.0,
            format: 1.0,
            score: 1.0,
        };
        assert_eq!(found, wanted);
    }

    #[test]
    fn repetition_and_broken_text_cost_points() {
        let looped = scores("Explain rust.", &"the same words again ".repeat(50));
        assert!(looped.degeneration > 0.9 && looped.score < 0.75, "{looped:?}");
        for empty in ["", "  \n", "...", "\u{fffd} text"] {
            let found = scores("a", empty);
            assert_eq!((found.score, found.empty_broken), (0.0, 1), "{empty:?}");
        }
        let short = scores("Explain in some detail how a hash table works inside.", "It hashes.");
        assert_eq!((short.length, short.words), (0.2, 2));
    }

    #[test]
    fn formats_are_checked() {
        let format = |prompt: &str, response: &str| scores(prompt, response).format;
        let json = "Answer as JSON.";
        assert_eq!(format(json, "{\"a\": 1}"), 1.0);
        assert_eq!(format(json, "Here:\n```json\n{\"a\": 1}\n```\n"), 1.0);
        assert_eq!(format(json, "a is 1"), 0.0);
        assert_eq!(format("Make a Markdown table.", "|a|b|\n|-|-|\n|1|2|\n"), 1.0);
        assert_eq!(format("Make a markdown table.", "a b"), 0.0);
        assert_eq!(format("Write a function that adds.", "```\nadd\n```"), 1.0);
        assert_eq!(format("Write a function that adds.", "You add them."), 0.0);
        assert_eq!(format("Give me a numbered list.", "1. a\n2) b\n"), 1.0);
        assert_eq!(format("Why is the sky blue?", "Because."), 1.0);
    }

    #[test]
    fn phrases_and_ends_are_noticed() {
        let found = scores("Why?", "Certainly! As an AI, I cannot help. As an AI.");
        assert_eq!((found.formulaic_preamble, found.compliance_markers), (1, 3));
        let prose = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
            sixteen seventeen eighteen nineteen twenty twentyone";
        for (text, wanted) in [
            ("```\ncode", true),
            ("It has a,", true),
            (prose, true),
            (&format!("{prose}."), false),
            (&format!("{prose}:\n- an item"), false),
            ("Paris", false),
        ] {
            assert_eq!(scores("Why?", text).cut_off, wanted, "{text}");
        }
    }
}
