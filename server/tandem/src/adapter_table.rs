//! Prints the table of debug adapters for docs/debug.md.

use std::process::ExitCode;

use debug::{Adapter, Adapters, LaunchKind};
use syntax::Language;

use crate::stdout::print_line;

const KINDS: [(LaunchKind, &str); 4] = [
    (LaunchKind::File, "source as it is"),
    (LaunchKind::Binary, "a compiled program"),
    (LaunchKind::Module, "a module"),
    (LaunchKind::Test, "a test"),
];

pub(crate) fn run() -> ExitCode {
    print_line!("| adapter | languages | starts | found | comes with | state |");
    print_line!("|---|---|---|---|---|---|");
    for adapter in Adapters::builtin().iter() {
        print_line!("{}", row(adapter));
    }
    ExitCode::SUCCESS
}

fn row(adapter: &Adapter) -> String {
    let languages = adapter.languages.iter().map(|id| {
        let known = Language::by_id(id).map(Language::name);
        known.unwrap_or(id.as_str()).to_owned()
    });
    let languages: Vec<_> = languages.collect();
    let kinds = KINDS.iter().filter(|(kind, _)| adapter.launches(*kind)).map(|(_, name)| *name);
    let kinds: Vec<_> = kinds.chain(adapter.attaches().then_some("attaches")).collect();
    let mut found = Vec::new();
    if let Some(tool) = adapter.tools.get("adapter") {
        found.extend(tool.variable.as_ref().map(|name| format!("`${name}`")));
        found.extend((!tool.files.is_empty()).then(|| format!("{} places", tool.files.len())));
        found.extend(tool.programs.first().map(|program| format!("`{program}` on PATH")));
    }
    let cells = [
        adapter.name.clone(),
        languages.join(", "),
        kinds.join(", "),
        found.join(", "),
        adapter.install.clone(),
        adapter.state.clone(),
    ];
    // Escaped, since `|` ends a Markdown cell.
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    format!("| {} |", cells.join(" | "))
}
