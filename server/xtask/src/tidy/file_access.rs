//! Nothing outside `server/workspace` opens a file by its path, and in it only the files that say
//! why: every way to a workspace's files leads through a root's handle.

use super::Finding;
use super::rust_source::named_paths;
use super::tree::Tree;

/// Crates that are checked. The others are tools for building and testing.
const CHECKED_CRATES: &[&str] = &["server/"];
/// Crates that never see a workspace: their paths are a developer's or a command's.
const EXEMPT_CRATES: &[&str] = &["server/xtask/", "server/client/"];

/// Functions that open or inspect a file by its path; matched as consecutive segments of a longer path.
const PATH_FUNCTIONS: &[&str] = &[
    "std::fs",
    "tokio::fs",
    "File::open",
    "File::create",
    "File::options",
    "OpenOptions",
    "DirBuilder",
    "fs::open",
    "fs::openat",
    "fs::openat2",
    "fs::CWD",
    "WalkBuilder",
    "WalkDir",
    "Connection::open",
    "Repository::open",
    "Repository::open_ext",
    "Repository::discover",
    "UnixListener::bind",
    "UnixStream::connect",
    "platform::open_outside",
    "platform::stat_outside",
    "platform::private_file",
];
/// Methods of paths that ask the disk.
const METHODS: &[&str] = &[
    "canonicalize",
    "exists",
    "try_exists",
    "metadata",
    "symlink_metadata",
    "read_dir",
    "read_link",
    "is_file",
    "is_dir",
    "is_symlink",
];

