//! Compares every result with the `git` program's on random histories.
//!
//! `TANDEM_GIT_CASES` sets their number; `TANDEM_GIT_SEED` runs a single one.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use git::{
    BlameOptions, ChangeKind, Comparison, DiffOptions, LogOptions, Oid, Repo, RepoPath,
    StatusOptions, UnsavedFiles,
};
use workspace::CallBudget;

use crate::random_repository::{Random, random_repository};
use crate::test_repo::TestRepo;

const CASES: usize = 150;

pub(crate) fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn every_result_is_that_of_git() {
    let cases = number("TANDEM_GIT_CASES").map_or(CASES, |n| usize::try_from(n).unwrap());
    let seeds: Vec<u64> = match number("TANDEM_GIT_SEED") {
        Some(seed) => vec![seed],
        None => (1..=cases as u64).collect(),
    };
    let next = AtomicUsize::new(0);
    let counts: Vec<AtomicUsize> = (0..COMPARED.len()).map(|_| AtomicUsize::new(0)).collect();
    let failures = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let temporary = tempfile::tempdir().unwrap();
                    let mut test_repo = TestRepo::new(temporary.path().join("root"));
                    let mut random = Random::new(*seed);
                    random_repository(&mut test_repo, &mut random);
                    let repo = test_repo.open();
                    for ((name, compare), count) in COMPARED.iter().zip(&counts) {
                        match compare(&mut test_repo, &repo, &mut random) {
                            Ok(compared) => {
                                count.fetch_add(compared, Ordering::Relaxed);
                            }
                            Err(mismatch) => {
                                failures
                                    .lock()
                                    .unwrap()
                                    .push(format!("seed {seed}: {name}: {mismatch}"));
                            }
                        }
                    }
                    if number("TANDEM_GIT_KEEP").is_some() {
                        println!("{}", temporary.keep().display());
                    }
                }
            });
        }
    });
    for ((name, _), count) in COMPARED.iter().zip(&counts) {
        println!("| {name} | {} answers the same |", count.load(Ordering::Relaxed));
    }
    let failures = failures.into_inner().unwrap();
    let lossy: Vec<_> = failures.iter().take(30).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} wrong:\n{}", failures.len(), lossy.join("\n"));
}

type Compare = fn(&mut TestRepo, &Repo, &mut Random) -> Result<usize, String>;
const COMPARED: &[(&str, Compare)] = &[
    ("status", status),
    ("status, all untracked", status_all),
    ("diff", diff),
    ("diff --staged", diff_staged),
    ("diff HEAD", diff_head),
    ("diff of two commits", diff_commits),
    ("log", log),
    ("log of a path", log_path),
    ("blame", blame),
    ("branches", branches),
    ("merge bases", merge_bases),
];

fn expect_same<T: PartialEq + std::fmt::Debug>(ours: &T, theirs: &T) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("\n  ours   {ours:?}\n  theirs {theirs:?}")) }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn status(test_repo: &mut TestRepo, repo: &Repo, _: &mut Random) -> Result<usize, String> {
    check_status(test_repo, repo, false)
}

fn status_all(test_repo: &mut TestRepo, repo: &Repo, _: &mut Random) -> Result<usize, String> {
    check_status(test_repo, repo, true)
}

fn check_status(test_repo: &mut TestRepo, repo: &Repo, all: bool) -> Result<usize, String> {
    let options = StatusOptions { all_untracked: all, ..StatusOptions::default() };
    let ours = repo.status(&options, &UnsavedFiles::default()).map_err(|e| e.to_string())?;
    compare_status(test_repo, &ours, all, true)
}

