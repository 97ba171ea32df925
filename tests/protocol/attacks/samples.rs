//! A sample call, with a placeholder for the path, for each tool that takes a path.

use serde_json::{Value, json};

/// What a tool does with the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Gives its content.
    Read,
    /// Looks below it.
    Tree,
    /// Changes its content, which must be there.
    Change,
    /// Makes it.
    Make,
    /// Looks at the entry itself, a link included.
    Look,
    /// Takes the entry itself away, a link included.
    Take,
    /// Shows it in the editor.
    Show,
    /// Runs something there.
    Run,
    /// Reads it, or reports on the entry itself: known from an example of the tool only.
    Example,
    /// A way that is no parameter: a path inside another text.
    Inside(&'static Role),
}

impl Role {
    /// Whether the path's links are followed.
    pub(super) fn follows_links(self) -> bool {
        !matches!(self.plain(), Self::Look | Self::Take)
    }

    pub(super) fn mutates(self) -> bool {
        matches!(self.plain(), Self::Change | Self::Make | Self::Take)
    }

    pub(super) fn plain(self) -> Self {
        match self {
            Self::Inside(role) => *role,
            role => role,
        }
    }
}

/// One way to give one tool a path.
pub(super) struct Sample {
    pub(super) tool: &'static str,
    /// Where the path goes, as discovery names it.
    pub(super) place: &'static str,
    pub(super) role: Role,
    pub(super) params: fn(&str) -> Value,
}

const fn sample(
    tool: &'static str,
    place: &'static str,
    role: Role,
    params: fn(&str) -> Value,
) -> Sample {
    Sample { tool, place, role, params }
}

/// A sample, or one made from an example of a tool.
pub(super) struct Attack {
    pub(super) tool: String,
    pub(super) place: String,
    pub(super) role: Role,
    pub(super) params: Box<dyn Fn(&str) -> Value>,
}

/// All attacks by path.
pub(super) fn attacks() -> Vec<Attack> {
    let samples = SAMPLES.iter().map(|sample| Attack {
        tool: sample.tool.to_owned(),
        place: sample.place.to_owned(),
        role: sample.role,
        params: Box::new(sample.params),
    });
    samples.chain(super::discovery::from_examples()).collect()
}

/// A file that is there, for the other end of a move or copy.
const EXISTING_FILE: &str = "a.txt";

/// A server that does not exist.
const NOBODY: &str = "http://127.0.0.1:1/";

