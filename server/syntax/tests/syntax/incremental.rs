//! Incremental results equal full ones after random edits: tree, highlights and outline.
//! `TANDEM_SYNTAX_CASES` sets the number of edits per language.

use std::sync::atomic::AtomicBool;

use syntax::{HighlightCache, HighlightOptions, Language, Syntax};
use text::Text;
use tree_sitter::Node;

use crate::{
    bash, c, cpp, csharp, css, dockerfile, elixir, go, graphql, haskell, html, java, javascript,
    json, kotlin, lua, make, markdown, nix, ocaml, ocaml_interface, php, proto, python, ruby, rust,
    scala, scss, sql, swift, toml, typescript, xml, yaml, zig,
};

static GO: AtomicBool = AtomicBool::new(false);

pub(crate) const SAMPLES: &[(&str, &str)] = &[
    ("bash", bash::SOURCE),
    ("c", c::SOURCE),
    ("cpp", cpp::SOURCE),
    ("csharp", csharp::SOURCE),
    ("css", css::SOURCE),
    ("dockerfile", dockerfile::SOURCE),
    ("elixir", elixir::SOURCE),
    ("go", go::SOURCE),
    ("graphql", graphql::SOURCE),
    ("haskell", haskell::SOURCE),
    ("html", html::SOURCE),
    ("java", java::SOURCE),
    ("javascript", javascript::SOURCE),
    ("json", json::SOURCE),
    ("kotlin", kotlin::SOURCE),
    ("lua", lua::SOURCE),
    ("make", make::SOURCE),
    ("markdown", markdown::SOURCE),
    ("nix", nix::SOURCE),
    ("ocaml", ocaml::SOURCE),
    ("ocaml_interface", ocaml_interface::SOURCE),
    ("php", php::SOURCE),
    ("proto", proto::SOURCE),
    ("python", python::SOURCE),
    ("ruby", ruby::SOURCE),
    ("rust", rust::SOURCE),
    ("scala", scala::SOURCE),
    ("scss", scss::SOURCE),
    ("sql", sql::SOURCE),
    ("swift", swift::SOURCE),
    ("toml", toml::SOURCE),
    ("tsx", javascript::SOURCE),
    ("typescript", typescript::SOURCE),
    ("xml", xml::SOURCE),
    ("yaml", yaml::SOURCE),
    ("zig", zig::SOURCE),
];

/// Texts to insert, in any language.
const TYPED_TEXTS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "/",
    "/*",
    "*/",
    "//",
    "#",
    "\\",
    ";",
    ":",
    ",",
    ".",
    "=",
    "->",
    "\n",
    "\n\n",
    "\r\n",
    "    ",
    "\t",
    " ",
    "é",
    "日本",
    "🙂",
    "x",
    "1",
    "if ",
    "else",
    "return ",
    "class A ",
    "fn f() {}",
    "def f():\n",
    "\"\"\"",
    "'''",
    "${",
    "end",
    "@",
    "!",
    "&",
    "\0",
];

/// Number of edits before starting again from the original text.
const EDITS_IN_A_ROW: usize = 12;

struct Random(u64);

impl Random {
    /// A number below `end`, by xorshift64*.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(high).unwrap() % end.max(1)
    }

    fn boundary(&mut self, text: &str) -> usize {
        let at = self.below(text.len() + 1);
        text.floor_char_boundary(at)
    }

    fn edit(&mut self, text: &str) -> String {
        let start = self.boundary(text);
        let length = [0, 0, 0, 1, 1, 2, 5, 20, 80][self.below(9)];
        let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
        let new = match self.below(4) {
            0 => {
                let from = self.boundary(text);
                let to = text.floor_char_boundary((from + self.below(60)).min(text.len()));
                &text[from..to.max(from)]
            }
            1 => "",
            _ => TYPED_TEXTS[self.below(TYPED_TEXTS.len())],
        };
        format!("{}{new}{}", &text[..start], &text[end..])
    }
}

/// The tree with spans.
fn tree(syntax: &Syntax) -> String {
    fn write(node: Node<'_>, depth: usize, out: &mut String) {
        use std::fmt::Write;
        let flags = [(node.is_missing(), " missing"), (node.is_extra(), " extra")];
        let flags: String = flags.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
        writeln!(out, "{}{} {:?}{flags}", " ".repeat(depth), node.kind(), node.byte_range())
            .unwrap();
        for child in node.children(&mut node.walk()) {
            write(child, depth + 1, out);
        }
    }
    let mut out = String::new();
    write(syntax.root(), 0, &mut out);
    out
}