/// Compares a status with git's; without `renames`, as if rename detection were off.
pub(crate) fn compare_status(
    test_repo: &mut TestRepo,
    ours: &git::Status,
    all: bool,
    renames: bool,
) -> Result<usize, String> {
    let untracked = if all { "--untracked-files=all" } else { "--untracked-files=normal" };
    let mut args = vec!["status", "--porcelain=v2", "-z", "--branch", untracked];
    args.extend((!renames).then_some("--no-renames"));
    let theirs = test_repo.git(&args);
    let mut rows = BTreeSet::new();
    let letter = |kind: ChangeKind| match kind {
        ChangeKind::Added => 'A',
        ChangeKind::Modified => 'M',
        ChangeKind::Deleted => 'D',
        ChangeKind::Renamed => 'R',
        ChangeKind::TypeChanged => 'T',
        other => panic!("{other:?}"),
    };
    for changed in &ours.staged {
        if let Some(from) = changed.old_path.as_ref().filter(|_| !renames) {
            rows.insert(format!("staged A {:?}", changed.path));
            rows.insert(format!("staged D {from:?}"));
            continue;
        }
        rows.insert(format!("staged {} {:?}", letter(changed.kind), changed.path));
        if let Some(from) = &changed.old_path {
            rows.insert(format!("from {from:?}"));
        }
    }
    for changed in &ours.unstaged {
        rows.insert(format!("unstaged {} {:?}", letter(changed.kind), changed.path));
    }
    rows.extend(ours.untracked.iter().map(|path| format!("untracked {path:?}")));
    rows.extend(ours.conflicts.iter().map(|conflict| format!("conflict {:?}", conflict.path)));
    rows.insert(format!("branch {}", ours.head.branch.as_deref().unwrap_or("(detached)")));
    let mut expected = BTreeSet::new();
    let mut parts = theirs.split(|byte| *byte == 0);
    while let Some(row) = parts.next() {
        let fields = |n: usize| -> Vec<&[u8]> { row.splitn(n, |byte| *byte == b' ').collect() };
        match row.first() {
            Some(b'1' | b'2') => {
                let renamed = row[0] == b'2';
                let fields = fields(if renamed { 10 } else { 9 });
                let path = RepoPath::new(fields.last().unwrap());
                let (x, y) = (char::from(fields[1][0]), char::from(fields[1][1]));
                if x != '.' {
                    expected.insert(format!("staged {x} {path:?}"));
                }
                if y != '.' {
                    expected.insert(format!("unstaged {y} {path:?}"));
                }
                if renamed {
                    let from = RepoPath::new(parts.next().unwrap());
                    expected.insert(format!("from {from:?}"));
                }
            }
            Some(b'u') => {
                expected.insert(format!("conflict {:?}", RepoPath::new(fields(11)[10])));
            }
            Some(b'?') => {
                expected.insert(format!("untracked {:?}", RepoPath::new(&row[2..])));
            }
            Some(b'#') => {
                if let Some(branch) = row.strip_prefix(b"# branch.head ") {
                    expected.insert(format!("branch {}", lossy(branch)));
                }
            }
            _ => {}
        }
    }
    if rows != expected {
        let only_ours: Vec<_> = rows.difference(&expected).collect();
        let only_theirs: Vec<_> = expected.difference(&rows).collect();
        return Err(format!("\n  only ours   {only_ours:?}\n  only theirs {only_theirs:?}"));
    }
    Ok(rows.len())
}

fn diff(test_repo: &mut TestRepo, repo: &Repo, _: &mut Random) -> Result<usize, String> {
    compare_diff(test_repo, repo, Comparison::IndexToWorkTree, &[])
}

fn diff_staged(test_repo: &mut TestRepo, repo: &Repo, _: &mut Random) -> Result<usize, String> {
    compare_diff(test_repo, repo, Comparison::TreeToIndex(None), &["--cached"])
}

fn diff_head(test_repo: &mut TestRepo, repo: &Repo, _: &mut Random) -> Result<usize, String> {
    let Some(head) = repo.head().unwrap().commit else { return Ok(0) };
    compare_diff(test_repo, repo, Comparison::TreeToWorkTree(head), &["HEAD"])
}

fn diff_commits(
    test_repo: &mut TestRepo,
    repo: &Repo,
    random: &mut Random,
) -> Result<usize, String> {
    let all = commits(test_repo);
    if all.is_empty() {
        return Ok(0);
    }
    let one = &all[random.below(all.len())];
    let other = &all[random.below(all.len())];
    let id = |name: &str| Some(Oid::from_str(name).unwrap());
    compare_diff(test_repo, repo, Comparison::TreeToTree(id(one), id(other)), &[one, other])
}