pub(super) const SAMPLES: &[Sample] = &[
    sample("read_file", "path", Role::Read, |path| json!({ "path": path })),
    sample("read_file_range", "path", Role::Read, |path| json!({ "path": path, "start_line": 1 })),
    sample("write_file", "path", Role::Make, |path| json!({ "path": path, "content": "hacked\n" })),
    sample("get_file_info", "path", Role::Look, |path| json!({ "path": path })),
    sample("format_file", "path", Role::Change, |path| json!({ "path": path })),
    sample("reindent", "path", Role::Change, |path| json!({ "path": path })),
    sample("lang_detect", "path", Role::Read, |path| json!({ "path": path })),
    sample("search", "sources[]", Role::Example, |path| json!({ "query": "x", "sources": [path] })),
    sample("rag_ingest", "path", Role::Read, |path| json!({ "path": path })),
    sample(
        "memory_remember",
        "path",
        Role::Read,
        |path| json!({ "content": "A fact.", "path": path, "start_line": 1 }),
    ),
    sample("create_directory", "path", Role::Make, |path| json!({ "path": path })),
    sample("delete_file", "path", Role::Take, |path| json!({ "path": path, "recursive": true })),
    sample(
        "move_file",
        "source",
        Role::Take,
        |path| json!({ "source": path, "destination": "moved" }),
    ),
    sample(
        "move_file",
        "destination",
        Role::Make,
        |path| json!({ "source": EXISTING_FILE, "destination": path }),
    ),
    sample(
        "move_file",
        "destination, overwriting",
        Role::Inside(&Role::Make),
        |path| json!({ "source": EXISTING_FILE, "destination": path, "overwrite": true }),
    ),
    sample(
        "copy_file",
        "source",
        Role::Read,
        |path| json!({ "source": path, "destination": "copied" }),
    ),
    sample(
        "copy_file",
        "destination",
        Role::Make,
        |path| json!({ "source": EXISTING_FILE, "destination": path }),
    ),
    sample(
        "copy_file",
        "destination, overwriting",
        Role::Inside(&Role::Make),
        |path| json!({ "source": EXISTING_FILE, "destination": path, "overwrite": true }),
    ),
    sample(
        "edit_file",
        "path",
        Role::Change,
        |path| json!({ "path": path, "old_content": "secret", "new_content": "hacked" }),
    ),
    sample(
        "apply_edit",
        "path",
        Role::Change,
        |path| json!({ "path": path, "old_text": "secret", "new_text": "hacked" }),
    ),
    sample(
        "replace_in_files",
        "path",
        Role::Change,
        |path| json!({ "path": path, "pattern": "secret", "replacement": "hacked" }),
    ),
    sample(
        "replace_in_files",
        "paths[]",
        Role::Change,
        |path| json!({ "paths": [path], "pattern": "secret", "replacement": "hacked" }),
    ),
    sample(
        "structural_replace",
        "path",
        Role::Change,
        |path| json!({ "path": path, "pattern": "secret", "rewrite": "hacked", "language": "python" }),
    ),
    sample("apply_edit", "edits[].path", Role::Change, |path| {
        let edit = |path, old| json!({ "path": path, "patches": [{ "old_text": old, "new_text": "hacked" }] });
        json!({ "edits": [edit(EXISTING_FILE, "inside"), edit(path, "secret")] })
    }),
    sample("apply_edit", "patch, an envelope", Role::Inside(&Role::Change), |path| {
        let text = format!(
            "*** Begin Patch\n*** Update File: {path}\n@@\n-secret\n+hacked\n*** End Patch\n"
        );
        json!({ "patch": text })
    }),
    sample("apply_edit", "patch, a new file", Role::Inside(&Role::Make), |path| {
        let text = format!("*** Begin Patch\n*** Add File: {path}\n+hacked\n*** End Patch\n");
        json!({ "patch": text })
    }),
    sample("apply_edit", "patch, a file less", Role::Inside(&Role::Take), |path| {
        let text = format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n");
        json!({ "patch": text })
    }),
    sample("apply_edit", "patch, a move", Role::Inside(&Role::Make), |path| {
        let text = format!(
            "*** Begin Patch\n*** Update File: {EXISTING_FILE}\n*** Move to: {path}\n@@\n-inside\n+hacked\n*** End Patch\n"
        );
        json!({ "patch": text })
    }),
    sample("apply_edit", "patch, unified", Role::Inside(&Role::Change), |path| {
        let text = format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-secret\n+hacked\n");
        json!({ "patch": text })
    }),
    sample("list_directory", "path", Role::Tree, |path| json!({ "path": path, "max_depth": 3 })),
    sample(
        "get_workspace_structure",
        "path",
        Role::Tree,
        |path| json!({ "path": path, "depth": 5, "limit": 200 }),
    ),
    sample("find_files", "path", Role::Tree, |path| json!({ "pattern": "s", "path": path })),
    sample("find_files", "pattern", Role::Inside(&Role::Tree), |path| json!({ "pattern": path })),
    sample(
        "find_files_glob",
        "path",
        Role::Tree,
        |path| json!({ "pattern": "**/*", "path": path }),
    ),
    sample(
        "find_files_glob",
        "pattern",
        Role::Inside(&Role::Tree),
        |path| json!({ "pattern": path }),
    ),
    sample("grep_search", "path", Role::Tree, |path| json!({ "pattern": ".", "path": path })),
    sample(
        "structural_search",
        "path",
        Role::Tree,
        |path| json!({ "query": "(identifier) @x", "language": "python", "path": path }),
    ),
    sample("vuln_scan", "path", Role::Tree, |path| json!({ "path": path, "advisories": "." })),
    sample("vuln_scan", "advisories", Role::Tree, |path| json!({ "advisories": path })),
    sample("sbom", "path", Role::Tree, |path| json!({ "path": path })),
    sample("sbom", "save_to", Role::Make, |path| json!({ "save_to": path })),
    sample("secret_scan", "path", Role::Tree, |path| json!({ "path": path })),
    sample("secret_scan", "baseline", Role::Read, |path| json!({ "baseline": path })),
    sample(
        "secret_scan",
        "repository",
        Role::Run,
        |path| json!({ "staged": true, "repository": path }),
    ),
    sample("codebase_search", "path", Role::Tree, |path| json!({ "query": ".", "path": path })),
    sample(
        "codebase_search",
        "file_pattern",
        Role::Inside(&Role::Tree),
        |path| json!({ "query": ".", "file_pattern": path }),
    ),
    sample(
        "http_request",
        "body_path",
        Role::Read,
        |path| json!({ "method": "POST", "url": NOBODY, "body_path": path }),
    ),
    sample(
        "http_request",
        "multipart[].path",
        Role::Read,
        |path| json!({ "method": "POST", "url": NOBODY, "multipart": [{ "name": "a", "path": path }] }),
    ),
    sample("http_request", "save_to", Role::Make, |path| json!({ "url": NOBODY, "save_to": path })),
    sample("web_fetch", "save_to", Role::Make, |path| json!({ "url": NOBODY, "save_to": path })),
    sample("browser_screenshot", "path", Role::Make, |path| json!({ "path": path })),
    sample("screenshot", "path", Role::Make, |path| json!({ "path": path })),
    sample(
        "db_query",
        "save_to",
        Role::Make,
        |path| json!({ "connection": EXISTING_FILE, "query": "SELECT 1", "save_to": path }),
    ),
    sample(
        "db_query",
        "connection",
        Role::Inside(&Role::Read),
        |path| json!({ "connection": path, "query": "SELECT 1" }),
    ),
    sample(
        "db_schema",
        "connection",
        Role::Inside(&Role::Read),
        |path| json!({ "connection": path }),
    ),
    sample("docker_build", "context", Role::Tree, |path| json!({ "context": path, "tag": "x" })),
    sample(
        "docker_build",
        "dockerfile",
        Role::Inside(&Role::Read),
        |path| json!({ "dockerfile": path, "tag": "x" }),
    ),
    sample(
        "docker_run",
        "volumes[]",
        Role::Inside(&Role::Read),
        |path| json!({ "image": "x", "volumes": [format!("{path}:/x:ro")] }),
    ),
    sample("ocr", "path", Role::Read, |path| json!({ "path": path })),
    sample("detect_elements", "path", Role::Read, |path| json!({ "path": path })),
    sample(
        "compare_images",
        "before_path",
        Role::Read,
        |path| json!({ "before_path": path, "after_path": path }),
    ),
    sample(
        "compare_images",
        "after_path",
        Role::Read,
        |path| json!({ "before_path": path, "after_path": path }),
    ),
    sample(
        "compare_images",
        "difference_path",
        Role::Make,
        |path| json!({ "before_path": "app.py", "after_path": "app.py", "difference_path": path }),
    ),
    sample(
        "browser_tabs",
        "path",
        Role::Make,
        |path| json!({ "action": "save", "download": "none", "path": path }),
    ),
    sample(
        "browser_act",
        "paths[]",
        Role::Read,
        |path| json!({ "action": "upload", "selector": "input", "paths": [path] }),
    ),
    sample("open_file", "path", Role::Show, |path| json!({ "path": path, "line": 1 })),
    sample("get_action_history", "path", Role::Look, |path| json!({ "path": path })),
    sample("debug_launch", "program", Role::Run, |path| json!({ "program": path })),
    sample("debug_launch", "cwd", Role::Run, |path| json!({ "module": "this", "cwd": path })),
    sample(
        "debug_launch",
        "file",
        Role::Run,
        |path| json!({ "configuration": "none", "file": path }),
    ),
    sample("debug_configurations", "file", Role::Show, |path| json!({ "file": path })),
    sample(
        "debug_attach",
        "cwd",
        Role::Run,
        |path| json!({ "command": ["python3", "-m", "this"], "cwd": path }),
    ),
    sample(
        "debug_breakpoint",
        "file",
        Role::Read,
        |path| json!({ "action": "set", "file": path, "line": 1 }),
    ),
    sample(
        "debug_breakpoint",
        "breakpoints[].file",
        Role::Read,
        |path| json!({ "action": "set", "breakpoints": [{ "file": path, "line": 1 }] }),
    ),
    sample("run_command", "cwd", Role::Run, |path| json!({ "command": "true", "cwd": path })),
    sample("process_start", "cwd", Role::Run, |path| json!({ "command": "true", "cwd": path })),
    sample("build", "path", Role::Run, |path| json!({ "path": path })),
    sample("test", "path", Role::Run, |path| json!({ "path": path })),
    sample("lint", "path", Role::Run, |path| json!({ "path": path })),
    sample("typecheck", "path", Role::Run, |path| json!({ "path": path })),
    sample("format", "path", Role::Run, |path| json!({ "path": path })),
    sample("iac_plan", "path", Role::Run, |path| json!({ "path": path })),
    sample("iac_apply", "path", Role::Run, |path| json!({ "path": path })),
    sample("kube_diff", "manifest", Role::Inside(&Role::Read), |path| json!({ "manifest": path })),
    sample(
        "kube_apply",
        "manifest",
        Role::Inside(&Role::Read),
        |path| json!({ "manifest": path, "dry_run": true }),
    ),
    sample(
        "lsp_definition",
        "uri",
        Role::Read,
        |path| json!({ "uri": path, "line": 1, "name": "secret" }),
    ),
    sample(
        "lsp_declaration",
        "uri",
        Role::Read,
        |path| json!({ "uri": path, "line": 1, "name": "secret" }),
    ),
    sample(
        "lsp_type_definition",
        "uri",
        Role::Read,
        |path| json!({ "uri": path, "line": 1, "name": "secret" }),
    ),
    sample(
        "lsp_implementation",
        "uri",
        Role::Read,
        |path| json!({ "uri": path, "line": 1, "name": "secret" }),
    ),
    sample(
        "lsp_references",
        "uri",
        Role::Read,
        |path| json!({ "uri": path, "line": 1, "name": "secret" }),
    ),
    sample(
        "lsp_hover",
        "uri",
        Role::Read,
        |path| json!({ "uri": path, "line": 1, "name": "secret" }),
    ),
    sample("lsp_document_symbols", "uri", Role::Read, |path| json!({ "uri": path })),
    sample("lsp_diagnostics", "uri", Role::Read, |path| json!({ "uri": path })),
    sample(
        "lsp_rename",
        "uri",
        Role::Read,
        |path| json!({ "uri": path, "line": 1, "name": "secret", "new_name": "hacked" }),
    ),
    sample(
        "find_symbol",
        "path",
        Role::Tree,
        |path| json!({ "name_path": "e", "path": path, "substring_matching": true, "include_body": true }),
    ),
    sample("symbols_overview", "path", Role::Tree, |path| json!({ "path": path })),
    sample(
        "replace_symbol_body",
        "path",
        Role::Change,
        |path| json!({ "name_path": "secret", "path": path, "body": "hacked = 1" }),
    ),
    sample(
        "insert_before_symbol",
        "path",
        Role::Change,
        |path| json!({ "name_path": "secret", "path": path, "body": "hacked = 1" }),
    ),
    sample(
        "insert_after_symbol",
        "path",
        Role::Change,
        |path| json!({ "name_path": "secret", "path": path, "body": "hacked = 1" }),
    ),
    sample(
        "find_referencing_symbols",
        "path",
        Role::Read,
        |path| json!({ "name_path": "secret", "path": path }),
    ),
    sample(
        "find_implementations",
        "path",
        Role::Read,
        |path| json!({ "name_path": "secret", "path": path }),
    ),
    sample("impact", "path", Role::Read, |path| json!({ "name_path": "secret", "path": path })),
    sample(
        "safe_delete_symbol",
        "path",
        Role::Change,
        |path| json!({ "name_path": "secret", "path": path }),
    ),
    sample(
        "rename_symbol",
        "path",
        Role::Read,
        |path| json!({ "name_path": "secret", "path": path, "new_name": "hacked" }),
    ),
    sample(
        "lsp_completion",
        "uri",
        Role::Read,
        |path| json!({ "uri": path, "position": { "line": 0, "character": 3 } }),
    ),
    sample("repository_map", "paths[]", Role::Tree, |path| json!({ "paths": [path] })),
    sample("get_diagnostics", "path", Role::Read, |path| json!({ "path": path })),
    sample("code_actions", "path", Role::Read, |path| json!({ "path": path, "start_line": 1 })),
    sample(
        "apply_code_action",
        "path",
        Role::Read,
        |path| json!({ "path": path, "start_line": 1, "action": "extract_variable" }),
    ),
    sample(
        "apply_code_action",
        "to",
        Role::Read,
        |path| json!({ "path": "a.txt", "start_line": 1, "action": "move_to_file", "to": path }),
    ),
    sample("git_status", "path", Role::Look, |path| json!({ "path": path })),
    sample("git_status", "repository", Role::Run, |path| json!({ "repository": path })),
    sample("git_diff", "path", Role::Look, |path| json!({ "path": path })),
    sample("git_diff", "repository", Role::Run, |path| json!({ "repository": path })),
    sample("git_log", "path", Role::Look, |path| json!({ "path": path })),
    sample("git_log", "repository", Role::Run, |path| json!({ "repository": path })),
    sample("git_show", "path", Role::Look, |path| json!({ "path": path })),
    sample("git_show", "repository", Role::Run, |path| json!({ "repository": path })),
    sample("git_blame", "path", Role::Look, |path| json!({ "path": path })),
    sample(
        "git_blame",
        "repository",
        Role::Run,
        |path| json!({ "path": EXISTING_FILE, "repository": path }),
    ),
    sample(
        "git_merge_base",
        "repository",
        Role::Run,
        |path| json!({ "commits": ["HEAD"], "repository": path }),
    ),
    sample("git_tags", "repository", Role::Run, |path| json!({ "repository": path })),
    sample("git_remote", "repository", Role::Run, |path| json!({ "repository": path })),
    sample(
        "git_branch",
        "repository",
        Role::Run,
        |path| json!({ "action": "list", "repository": path }),
    ),
    sample("git_conflicts", "path", Role::Look, |path| json!({ "path": path })),
    sample("git_conflicts", "repository", Role::Run, |path| json!({ "repository": path })),
    sample("git_stage", "files[]", Role::Look, |path| json!({ "files": [path] })),
    sample(
        "git_stage",
        "repository",
        Role::Run,
        |path| json!({ "files": [EXISTING_FILE], "repository": path }),
    ),
    sample("git_unstage", "files[]", Role::Look, |path| json!({ "files": [path] })),
    sample(
        "git_unstage",
        "repository",
        Role::Run,
        |path| json!({ "files": [EXISTING_FILE], "repository": path }),
    ),
    sample("git_commit", "files[]", Role::Look, |path| json!({ "message": "x", "files": [path] })),
    sample(
        "git_commit",
        "repository",
        Role::Run,
        |path| json!({ "message": "x", "repository": path }),
    ),
    sample("git_fetch", "repository", Role::Run, |path| json!({ "repository": path })),
    sample("git_pull", "repository", Role::Run, |path| json!({ "repository": path })),
    sample("git_push", "repository", Role::Run, |path| json!({ "repository": path })),
    sample("git_discard", "files[]", Role::Look, |path| json!({ "files": [path] })),
    sample(
        "git_discard",
        "repository",
        Role::Run,
        |path| json!({ "files": [EXISTING_FILE], "repository": path }),
    ),
    sample(
        "git_stash",
        "repository",
        Role::Run,
        |path| json!({ "action": "push", "repository": path }),
    ),
    sample(
        "git_checkpoint",
        "repository",
        Role::Run,
        |path| json!({ "action": "create", "repository": path }),
    ),
    sample(
        "worktree_create",
        "repository",
        Role::Run,
        |path| json!({ "branch": "attack", "repository": path }),
    ),
    sample("worktree_list", "repository", Role::Run, |path| json!({ "repository": path })),
    sample(
        "worktree_status",
        "repository",
        Role::Run,
        |path| json!({ "worktree": "none", "repository": path }),
    ),
    sample(
        "worktree_merge",
        "repository",
        Role::Run,
        |path| json!({ "worktree": "none", "repository": path }),
    ),
    sample(
        "worktree_remove",
        "repository",
        Role::Run,
        |path| json!({ "worktree": "none", "repository": path }),
    ),
    // Without a repository, the files are not read.
    sample(
        "git_checkpoint",
        "files[]",
        Role::Inside(&Role::Tree),
        |path| json!({ "action": "restore", "files": [path] }),
    ),
];
