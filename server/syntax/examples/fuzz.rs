//! Fuzzes every language with random texts: parses, edits and queries them. Usage: `fuzz SECONDS
//! [SEED] [ID]`.
//!
//! An error in a parser's C code ends the process, so the number of each case is printed first:
//! `fuzz 0 NUMBER` repeats a case, and `TANDEM_FUZZ_KEEP` names a file for its last text. Slow
//! cases are reported; a hang ends the process.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use syntax::{HighlightCache, HighlightOptions, Language, Syntax};
use text::Text;

/// Time after which a case is interrupted.
const CASE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time after which an interrupted case counts as a hang.
const HANG_TIMEOUT: Duration = Duration::from_secs(60);
/// Size limit of a small text, in bytes.
const SMALL_TEXT_BYTES: u64 = 3_000;

/// Fragments of many languages, including those that external scanners keep on a stack.
const FRAGMENTS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "\\",
    "#",
    "#{",
    "${",
    "$(",
    "<<",
    "<<~A\n",
    "<<'B'",
    "\nA\n",
    "<<<X\n",
    "|",
    "||",
    "%",
    "%w(",
    "%q{",
    "%Q[",
    "/",
    "//",
    "/*",
    "*/",
    "{-",
    "-}",
    "(*",
    "*)",
    "--",
    "--[[",
    "--[=[",
    "]]",
    "]=]",
    "<!--",
    "-->",
    "<a>",
    "</a>",
    "<a",
    "/>",
    "<?",
    "?>",
    "<![CDATA[",
    "]]>",
    "&",
    "&amp;",
    ";",
    ":",
    "::",
    ",",
    ".",
    "..",
    "...",
    "=",
    "=>",
    "->",
    "- ",
    "? ",
    ": ",
    "* ",
    "> ",
    "+ ",
    "1. ",
    "~~~\n",
    "```\n",
    "---\n",
    "...\n",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    " ",
    "  ",
    "\t",
    "\n    ",
    "\n\t",
    "a",
    "b1",
    "0x1f",
    "1.5e3",
    "é",
    "日本",
    "\u{1f600}",
    "\0",
    "\u{feff}",
    "\u{2028}",
    "if ",
    "then ",
    "else ",
    "end ",
    "do ",
    "def ",
    "class ",
    "fn ",
    "func ",
    "let ",
    "in ",
    "where\n",
    "begin ",
    "case ",
    "of ",
    "of\n",
    "match ",
    "@",
    "@a",
    "!",
    "!a",
    "&a ",
    "*a ",
    "|\n  ",
    ">-\n ",
    "r#\"",
    "\"#",
    "#\"",
    "R\"x(",
    ")x\"",
    "{|a|",
    "{%",
    "%}",
    "{{",
    "}}",
    "$$",
    "$a$",
    "\\(",
    "\"\\(",
    "s\"$",
    "q(",
    "?a",
    "=begin\n",
    "=end\n",
    "__END__\n",
    "EOF",
    "@\"",
    "$\"",
    "{a|",
    "|a}",
    "''",
    "''${",
    "%{",
    "~r/",
    "~s'''",
    "[|",
    "|]",
];

