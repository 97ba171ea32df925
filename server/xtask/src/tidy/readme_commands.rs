//! The commands that the READMEs tell a reader to type exist, and CI runs the one for tests.

use super::Finding;
use super::tree::Tree;
use crate::Cli;
use clap::CommandFactory;

const TEST: &str = "cargo xtask test";
const CI: &str = ".ci/run";
/// Sources of the server's command line.
const SERVER: &str = "server/tandem/src/";
/// The end of the names of crates with tools that `tandem call` runs.
const TOOLS: &str = "tools/src/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().filter(|file| file.path.ends_with("README.md")) {
        for (line, command) in commands(&file.text) {
            if let Some(what) = problem(command, tree) {
                findings.push(Finding::error(&file.path, line, format!("`{command}`: {what}")));
            }
        }
    }
    for path in ["README.md", CI] {
        let is_told =
            tree.file(path).is_some_and(|file| file.text.lines().any(|line| line == TEST));
        if !is_told {
            findings.push(Finding::error(
                path,
                0,
                format!("`{TEST}` does not stand on its own line"),
            ));
        }
    }
    findings
}

/// Lines of the fenced `sh` blocks with their numbers, comments left out.
fn commands(text: &str) -> Vec<(usize, &str)> {
    let mut is_shell = false;
    let mut is_fenced = false;
    let mut commands = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            is_shell = !is_fenced && matches!(language.trim(), "sh" | "bash" | "shell" | "console");
            is_fenced = !is_fenced;
        } else if is_shell {
            let line = line.split(" # ").next().unwrap_or_default().trim();
            let line = line.strip_prefix("$ ").unwrap_or(line);
            if !line.is_empty() && !line.starts_with('#') {
                commands.push((index + 1, line));
            }
        }
    }
    commands
}

/// The problem with a command, if it is one of the project's and has one.
fn problem(command: &str, tree: &Tree) -> Option<String> {
    let words: Vec<_> = command.split_whitespace().collect();
    match words.as_slice() {
        ["cargo", "xtask", chore, ..] => {
            let known = Cli::command().get_subcommands().any(|known| known.get_name() == *chore);
            (!known).then(|| format!("there is no chore `{chore}`"))
        }
        ["cargo", "install", "--path", path, ..] => {
            let manifest = format!("{path}/Cargo.toml");
            (!tree.has(&manifest)).then(|| format!("there is no {manifest}"))
        }
        ["cargo", "run", flags @ ..] => {
            let after = flags.iter().position(|flag| *flag == "--")?;
            subcommand(&flags[after + 1..], tree)
        }
        ["tandem", rest @ ..] => subcommand(rest, tree),
        _ => None,
    }
}

/// A subcommand is a variant in a file that derives clap's `Subcommand`; a tool's name is a string.
fn subcommand(words: &[&str], tree: &Tree) -> Option<String> {
    let name = *words.first()?;
    let variant: String = name.split('-').map(capitalised).collect();
    let mut sources = tree.rust().filter(|(file, _)| file.path.starts_with(SERVER));
    let is_known = name.starts_with('-')
        || sources.any(|(_, rust)| {
            let mut words = rust.production.split(|c: char| !c.is_alphanumeric() && c != '_');
            rust.production.contains("Subcommand") && words.any(|word| word == variant)
        });
    if !is_known {
        return Some(format!("the server has no subcommand `{name}`"));
    }
    let tool = *words.get(1).filter(|_| name == "call")?;
    let quoted = format!("\"{tool}\"");
    let mut tools = tree.files().filter(|file| file.path.contains(TOOLS));
    (!tools.any(|file| file.text.contains(&quoted))).then(|| format!("unknown tool `{tool}`"))
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(readme: &str) -> Vec<usize> {
        let readme = format!("{readme}\n```sh\ncargo xtask test\n```\n");
        let findings = check(&Tree::from_files(&[
            ("README.md", &readme),
            (".ci/run", "cargo xtask test\n"),
            ("server/tandem/Cargo.toml", ""),
            ("server/tandem/src/cli.rs", "#[derive(Subcommand)]\nenum C { Tour, Call }"),
            ("server/tools/src/read.rs", "const NAME: &str = \"read_file\";"),
        ]));
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn commands_that_exist_are_fine() {
        let fine = "```sh\n$ cargo xtask bench # figures\ncargo run --release -- tour\n\
                    cargo install --path server/tandem\ntandem call read_file '{}'\nls\n```\n\
                    ```lua\ncargo xtask nonsense\n```";
        assert_eq!(found(fine), Vec::<usize>::new());
    }

    #[test]
    fn commands_that_do_not_exist_are_found() {
        let wrong = "```sh\ncargo xtask tset\ncargo run --release -- tuor\n\
                     cargo install --path server/nothing\ntandem call no_such_tool\n```";
        assert_eq!(found(wrong), [2, 3, 4, 5]);
    }

    #[test]
    fn ci_runs_the_commands_of_the_readme() {
        let tree = Tree::from_files(&[
            ("README.md", "```sh\ncargo xtask test\n```\n"),
            (".ci/run", "cargo test\n"),
        ]);
        let findings = check(&tree);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, ".ci/run");
    }
}
