//! `tandem languages`

use std::fmt::Write;
use std::process::ExitCode;

use syntax::Language;

use crate::cli::LanguagesArgs;

pub(crate) fn run(args: &LanguagesArgs) -> ExitCode {
    if args.markdown {
        crate::out::write(format_args!("{}", markdown()));
        return ExitCode::SUCCESS;
    }
    for language in Language::all() {
        let extensions = language.extensions().join(" ");
        crate::out::say!("{:16} {:18} {extensions}", language.id(), language.name());
    }
    ExitCode::SUCCESS
}

/// The table of languages and features, as docs/languages.md has it.
fn markdown() -> String {
    let mut out = String::from(
        "# Languages\n\n\
         What is known of each language, as the program says it: `tandem languages --markdown`. The \
         table of them is `server/syntax/languages.toml`, what their trees mean is in \
         `queries/<language>/`, and a file of the same name in \
         `$XDG_CONFIG_HOME/tandem/queries/<language>/` stands in place of one there: one that is \
         not valid is told of, with its line and the reason, and the built-in one is used.\n\n\
         *Names* are definition, references, completion, rename and all that follows from them. \
         *Errors* are told where the parser takes real files without a false alarm, *brackets*, \
         strings and comments that are not closed also where it does not; *inside* is \
         code of other languages. Brackets, strings and words select in every language.\n\n\
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
