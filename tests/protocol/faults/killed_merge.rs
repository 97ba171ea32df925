//! `kill -9` of the server at any moment of `worktree_merge`: the merge is made, or the next one takes it back as
//! docs/git.md says; nothing but a lock of git's is in its way, and no other change is lost.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::Home;

use super::{LiveServer, same, tree};
use crate::git::{git, repository};

const FILES: usize = 40;
const ROUNDS: u32 = 24;

/// Both sides change other lines of every file, so that each file is merged.
fn fill(root: &Path, first: &str, last: &str) {
    for n in 0..FILES {
        let folder = root.join(format!("dir{}", n % 4));
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("{first}\n{}{last}\n", format!("line of {n}\n").repeat(200));
        std::fs::write(folder.join(format!("f{n}.txt")), text).unwrap();
    }
}

#[test]
fn a_server_killed_at_any_moment_of_a_merge_leaves_it_made_or_revocable() {
    let home = Home::new();
    let root = home.root();
    fill(&root, "first", "last");
    repository(&root);
    let server = LiveServer::start(&home);
    let made = server.must("worktree_create", &json!({ "branch": "task" }));
    let path = Path::new(made["path"].as_str().unwrap()).to_owned();
    fill(&path, "theirs", "last");
    git(&path, &["commit", "-qam", "theirs"]);
    fill(&root, "first", "ours");
    git(&root, &["commit", "-qam", "ours"]);
    let (head, before) = (git(&root, &["rev-parse", "HEAD"]), files(&root));
    let merge = json!({ "worktree": "task" });
    let began = Instant::now();
    server.must("worktree_merge", &merge);
    let mut span = began.elapsed().min(Duration::from_millis(300));
    let after = files(&root);
    drop(server);

    let (mut made, mut between) = (0, 0);
    for round in 0..ROUNDS {
        git(&root, &["reset", "-q", "--hard", &head]);
        let server = LiveServer::start(&home);
        let pending = server.send("worktree_merge", &merge);
        std::thread::sleep(span * (round * 7 % ROUNDS) * 3 / (2 * ROUNDS));
        server.kill();
        drop(pending);
        // As after a killed git: the lock of the branch stays, and git names it.
        for lock in ["refs/heads/main.lock", "HEAD.lock", "index.lock"] {
            let _ = std::fs::remove_file(root.join(".git").join(lock));
        }
        let is_made = git(&root, &["rev-parse", "HEAD"]) != head;
        if is_made {
            same(&files(&root), &after, &format!("round {round}: merged"));
            assert_eq!(git(&root, &["status", "--porcelain"]), "", "round {round}");
        }
        between += u32::from(!is_made && files(&root) != before);
        made += u32::from(is_made);
        span = if is_made { span * 9 / 10 } else { span * 6 / 5 };
        span = span.clamp(Duration::from_millis(1), Duration::from_secs(2));
        assert_eq!(git(&root, &["fsck", "--strict", "--no-dangling"]), "", "round {round}");
        if !is_made {
            // What has been changed since stays: a file of no concern to the merge, and in some rounds one that it writes.
            std::fs::write(root.join("notes.txt"), "mine").unwrap();
            let server = LiveServer::start(&home);
            if round % 2 == 0 {
                let changed = root.join("dir0/f0.txt");
                let text = std::fs::read_to_string(&changed).unwrap() + "mine\n";
                std::fs::write(&changed, &text).unwrap();
                let refused = server.refused("worktree_merge", &merge, "E_CONFLICT");
                assert!(refused.message.contains("f0.txt"), "{refused:?}");
                let mut now = files(&root);
                let path = Path::new("dir0/f0.txt");
                assert_eq!(
                    now.insert(path.into(), before[path].clone()),
                    Some(Some(text.into_bytes()))
                );
                assert!(now.remove(Path::new("notes.txt")).is_some());
                same(&now, &before, &format!("round {round}: taken back"));
                git(&root, &["checkout", "-q", "HEAD", "--", "dir0/f0.txt"]);
            }
            server.must("worktree_merge", &merge);
            std::fs::remove_file(root.join("notes.txt")).unwrap();
            same(&files(&root), &after, &format!("round {round}: merged afterwards"));
            assert_eq!(git(&root, &["for-each-ref", "refs/tandem"]), "", "round {round}");
        }
    }
    assert!(
        made > 0 && made < ROUNDS,
        "the kills missed the merge: {made} made, {between} between"
    );
}

/// The files of the work tree.
fn files(root: &Path) -> super::Tree {
    let mut files = tree(root);
    files.retain(|path, _| !path.starts_with(".git"));
    files
}
