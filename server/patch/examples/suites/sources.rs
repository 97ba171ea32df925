//! The list of suites: repository, test sources, and the functions that they test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tree_sitter::Parser;

use crate::calls::{Call, CallShape};
use crate::case::{Case, Expected, Files};
use crate::evaluate::Evaluator;

/// A suite of a public project.
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    /// The repository, `owner/name`.
    pub(crate) repository: &'static str,
    pub(crate) sources: &'static [&'static str],
    pub(crate) calls: &'static [Call],
}

pub(crate) const fn call(name: &'static str, shape: CallShape) -> Call {
    Call { name, shape }
}

/// A folder of scenarios in place of a source: each has `input`, `patch.txt` and `expected`.
const SCENARIOS: &str = "code-rs/apply-patch/tests/fixtures/scenarios/";

/// The suites, by name. Codex's scenarios are read from a project that builds on it.
pub(crate) const SUITES: &[Suite] = &[
    Suite {
        name: "aider, blocks",
        repository: "Aider-AI/aider",
        sources: &["tests/basic/test_editblock.py"],
        calls: &[
            call("replace_most_similar_chunk", CallShape::TextOldNew),
            call("find_original_update_blocks", CallShape::Blocks),
        ],
    },
    Suite {
        name: "cline, apply_patch and editor",
        repository: "cline/cline",
        sources: &[
            "sdk/packages/core/src/extensions/tools/executors/apply-patch.test.ts",
            "sdk/packages/core/src/extensions/tools/executors/editor.test.ts",
        ],
        calls: &[call("execute", CallShape::OnFiles), call("editor", CallShape::OnFiles)],
    },
    Suite {
        name: "codex, apply_patch",
        repository: "just-every/code",
        sources: &[SCENARIOS],
        calls: &[],
    },
    Suite {
        name: "continue, find and replace",
        repository: "continuedev/continue",
        sources: &[
            "core/edit/searchAndReplace/executeFindAndReplace.vitest.ts",
            "core/edit/searchAndReplace/multiEdit.vitest.ts",
        ],
        calls: &[
            call("executeFindAndReplace", CallShape::TextOldNew),
            call("executeMultiFindAndReplace", CallShape::TextEdits),
        ],
    },
    Suite {
        name: "continue, unified diff",
        repository: "continuedev/continue",
        sources: &["core/edit/lazy/unifiedDiffApply.test.ts"],
        calls: &[call("applyUnifiedDiff", CallShape::TextPatch)],
    },
    Suite {
        name: "gemini-cli, edit",
        repository: "google-gemini/gemini-cli",
        sources: &["packages/core/src/tools/edit.test.ts"],
        calls: &[
            call("applyReplacement", CallShape::Everywhere),
            call("calculateReplacement", CallShape::Parameters),
        ],
    },
    Suite {
        name: "gptme, patch",
        repository: "gptme/gptme",
        sources: &["tests/test_tools_patch.py"],
        calls: &[call("apply", CallShape::PatchText)],
    },
    Suite {
        name: "jsdiff, applyPatch",
        repository: "kpdecker/jsdiff",
        sources: &["test/patch/apply.js"],
        calls: &[call("applyPatch", CallShape::TextPatch)],
    },
    Suite {
        name: "kimi-cli, StrReplaceFile",
        repository: "MoonshotAI/kimi-cli",
        sources: &["tests/tools/test_str_replace_file.py"],
        calls: &[call("str_replace_file_tool", CallShape::OnFiles)],
    },
    Suite {
        name: "mistral-vibe, edit",
        repository: "mistralai/mistral-vibe",
        sources: &["tests/core/tools/builtins/test_edit.py"],
        calls: &[call("run", CallShape::OnFiles)],
    },
    Suite {
        name: "openai-agents, applyDiff",
        repository: "openai/openai-agents-js",
        sources: &["packages/agents-core/test/utils/applyDiff.test.ts"],
        calls: &[call("applyDiff", CallShape::TextSections)],
    },
    Suite {
        name: "openai-agents, apply_diff",
        repository: "openai/openai-agents-python",
        sources: &["tests/test_apply_diff.py"],
        calls: &[call("apply_diff", CallShape::TextSections)],
    },
    Suite {
        name: "openhands, str_replace",
        repository: "All-Hands-AI/openhands-aci",
        sources: &[
            "tests/integration/test_oh_editor.py",
            "tests/integration/editor/test_basic_operations.py",
            "tests/integration/editor/test_error_handling.py",
            "tests/integration/editor/test_non_utf8_operations.py",
        ],
        calls: &[call("editor", CallShape::Command), call("file_editor", CallShape::Command)],
    },
    Suite {
        name: "pi, edit",
        repository: "badlogic/pi-mono",
        sources: &["packages/coding-agent/test/tools.test.ts"],
        calls: &[call("execute", CallShape::OnFiles)],
    },
    Suite {
        name: "roo-code, multi-search-replace",
        repository: "RooCodeInc/Roo-Code",
        sources: &[
            "src/core/diff/strategies/__tests__/multi-search-replace.spec.ts",
            "src/core/diff/strategies/__tests__/multi-search-replace-trailing-newline.spec.ts",
        ],
        calls: &[call("applyDiff", CallShape::TextPatch)],
    },
];