/// Files, and folders that end in a slash, that may: what they open, and why that is safe. A
/// folder's entry speaks for all that is below it.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "server/debug/src/tool_search.rs",
        "searches for debug adapters in the folders that their table names",
    ),
    ("server/debug/src/session/terminal.rs", "`/dev/null`, for programs that read nothing"),
    ("server/browser/src/launch.rs", "the log of the browser, in its own temporary folder"),
    ("server/browser/src/tabs.rs", "downloads, in the browser's own temporary folder"),
    ("server/node-dap/src/attach.rs", "what /proc has of the process that is attached to"),
    (
        "server/node-dap/src/session/breakpoints.rs",
        "the real path of a file, by which Node names its script",
    ),
    ("server/node-dap/src/lib.rs", "the socket that its command line names"),
    (
        "server/node-dap/src/session/stack.rs",
        "whether there is a file of a script or source; it is not read",
    ),
    ("server/node-dap/src/launch.rs", "the bootloader and the pipe, in its own temporary folder"),
    (
        "server/node-dap/src/maps.rs",
        "source maps below the project's folder; it checks that, and sizes",
    ),
    (
        "server/containers/src/client.rs",
        "the container daemon's socket, which the person's settings or environment, or Docker itself, name",
    ),
    (
        "server/database/src/sqlite.rs",
        "the database that policy has decided on, on a thread that keeps the ruleset of the call's, without links",
    ),
    ("server/infrastructure/src/store.rs", "plans, in the state folder"),
    (
        "server/clusters/src/access.rs",
        "the person's kubeconfig, on a thread that reads nothing else",
    ),
    ("server/database/src/wire.rs", "the Unix socket of a server that the person named"),
    (
        "server/desktop/src/portal.rs",
        "the picture that the desktop's portal has stored, if it is a file of this user",
    ),
    ("server/desktop/src/thread_rest.rs", "whether a program that gets input sleeps, in `/proc`"),
    ("server/debug/src/transport.rs", "the socket that an adapter was told to listen on"),
    ("server/git/src/commit.rs", "as open.rs: the repository that is open already, once more"),
    ("server/git/src/status_cache.rs", "as open.rs; and the state of the index, behind the wall"),
    (
        "server/git/src/loose_objects.rs",
        "objects, in the git folder that was checked, behind the wall",
    ),
    ("server/git/src/merge.rs", "removes a lock that a killed merge left in the git folder"),
    ("server/git/src/open.rs", "libgit2 opens what was checked before, on a thread behind a wall"),
    ("server/git/src/scan.rs", "the states of files, and names, in the work tree behind the wall"),
    ("server/git/src/special_files.rs", "kinds of entries, in what was checked, behind the wall"),
    (
        "server/git/src/worktree_create.rs",
        "the folder of a new work tree, in our folder of work trees, and its entry in the git folder",
    ),
    ("server/git/src/worktree_files.rs", "as scan.rs; writes only what does not exist"),
    ("server/git/src/worktree_fill.rs", "as open.rs; writes only what does not exist"),
    ("server/git/src/worktree_hold.rs", "locks the entry of a work tree in the git folder"),
    (
        "server/git/src/worktree_remove.rs",
        "the same folders as worktree_create.rs, on a thread with a Landlock ruleset",
    ),
    (
        "server/mcp/src/listener/session_store.rs",
        "the sessions of clients, in the folder for secrets",
    ),
    ("server/process/", "starts programs, and builds the sandboxes that confine them"),
    ("server/tandem/src/read_file.rs", "the file that the person named on the command line"),
    ("server/tandem/src/index.rs", "the SCIP file that the person named, and `/proc/self`"),
    ("server/tandem/src/serve.rs", "the socket that the person named on the command line"),
    (
        "server/tandem/src/setup/",
        "configurations of clients, in the home folder or a project, after the person agreed",
    ),
    ("server/tandem/src/patch.rs", "the patch that the person named on the command line"),
    ("server/tools/src/audit/store.rs", "the record of calls, in the state folder"),
    ("server/tools/src/command/sandbox.rs", "makes our own folders, which it then protects"),
    ("server/tools/src/policy/hidden.rs", "lists folders outside that rules deny, to hide them"),
    ("server/debug-tools/src/stored_breakpoints.rs", "the stored breakpoints, in the state folder"),
    ("server/debug-tools/src/program.rs", "the real path of an adapter, for the question"),
    ("server/tools/src/running_process.rs", "what the system says of a process to be attached to"),
    (
        "server/security-tools/src/vulnerabilities/advisories.rs",
        "advisories, in the folders that the person's settings name",
    ),
    ("server/records/src/daily_log.rs", "records of agents, in the state folder"),
    ("server/records/src/memory/store.rs", "memories, in the state and data folders"),
    ("server/tools/src/policy/approvals.rs", "permanent approvals, in the state folder"),
    ("server/agents/src/sessions/store.rs", "the sessions with agents, in the state folder"),
    ("server/agents/src/workflows/journal.rs", "the journals of runs, in the state folder"),
    ("server/agents/src/library.rs", "lists the person's own documents, in the settings folder"),
    ("server/checks/src/kinds/library.rs", "lists the person's own kinds, in the settings folder"),
    ("server/checks/src/history/", "the kept runs, in the state folder"),
    (
        "server/checks/src/packages.rs",
        "the folder for packages that projects fetch, outside of all roots",
    ),
    ("server/checks/src/recording.rs", "what a run records of its tests, in that folder"),
    ("server/knowledge/src/collections/database.rs", "the collections, in the state folder"),
    ("server/knowledge/src/store.rs", "the stored passages, in the cache folder"),
    ("server/web/src/system.rs", "when the system's network settings changed"),
    ("server/workspace/src/access_token.rs", "the tokens of ports, in the folder for secrets"),
    ("server/workspace/src/action_history/", "the history of actions, in the state folder"),
    ("server/workspace/src/index_cache.rs", "the stored index, in the cache folder"),
    ("server/workspace/src/libraries/archive.rs", "the sources of an archive, in the cache folder"),
    ("server/workspace/src/server_socket.rs", "the sockets of servers, in a folder that is ours"),
    ("server/workspace/src/entries/aliases.rs", "the target of a link that is to be hidden"),
    ("server/workspace/src/own_files.rs", "finds all paths of our own folders, reads none"),
    (
        "server/workspace/src/folder_watch.rs",
        "watches folders of repositories, also above a root, by handles that read nothing",
    ),
    ("server/workspace/src/trash.rs", "the trash, in the state folder"),
    ("server/workspace/src/root.rs", "opens a workspace folder itself, from which all else is"),
    ("server/workspace/src/platform/", "the calls that confine"),
    (
        "server/workspace/src/filesystem_sandbox.rs",
        "makes our own folders, to allow them in the sandbox",
    ),
    ("server/workspace/src/state_folders.rs", "the state folder, which is ours and checked to be"),
    ("server/workspace/src/user_file.rs", "the user's settings, checked to be theirs alone"),
    ("server/workspace/src/sqlite.rs", "the databases of the state folder, before they are opened"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used = vec![false; EXCEPTIONS.len()];
    for (file, rust) in tree.rust() {
        let path = file.path.as_str();
        let held = CHECKED_CRATES.iter().any(|room| path.starts_with(room))
            && !EXEMPT_CRATES.iter().any(|room| path.starts_with(room));
        if !held {
            continue;
        }
        let uses = uses(&rust.production);
        let exception =
            EXCEPTIONS.iter().position(|(excepted, _)| matches_exception(path, excepted));
        match exception {
            Some(index) => used[index] |= !uses.is_empty(),
            None => findings.extend(uses.into_iter().map(|(line, name)| {
                let what = format!(
                    "`{name}`: a file is reached through a root's handle (server/workspace); what \
                     is no workspace's goes into the table of tidy/file_access.rs, with its reason"
                );
                Finding::error(path, line, what)
            })),
        }
    }
    for ((path, _), used) in EXCEPTIONS.iter().zip(used) {
        if !used && tree.has(path) {
            findings.push(Finding::error(path, 0, "needs no exception in tidy/file_access.rs"));
        }
    }
    findings
}

