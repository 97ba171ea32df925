//! `tandem languages`

use std::fmt::Write;
use std::process::ExitCode;

use syntax::Language;

use crate::cli::LanguagesArgs;

pub(crate) fn run(args: &LanguagesArgs) -> ExitCode {
    if args.markdown {
        crate::stdout::write(format_args!("{}", markdown()));
        return ExitCode::SUCCESS;
    }
    for language in Language::all() {
        let extensions = language.extensions().join(" ");
        crate::stdout::print_line!("{:16} {:18} {extensions}", language.id(), language.name());
    }
    ExitCode::SUCCESS
}

/// The page docs/languages.md, with the table of languages and features.
fn markdown() -> String {
    let mut out = String::from(
        "# Languages\n\n\
         The features of each language, printed by `tandem languages --markdown`. The table of languages \
         is `server/syntax/languages.toml`; their tree-sitter queries are in `queries/<language>/`. A \
         file of the same name in `$XDG_CONFIG_HOME/tandem/queries/<language>/` replaces a built-in \
         one. If it is invalid, tandem reports the line and the reason, and uses the built-in one.\n\n\
         *Names* are definition, references, completion, rename and all that follows from them. \
         *Errors* are syntax errors, reported if the parser accepts real files without false \
         alarms; *brackets* are unterminated brackets, strings and comments, reported in any case; \
         *inside* are embedded languages. Selection by brackets, strings and words works in every \
         language.\n\n\
         ![Rust with Markdown, a regular expression and SQL inside; HTML with CSS and JavaScript; \
         Python, as `tandem highlight --html` writes them](images/highlighting.png)\n\n",
    );
    let features = Language::feature_names();
    let _ = writeln!(out, "| language | files | {} |", features.join(" | "));
    let _ = writeln!(out, "|---|---|{}", "---|".repeat(features.len()));
    for language in Language::all() {
        let mut files: Vec<String> =
            language.extensions().iter().map(|e| format!(".{e}")).collect();
        let (shown, more) = (files.len().min(4), files.len().saturating_sub(4));
        files.truncate(shown);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let has: Vec<_> = language.features().map(|has| if has { "yes" } else { "" }).to_vec();
        let _ = writeln!(
            out,
            "| {} | {}{more} | {} |",
            language.name(),
            files.join(" "),
            has.join(" | ")
        );
    }
    out
}