fn compare_diff(
    test_repo: &mut TestRepo,
    repo: &Repo,
    between: Comparison,
    args: &[&str],
) -> Result<usize, String> {
    let mut command = vec!["diff", "--no-ext-diff", "--no-textconv", "--no-color"];
    command.extend(args);
    let theirs = test_repo.git(&command);
    let options = DiffOptions {
        comparison: between,
        paths: Vec::new(),
        context: 3,
        renames: true,
        intraline: true,
    };
    let mut ours = Vec::new();
    let mut files = 0;
    let mut mismatches = Vec::new();
    repo.diff(
        &options,
        &UnsavedFiles::default(),
        &CallBudget::without_cancel(),
        &mut |_| true,
        &mut |file| {
            files += 1;
            ours.extend_from_slice(&file.text);
            if !file.is_binary && file.changed.kind != ChangeKind::Conflicted {
                mismatches.extend(hunk_mismatch(&file));
            }
            true
        },
    )
    .map_err(|e| e.to_string())?;
    if let Some(mismatch) = mismatches.first() {
        return Err(mismatch.clone());
    }
    let (ours, theirs) = (normalized(&ours), normalized(&theirs));
    if ours != theirs {
        let at = ours.iter().zip(&theirs).position(|(a, b)| a != b);
        let at = at.unwrap_or(ours.len().min(theirs.len()));
        let around = |lines: &[String]| {
            lines[at.saturating_sub(6).min(lines.len())..(at + 6).min(lines.len())].join("\n      ")
        };
        return Err(format!(
            "\n  ours\n      {}\n  theirs\n      {}",
            around(&ours),
            around(&theirs)
        ));
    }
    Ok(files)
}

/// A diff without what may differ: the length of object ids, the function context of hunks, and
/// unmerged files, which git prints in another format.
fn normalized(diff: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut is_combined = false;
    for line in lossy(diff).split_inclusive('\n') {
        if line.starts_with("diff --cc") || line.starts_with("* Unmerged path") {
            is_combined = line.starts_with("diff --cc");
            continue;
        }
        if line.starts_with("diff --git") {
            is_combined = false;
        }
        if is_combined || line.starts_with("index ") || line.starts_with("similarity index") {
            continue;
        }
        match line.strip_prefix("@@ ").and_then(|rest| rest.split_once(" @@")) {
            Some((span, _)) => lines.push(format!("@@ {span} @@")),
            None => lines.push(line.trim_end_matches('\n').to_owned()),
        }
    }
    lines
}

/// Whether a hunk's line counts match its lines.
fn hunk_mismatch(file: &git::FileDiff) -> Option<String> {
    for hunk in &file.hunks {
        let count = |origin: char| {
            let lines =
                hunk.lines.iter().filter(|line| line.origin == ' ' || line.origin == origin);
            u32::try_from(lines.count()).unwrap()
        };
        if (count('-'), count('+')) != (hunk.old.1, hunk.new.1) {
            return Some(format!("{:?}: a hunk's lines do not fit", file.changed.path));
        }
    }
    None
}

fn commits(test_repo: &mut TestRepo) -> Vec<String> {
    let out = test_repo.run(&["rev-list", "--all"]);
    lossy(&out.stdout).lines().map(str::to_owned).collect()
}

fn log(test_repo: &mut TestRepo, repo: &Repo, random: &mut Random) -> Result<usize, String> {
    let Some(head) = repo.head().unwrap().commit else { return Ok(0) };
    let theirs = test_repo.git(&["log", "--format=%H %P%n%an <%ae> %at%n%B%x00"]);
    let mut ours = String::new();
    let mut count = 0;
    loop {
        // In pages.
        let limit = 1 + random.below(7);
        let options = LogOptions { start: vec![head], skip: count, limit, ..LogOptions::default() };
        let log = repo.log(&options, &CallBudget::without_cancel()).map_err(|e| e.to_string())?;
        for commit in &log.commits {
            let info = &commit.info;
            let parents: Vec<_> = info.parents.iter().map(Oid::to_string).collect();
            let author = &info.author;
            ours.push_str(&format!(
                "{} {}\n{} <{}> {}\n{}\0\n",
                info.id,
                parents.join(" "),
                author.name,
                author.email,
                author.seconds,
                info.message
            ));
        }
        count += log.commits.len();
        if !log.has_more {
            break;
        }
    }
    expect_same(&ours, &lossy(&theirs))?;
    Ok(count)
}

fn tracked(test_repo: &mut TestRepo) -> Vec<Vec<u8>> {
    let out = test_repo.run(&["ls-tree", "-r", "-z", "--name-only", "HEAD"]);
    let names = out.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(<[u8]>::to_vec).collect()
}