fn matches_exception(path: &str, excepted: &str) -> bool {
    path == excepted || (excepted.ends_with('/') && path.starts_with(excepted))
}

/// Where code reaches for the disk by path: lines, and what they name. Once a line.
fn uses(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for path in named_paths(code) {
        // The type alone: a handle that was opened below a root.
        if path.segments.ends_with(&["fs".to_owned(), "File".to_owned()]) {
            continue;
        }
        let name = PATH_FUNCTIONS.iter().find(|name| {
            let wanted: Vec<_> = name.split("::").collect();
            path.segments.windows(wanted.len()).any(|window| window == wanted)
        });
        found.extend(name.map(|name| (path.line, (*name).to_owned())));
    }
    for (index, line) in code.lines().enumerate() {
        let line: String = line.split_whitespace().collect();
        let method = METHODS.iter().find(|method| line.contains(&format!(".{method}()")));
        found.extend(method.map(|method| (index + 1, format!(".{method}()"))));
    }
    found.sort();
    found.dedup_by_key(|(line, _)| *line);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(usize, String)> {
        let findings = check(&Tree::from_files(&[(path, text)])).into_iter();
        findings
            .map(|f| (f.line, f.what.split('`').nth(1).unwrap_or(f.what.as_str()).to_owned()))
            .collect()
    }

    #[test]
    fn every_kind_of_file_access_is_found() {
        for (text, name) in [
            ("use std::fs;", "std::fs"),
            ("use std::{io, fs::read};", "std::fs"),
            ("fn a() { std::fs::read(b); }", "std::fs"),
            ("async fn a() { tokio::fs::read(b).await; }", "tokio::fs"),
            ("fn a() { File::open(b); }", "File::open"),
            ("fn a() { File::options().open(b); }", "File::options"),
            ("use rustix::fs::{CWD, Mode};", "fs::CWD"),
            ("use rustix::fs::{Mode, openat};", "fs::openat"),
            ("fn a(p: &Path) { p.exists(); }", ".exists()"),
            ("fn a(p: &Path) { p\n.canonicalize(); }", ".canonicalize()"),
            ("fn a() { ignore::WalkBuilder::new(p); }", "WalkBuilder"),
            ("fn a() { rusqlite::Connection::open(p); }", "Connection::open"),
        ] {
            let names: Vec<_> =
                found("server/tools/src/a.rs", text).into_iter().map(|(_, name)| name).collect();
            assert_eq!(names, [name], "{text}");
        }
    }

    #[test]
    fn workspace_itself_says_why() {
        let text = "use std::fs;\n";
        assert_eq!(found("server/workspace/src/search.rs", text).len(), 1);
        assert!(found("server/workspace/src/state_folders.rs", text).is_empty());
        assert!(found("server/process/src/launcher/mod.rs", text).is_empty());
        assert_eq!(found("server/process.rs", text).len(), 1);
    }

    #[test]
    fn an_unneeded_exception_is_found() {
        let found = found("server/workspace/src/state_folders.rs", "fn a() {}\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].1.contains("needs no exception"));
    }

    #[test]
    fn tests_comments_handles_and_exempt_folders_are_allowed() {
        let test =
            "#[cfg(test)]\nmod tests { use std::fs; }\n// std::fs\nfn a() { root.read(p); }\n";
        assert!(found("server/tools/src/a.rs", test).is_empty());
        let text = "use std::fs;\n";
        for path in ["server/xtask/src/a.rs", "server/tools/tests/a.rs", "tests/src/a.rs"] {
            assert!(found(path, text).is_empty(), "{path}");
        }
        let handles = "use rustix::fs::{Mode, renameat};\nuse std::fs::File;\n";
        assert!(found("server/workspace/src/a.rs", handles).is_empty());
    }
}
