//! The languages of rules: [`RuleLanguage`] makes ours known to ast-grep.

use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use ast_grep_core::Language as RuleLanguageTrait;
use ast_grep_core::matcher::{Pattern, PatternBuilder, PatternError};
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use syntax::{Language, Syntax};
use text::Text;

/// Ids of the languages that rules can name, the names that ast-grep has for them, and the character
/// that stands for `$` while a pattern is parsed: the grammar must accept it in identifiers. The
/// characters are ast-grep's, so that patterns parse alike.
const LANGUAGES: &[(&str, &[&str], char)] = &[
    ("bash", &["sh"], '$'),
    ("c", &[], '\u{10000}'),
    ("cpp", &["cc", "c++", "cxx"], '\u{10000}'),
    ("csharp", &["cs"], 'µ'),
    ("css", &[], '_'),
    ("elixir", &["ex"], 'µ'),
    ("go", &["golang"], 'µ'),
    ("haskell", &["hs"], 'µ'),
    ("html", &[], 'z'),
    ("java", &[], '$'),
    ("javascript", &["js", "jsx"], '$'),
    ("json", &[], '$'),
    ("kotlin", &["kt"], 'µ'),
    ("lua", &[], '$'),
    ("nix", &[], '_'),
    ("php", &[], 'µ'),
    ("python", &["py"], 'µ'),
    ("ruby", &["rb"], 'µ'),
    ("rust", &["rs"], 'µ'),
    ("scala", &[], '$'),
    ("scss", &[], '_'),
    ("swift", &[], 'µ'),
    ("tsx", &[], '$'),
    ("typescript", &["ts"], '$'),
    ("yaml", &["yml"], '$'),
    ("zig", &[], '_'),
];

/// The languages that rules can name and that are built in.
pub fn languages() -> impl Iterator<Item = Language> {
    LANGUAGES.iter().filter_map(|(id, ..)| Language::by_id(id))
}

/// The language with this id, LSP id or name of ast-grep's; `None` if rules cannot name it.
#[must_use]
pub fn language_for(name: &str) -> Option<Language> {
    let name = name.trim().to_ascii_lowercase();
    let row = LANGUAGES.iter().find(|(id, aliases, _)| *id == name || aliases.contains(&&*name));
    let language = match row {
        Some((id, ..)) => Language::by_id(id),
        None => Language::by_lsp_id(&name),
    };
    language.filter(|language| row_of(*language).is_some())
}

fn row_of(language: Language) -> Option<&'static (&'static str, &'static [&'static str], char)> {
    LANGUAGES.iter().find(|(id, ..)| *id == language.id())
}

/// A language of ours, as ast-grep uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleLanguage(pub(crate) Language);

impl RuleLanguage {
    /// The source of a pattern or text, parsed as the editor parses it.
    pub(crate) fn document(self, syntax: &Syntax, source: String) -> StrDoc<Self> {
        StrDoc { src: source, lang: self, tree: syntax.tree().clone() }
    }

    fn parse_pattern(self, source: &str) -> Result<StrDoc<Self>, String> {
        let never = AtomicBool::new(false);
        let syntax = Syntax::parse(self.0, &Text::new(source), None, &never)
            .ok_or_else(|| "it cannot be parsed".to_owned())?;
        Ok(self.document(&syntax, source.to_owned()))
    }
}

impl RuleLanguageTrait for RuleLanguage {
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        match self.expando_char() {
            '$' => Cow::Borrowed(query),
            expando => Cow::Owned(with_expando(expando, query)),
        }
    }

    fn expando_char(&self) -> char {
        row_of(self.0).map_or('$', |(_, _, expando)| *expando)
    }

    fn from_path<P: AsRef<Path>>(_path: P) -> Option<Self> {
        // Callers detect a file's language by its name and its text.
        None
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.get_ts_language().id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.get_ts_language().field_id_for_name(field).map(|id| id.get())
    }

    fn build_pattern(&self, builder: &PatternBuilder) -> Result<Pattern, PatternError> {
        builder.build(|source| self.parse_pattern(source))
    }
}

impl LanguageExt for RuleLanguage {
    fn get_ts_language(&self) -> TSLanguage {
        self.0.grammar().clone()
    }
}

impl<'de> Deserialize<'de> for RuleLanguage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        language_for(&name).map(Self).ok_or_else(|| {
            serde::de::Error::custom(format!("`{name:.40}` is no language that rules can name"))
        })
    }
}

impl Serialize for RuleLanguage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.id())
    }
}

/// The pattern with `expando` in place of the `$` of metavariables: `$A`, `$$A`, `$$$A`, `$$$`.
fn with_expando(expando: char, query: &str) -> String {
    let mut pattern = String::with_capacity(query.len());
    let mut dollars = 0;
    let push_dollars = |pattern: &mut String, sigil: char, count: usize| {
        pattern.extend(std::iter::repeat_n(sigil, count));
    };
    for c in query.chars() {
        if c == '$' {
            dollars += 1;
            continue;
        }
        let is_metavariable = matches!(c, 'A'..='Z' | '_') || dollars == 3;
        push_dollars(&mut pattern, if is_metavariable { expando } else { '$' }, dollars);
        dollars = 0;
        pattern.push(c);
    }
    push_dollars(&mut pattern, if dollars == 3 { expando } else { '$' }, dollars);
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ast_grep_and_of_editors_are_known() {
        for (name, id) in [
            ("rs", "rust"),
            ("Python", "python"),
            ("TypeScript", "typescript"),
            ("typescriptreact", "tsx"),
            ("javascriptreact", "javascript"),
            ("CSharp", "csharp"),
            ("shellscript", "bash"),
        ] {
            assert_eq!(language_for(name).map(Language::id), Some(id), "{name}");
        }
        assert_eq!(language_for("dockerfile"), None);
        assert_eq!(language_for("klingon"), None);
        assert_eq!(languages().count(), LANGUAGES.len());
    }

    #[test]
    fn only_metavariables_get_the_other_sigil() {
        assert_eq!(with_expando('µ', "$A + $$$ARGS; $$$ $b $1 x$"), "µA + µµµARGS; µµµ $b $1 x$");
        assert_eq!(with_expando('µ', "f($$$)"), "f(µµµ)");
        assert_eq!(with_expando('µ', "$$$"), "µµµ");
    }
}