/// A small random number generator (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) % end.max(1)
    }

    fn fragment(&mut self) -> &'static str {
        FRAGMENTS[usize::try_from(self.below(FRAGMENTS.len() as u64)).unwrap_or(0)]
    }

    fn offset_in(&mut self, text: &str) -> usize {
        let mut at = usize::try_from(self.below(text.len() as u64 + 1)).unwrap_or(0);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn random_bytes(&mut self) -> String {
        let bytes: Vec<u8> =
            (0..self.below(SMALL_TEXT_BYTES)).map(|_| self.below(256).to_le_bytes()[0]).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn fragments(&mut self, most: u64) -> String {
        (0..self.below(most)).map(|_| self.fragment()).collect()
    }

    /// An initial text.
    fn text(&mut self, samples: &[String]) -> String {
        match self.below(40) {
            0 => self.fragment().repeat(1 + usize::try_from(self.below(60_000)).unwrap_or(0)),
            1 => {
                let (open, close) = (self.fragment(), self.fragment());
                let depth = usize::try_from(self.below(20_000)).unwrap_or(0);
                open.repeat(depth) + &close.repeat(depth)
            }
            // A long line.
            2 if self.below(8) == 0 => {
                let unit = self.fragments(20).replace(['\n', '\r'], " ") + "a";
                unit.repeat(1_000_000 / unit.len())
            }
            3..=6 => self.random_bytes(),
            7..=20 => self.fragments(400),
            _ if !samples.is_empty() => {
                let at = usize::try_from(self.below(samples.len() as u64)).unwrap_or(0);
                samples[at].clone()
            }
            _ => self.fragments(400),
        }
    }

    fn edit(&mut self, text: &mut String) {
        let (a, b) = (self.offset_in(text), self.offset_in(text));
        let (a, b) = (a.min(b), a.max(b));
        let mut near = (a + 30).min(text.len());
        while !text.is_char_boundary(near) {
            near += 1;
        }
        match self.below(10) {
            0 => text.truncate(a),
            1 => drop(text.drain(..a)),
            2 => drop(text.drain(a..b)),
            3 => {
                let piece = text[a..near].to_owned();
                text.insert_str(self.offset_in(text), &piece);
            }
            4 => text.insert_str(a, &self.random_bytes()),
            5 => text.replace_range(a..near, ""),
            _ => {
                let pieces = self.fragments(4);
                text.insert_str(a, &pieces);
            }
        }
    }
}

/// Runs `work`; prints its duration if only one case is run.
fn timed<T>(is_verbose: bool, what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    if is_verbose {
        eprint!("{what} ");
    }
    let done = std::hint::black_box(work());
    if is_verbose {
        eprintln!("{:.1?}", start.elapsed());
    }
    done
}

fn run_queries(syntax: &Syntax, is_verbose: bool, go: &AtomicBool) {
    let text = syntax.text();
    timed(is_verbose, "misfits", || syntax.unfiltered_errors(100));
    timed(is_verbose, "outline", || syntax.outline(go));
    timed(is_verbose, "folds", || syntax.folds(go));
    timed(is_verbose, "links", || syntax.links(go));
    timed(is_verbose, "indents", || syntax.indents(0..text.line_count(), "\t", go));
    let options = HighlightOptions { injections: true, cache: None, budget: None };
    timed(is_verbose, "highlights", || syntax.highlights(0..text.len(), options, go));
}

fn case(
    number: u64,
    only: Option<Language>,
    samples: &[Vec<String>],
    is_verbose: bool,
    go: &AtomicBool,
) -> (Language, usize) {
    let mut random = Random(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let languages: Vec<_> = Language::all_with_embedded().collect();
    let picked = usize::try_from(random.below(languages.len() as u64)).unwrap_or(0);
    let language = only.unwrap_or(languages[picked]);
    let at = languages.iter().position(|l| *l == language).unwrap_or(0);
    let mut text = random.text(&samples[at]);
    let (mut old, mut painted): (Option<Syntax>, Option<HighlightCache>) = (None, None);
    for _ in 0..if text.len() > 20_000 { 2 } else { 8 } {
        if is_verbose {
            eprintln!("{language:?}, {} bytes: {:.80?}", text.len(), text);
            if let Some(file) = std::env::var_os("TANDEM_FUZZ_KEEP") {
                drop(std::fs::write(file, &text));
            }
        }
        let rope = Text::new(&text);
        // Also test the stale tree and the incremental update of highlights.
        if let Some(old) = &old {
            let shifted = timed(is_verbose, "shifted", || old.stale_tree(&rope));
            let options = HighlightOptions { injections: true, cache: None, budget: None };
            timed(is_verbose, "its highlights", || shifted.highlights(0..rope.len(), options, go));
            timed(is_verbose, "its outline", || shifted.outline(go));
        }
        let parsed =
            timed(is_verbose, "parse", || Syntax::parse(language, &rope, old.as_ref(), go));
        let Some(syntax) = parsed else { break };
        run_queries(&syntax, is_verbose, go);
        let options = HighlightOptions { injections: true, cache: None, budget: None };
        painted = timed(is_verbose, "carried", || match &painted {
            Some(before) => before.updated(&syntax, options, go),
            None => HighlightCache::new(&syntax, options, go),
        });
        old = Some(syntax);
        random.edit(&mut text);
    }
    (language, text.len())
}

/// Resident memory, in MB.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4 / 1024
}

/// Sample texts of each language, from the files that `TANDEM_FUZZ_FILES` lists, one per line.
fn samples() -> Vec<Vec<String>> {
    let mut samples = vec![Vec::new(); Language::all_with_embedded().count()];
    let list =
        std::env::var("TANDEM_FUZZ_FILES").ok().and_then(|l| std::fs::read_to_string(l).ok());
    for path in list.as_deref().unwrap_or_default().lines() {
        let Ok(bytes) = std::fs::read(path) else { continue };
        let source = String::from_utf8_lossy(&bytes).into_owned();
        let language = Language::detect(path.rsplit('/').next().unwrap_or_default(), &source);
        let at = Language::all_with_embedded().position(|l| Some(l) == language);
        if let Some(at) = at.filter(|_| source.len() < 30_000) {
            samples[at].push(source);
        }
    }
    samples
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|w| w.parse::<u64>().ok());
    let (seconds, first) = (number(0).unwrap_or(0), number(1).unwrap_or(1));
    let only = words.get(2).and_then(|id| Language::by_id(id));
    let samples = samples();
    let (go, begun) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let start = Instant::now();
    let watched = (go.clone(), begun.clone());
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(50));
            let since = start
                .elapsed()
                .saturating_sub(Duration::from_millis(watched.1.load(Ordering::Relaxed)));
            if since > CASE_TIMEOUT {
                watched.0.store(true, Ordering::Relaxed);
            }
            if since > HANG_TIMEOUT {
                eprintln!("\nhangs");
                std::process::exit(3);
            }
        }
    });
    let mut number = first;
    let mut most = resident();
    loop {
        eprint!("\r{number} ");
        drop(std::io::stderr().flush());
        go.store(false, Ordering::Relaxed);
        begun.store(u64::try_from(start.elapsed().as_millis()).unwrap_or(0), Ordering::Relaxed);
        let at = Instant::now();
        let (language, length) = case(number, only, &samples, seconds == 0, &go);
        if at.elapsed() > CASE_TIMEOUT / 2 {
            println!("case {number}: {language:?}, {length} bytes, took {:.1?}", at.elapsed());
        }
        let now = resident();
        if now > most + 200 {
            println!("case {number}: {language:?}, {length} bytes, {now} MB of memory");
            most = now;
        }
        number += 1;
        if start.elapsed().as_secs() >= seconds {
            break;
        }
    }
    println!(
        "{} cases in {:.0?}, {most} MB of memory at most, {} MB at the end",
        number - first,
        start.elapsed(),
        resident()
    );
}