/// Checks that the stale tree's results are consistent with the new text, and leave out the edit.
fn check_stale_tree(before: &Syntax, after: &str) {
    let text = Text::new(after);
    let Some((_, touched)) = before.text().difference(&text) else { return };
    let shifted = before.stale_tree(&text);
    let options = HighlightOptions { injections: false, cache: None, budget: None };
    let mut at = 0;
    for highlight in shifted.highlights(0..after.len(), options, &GO).unwrap() {
        let span = highlight.span;
        assert!(after.get(span.clone()).is_some() && at <= span.start, "{span:?} of {after:?}");
        let beside = span.end < touched.start || span.start > touched.end;
        let around = span.start < touched.start && touched.end < span.end;
        assert!(beside || around, "{span:?} at {touched:?} of {after:?}");
        at = span.end;
    }
    let mut items = shifted.outline(&GO).unwrap().items;
    while let Some(item) = items.pop() {
        assert!(after.get(item.span.clone()).is_some() && item.span.start <= item.name_span.start);
        let name = item.name_span;
        assert!(name.end < touched.start || name.start > touched.end, "{name:?} of {after:?}");
        items.extend(item.children);
    }
}

fn check(
    language: Language,
    before: &str,
    incremental: &Syntax,
    after: &str,
) -> Result<(), String> {
    let full = Syntax::parse(language, &Text::new(after), None, &GO).unwrap();
    let options = HighlightOptions { injections: false, cache: None, budget: None };
    let highlights = |s: &Syntax| s.highlights(0..after.len(), options, &GO);
    let what = if tree(incremental) != tree(&full) {
        "tree"
    } else if highlights(incremental) != highlights(&full) {
        "highlights"
    } else if incremental.outline(&GO) != full.outline(&GO) {
        "outline"
    } else if incremental.unfiltered_errors(5) != full.unfiltered_errors(5) {
        "errors"
    } else {
        return Ok(());
    };
    let errors = if full.root().has_error() { "with" } else { "without" };
    Err(format!("{what} of {language:?}, {errors} errors:\n{before:?}\n->\n{after:?}"))
}

/// Edits a text at random `cases` times, starting again from it now and then. Returns the
/// differences between incremental and full results.
pub(crate) fn random_edits(language: Language, written: &str, cases: usize) -> Vec<String> {
    let parse = |text: &str, old: Option<&Syntax>| {
        Syntax::parse(language, &Text::new(text), old, &GO).unwrap()
    };
    let mut wrong = Vec::new();
    let seed = std::env::var("TANDEM_SYNTAX_SEED").ok().and_then(|n| n.parse::<u64>().ok());
    let seed = seed.unwrap_or(0) << 32 ^ language.id().len() as u64;
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ seed);
    let (mut text, mut syntax) = (written.to_owned(), parse(written, None));
    let with_injections = HighlightOptions { injections: true, cache: None, budget: None };
    let mut painted = HighlightCache::new(&syntax, with_injections, &GO).unwrap();
    for case in 0..cases {
        if case % EDITS_IN_A_ROW == 0 {
            (text, syntax) = (written.to_owned(), parse(written, None));
            painted = HighlightCache::new(&syntax, with_injections, &GO).unwrap();
        }
        let edited = random.edit(&text);
        check_stale_tree(&syntax, &edited);
        let incremental = parse(&edited, Some(&syntax));
        painted = painted.updated(&incremental, with_injections, &GO).unwrap();
        let all = incremental.highlights(0..edited.len(), with_injections, &GO).unwrap();
        if **painted.highlights() != *all {
            let is = painted.highlights();
            let at = is.iter().zip(&all).take_while(|(a, b)| a == b).count();
            let what = [is.get(at), all.get(at)];
            wrong.push(format!("{what:?} of {language:?}:\n{text:?}\n->\n{edited:?}"));
            painted = HighlightCache::new(&incremental, with_injections, &GO).unwrap();
        }
        wrong.extend(check(language, &text, &incremental, &edited).err());
        (text, syntax) = (edited, incremental);
    }
    wrong
}

/// Number of edits per text.
pub(crate) fn cases(usual: usize) -> usize {
    let cases = std::env::var("TANDEM_SYNTAX_CASES").ok().and_then(|n| n.parse().ok());
    cases.unwrap_or(usual)
}

#[test]
fn incremental_equals_full() {
    let cases = cases(36);
    let mut wrong = Vec::new();
    for (language, written) in SAMPLES {
        wrong.extend(random_edits(Language::by_id(language).unwrap(), written, cases));
    }
    assert!(wrong.is_empty(), "{} of {}: {}", wrong.len(), SAMPLES.len() * cases, wrong[0]);
}

/// Far from the edit a call becomes a constructor call of the same length with the same errors.
#[test]
fn code_that_parses_differently_far_from_an_edit_is_highlighted_again() {
    let language = Language::by_id("swift").unwrap();
    let (before, after) =
        ("public structe{publicinit({\"\"\n}", "\"cfunct(){e(t(){d{if g(){}else{}");
    let parse = |text: &str| Syntax::parse(language, &Text::new(text), None, &GO).unwrap();
    let options = HighlightOptions { injections: true, cache: None, budget: None };
    let (old, new) = (parse(&format!("{before}{after}")), parse(&format!("{before}'{after}")));
    let painted =
        HighlightCache::new(&old, options, &GO).unwrap().updated(&new, options, &GO).unwrap();
    assert_eq!(**painted.highlights(), new.highlights(0..new.text().len(), options, &GO).unwrap());
}