impl Suite {
    /// The suite's cases; `None` if its repository is not in the folder.
    pub(crate) fn cases(&self, folder: &Path) -> Option<Result<Vec<Case>, String>> {
        let repository = self.repository_folder(folder)?;
        let mut cases = Vec::new();
        for source in self.sources {
            let read = match source.ends_with('/') {
                true => scenarios(&repository, source),
                false => self.cases_of_source(&repository, source),
            };
            match read {
                Ok(read) => cases.extend(read),
                Err(error) => return Some(Err(format!("{}: {source}: {error}", self.name))),
            }
        }
        Some(Ok(cases))
    }

    /// The repository's folder: `owner+name` or `name`, with or without `repo` in it.
    fn repository_folder(&self, folder: &Path) -> Option<PathBuf> {
        let (_, name) = self.repository.split_once('/')?;
        let spelled = [self.repository.replace('/', "+"), name.to_owned()];
        let is_there = |path: &PathBuf| path.is_dir();
        spelled
            .iter()
            .flat_map(|name| [folder.join(name).join("repo"), folder.join(name)])
            .find(is_there)
    }

    fn cases_of_source(&self, repository: &Path, path: &str) -> Result<Vec<Case>, String> {
        let source = git(repository, &["show", &format!("HEAD:{path}")])?;
        parse_cases(&source, path.ends_with(".py"), self.calls)
    }
}

/// The cases of a source.
pub(crate) fn parse_cases(
    source: &str,
    python: bool,
    calls: &'static [Call],
) -> Result<Vec<Case>, String> {
    let language = match python {
        true => tree_sitter_python::LANGUAGE,
        false => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
    };
    let mut parser = Parser::new();
    parser.set_language(&language.into()).map_err(|error| error.to_string())?;
    let tree = parser.parse(source, None).ok_or("it cannot be parsed")?;
    let mut evaluator = Evaluator::new(source, python, calls);
    evaluator.statement(tree.root_node());
    Ok(evaluator.cases.into_iter().filter(|case| case.expected.is_some()).collect())
}

/// What git prints.
fn git(repository: &Path, words: &[&str]) -> Result<String, String> {
    let output = Command::new("git").arg("-C").arg(repository).args(words).output();
    let output = output.map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Scenarios: one that expects its own input is a refusal.
fn scenarios(repository: &Path, under: &str) -> Result<Vec<Case>, String> {
    let list = git(repository, &["ls-tree", "-r", "--name-only", "HEAD", under])?;
    let mut by_name: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for path in list.lines() {
        if let Some((name, file)) = path.strip_prefix(under).and_then(|rest| rest.split_once('/')) {
            let text = git(repository, &["show", &format!("HEAD:{path}")])?;
            by_name.entry(name).or_default().insert(file, text);
        }
    }
    let under = |files: &BTreeMap<&str, String>, folder: &str| -> Files {
        let inside = |(path, text): (&&str, &String)| {
            Some((path.strip_prefix(folder)?.to_owned(), text.clone()))
        };
        files.iter().filter_map(inside).collect()
    };
    let cases = by_name.iter().filter_map(|(name, files)| {
        let (before, after) = (under(files, "input/"), under(files, "expected/"));
        let gone = before
            .keys()
            .filter(|path| !after.contains_key(*path))
            .map(|path| (path.clone(), None));
        let expected: BTreeMap<_, _> = after
            .iter()
            .map(|(path, text)| (path.clone(), Some(text.clone())))
            .chain(gone)
            .collect();
        let expected = if before == after { Expected::Refusal } else { Expected::Files(expected) };
        Some(Case {
            name: (*name).to_owned(),
            target: before.keys().next().cloned().unwrap_or_default(),
            parameters: json!({ "patch": files.get("patch.txt")? }),
            files: before,
            expected: Some(expected),
        })
    });
    Ok(cases.collect())
}