fn log_path(test_repo: &mut TestRepo, repo: &Repo, random: &mut Random) -> Result<usize, String> {
    use std::os::unix::ffi::OsStrExt;
    let Some(head) = repo.head().unwrap().commit else { return Ok(0) };
    let files = tracked(test_repo);
    if files.is_empty() {
        return Ok(0);
    }
    let file = files[random.below(files.len())].clone();
    let args: Vec<&std::ffi::OsStr> = ["--literal-pathspecs", "log", "--format=%H", "--"]
        .into_iter()
        .map(std::ffi::OsStr::new)
        .chain([std::ffi::OsStr::from_bytes(&file)])
        .collect();
    let theirs: Vec<String> = lossy(&test_repo.git(&args)).lines().map(str::to_owned).collect();
    let options = LogOptions {
        start: vec![head],
        path: Some(RepoPath::new(&file)),
        limit: 1_000,
        ..LogOptions::default()
    };
    let log = repo.log(&options, &CallBudget::without_cancel()).map_err(|e| e.to_string())?;
    let ours: Vec<String> = log.commits.iter().map(|c| c.info.id.to_string()).collect();
    expect_same(&ours, &theirs)
        .map_err(|mismatch| format!("{:?}{mismatch}", RepoPath::new(&file)))?;
    Ok(ours.len())
}

fn blame(test_repo: &mut TestRepo, repo: &Repo, random: &mut Random) -> Result<usize, String> {
    use std::os::unix::ffi::OsStrExt;
    if repo.head().unwrap().commit.is_none() {
        return Ok(0);
    }
    let mut lines = 0;
    for file in tracked(test_repo).into_iter().take(4) {
        let path = RepoPath::new(&file);
        let mut args: Vec<&std::ffi::OsStr> =
            ["blame", "--line-porcelain", "-s"].iter().map(std::ffi::OsStr::new).collect();
        let ignore_blanks = random.one_in(3);
        if ignore_blanks {
            args.push(std::ffi::OsStr::new("-w"));
        }
        args.extend(["HEAD", "--"].map(std::ffi::OsStr::new));
        args.push(std::ffi::OsStr::from_bytes(&file));
        let out = test_repo.run(&args);
        if !out.status.success() {
            continue;
        }
        let theirs: Vec<(String, String)> = lossy(&out.stdout)
            .split('\n')
            .filter_map(|line| {
                let mut words = line.split(' ');
                let id = words.next().filter(|id| {
                    id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
                })?;
                Some((id.to_owned(), words.next()?.to_owned()))
            })
            .collect();
        let options =
            BlameOptions { path, ignore_whitespace: ignore_blanks, ..BlameOptions::default() };
        let blame =
            repo.blame(&options, &CallBudget::without_cancel()).map_err(|e| e.to_string())?;
        let ours: Vec<(String, String)> = blame
            .hunks
            .iter()
            .flat_map(|run| {
                (0..run.count).map(|offset| {
                    let id = run.commit.map_or_else(String::new, |id| id.to_string());
                    (id, (run.original_line + offset).to_string())
                })
            })
            .collect();
        if ours != theirs {
            let at = ours.iter().zip(&theirs).position(|(a, b)| a != b);
            return Err(format!(
                "{:?} line {:?} of {} and {}: {:?} {:?}",
                options.path,
                at.map(|at| at + 1),
                ours.len(),
                theirs.len(),
                at.map(|at| &ours[at]),
                at.map(|at| &theirs[at])
            ));
        }
        lines += ours.len();
    }
    Ok(lines)
}

fn branches(test_repo: &mut TestRepo, repo: &Repo, _: &mut Random) -> Result<usize, String> {
    let format = "--format=%(refname:short) %(objectname) %(HEAD) %(subject)";
    let theirs = lossy(&test_repo.git(&["for-each-ref", format, "refs/heads"]));
    let ours: String = repo
        .branches(false)
        .map_err(|e| e.to_string())?
        .iter()
        .map(|b| {
            let current = if b.is_current { '*' } else { ' ' };
            format!("{} {} {current} {}\n", b.name, b.commit, b.subject)
        })
        .collect();
    expect_same(&ours, &theirs)?;
    Ok(ours.lines().count())
}

fn merge_bases(
    test_repo: &mut TestRepo,
    repo: &Repo,
    random: &mut Random,
) -> Result<usize, String> {
    let all = commits(test_repo);
    if all.is_empty() {
        return Ok(0);
    }
    let one = &all[random.below(all.len())];
    let other = &all[random.below(all.len())];
    let out = test_repo.run(&["merge-base", "--all", one, other]);
    let theirs: BTreeSet<String> = lossy(&out.stdout).lines().map(str::to_owned).collect();
    let ids = [one, other].map(|name| Oid::from_str(name).unwrap());
    let bases = repo.merge_bases(&ids).map_err(|e| e.to_string())?;
    expect_same(&bases.iter().map(Oid::to_string).collect(), &theirs)?;
    Ok(1)
}
