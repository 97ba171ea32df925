//! Concurrent writers: foreign programs and Tandem's own processes.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tests::{Home, RESPONSE_TIMEOUT};

use super::{LiveServer, called, tree};

/// A text that only its whole self fits: `number` at both ends, `mark` in between.
fn text(number: usize, mark: usize) -> String {
    let filling = "some line in between\n".repeat(40);
    format!("first {number:09}\n{filling}mark {mark:09}\n{filling}last {number:09}\n")
}

/// The number and the mark of a text that is whole.
fn parsed(found: &str) -> Option<(usize, usize)> {
    let word = |line: &str, start: &str| line.strip_prefix(start)?.parse::<usize>().ok();
    let number = word(found.lines().next()?, "first ")?;
    let mark = found.lines().find_map(|line| word(line, "mark "))?;
    (found == text(number, mark)).then_some((number, mark))
}

/// How long the stress goes on.
fn stress() -> Duration {
    let seconds = std::env::var("TANDEM_TEST_SECONDS").ok().and_then(|s| s.parse().ok());
    Duration::from_secs(seconds.unwrap_or(5))
}

/// Calls change the mark, while `foreign` writes numbers: what it wrote last is found again, but
/// for one in `bearable`, and but for what it was slow to write, of which it returns `false`. It has
/// the number, and the mark that it last saw.
fn edited_against(foreign: impl Fn(&Path, usize, usize) -> bool, bearable: usize) {
    let home = Home::new();
    let path = home.root().join("a.txt");
    std::fs::write(&path, text(0, 0)).unwrap();
    let server = LiveServer::start(&home);
    let is_over = AtomicBool::new(false);
    let (applied, refused, written) =
        (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut mark = 0;
            while !is_over.load(Ordering::Relaxed) {
                let next = mark + 1;
                let edit = json!({ "path": "a.txt", "old_text": format!("mark {mark:09}\n"),
                    "new_text": format!("mark {next:09}\n") });
                match server.call("apply_edit", &edit) {
                    Ok(_) => {
                        applied.fetch_add(1, Ordering::Relaxed);
                        mark = next;
                    }
                    Err(error) => {
                        let known = ["E_CONFLICT", "E_NO_MATCH", "E_FILE_NOT_FOUND"];
                        assert!(known.contains(&error.code.as_str()), "{}", error.data);
                        refused.fetch_add(1, Ordering::Relaxed);
                        // Where both wrote into each other's, two texts stay: the other one is named.
                        for kept in error.data["details"]["kept"].as_array().into_iter().flatten() {
                            let kept = home.root().join(kept.as_str().unwrap());
                            let text = std::fs::read_to_string(&kept).unwrap();
                            assert!(parsed(&text).is_some(), "kept and torn: {text:?}");
                            std::fs::remove_file(kept).unwrap();
                        }
                        if let Ok(read) = server.call("read_file", &json!({ "path": "a.txt" }))
                            && let Some(found) = parsed(read["content"].as_str().unwrap())
                        {
                            mark = found.1;
                        }
                    }
                }
            }
        });
        let until = Instant::now() + stress();
        let (mut number, mut lost) = (0, Vec::new());
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            while Instant::now() < until {
                number += 1;
                let seen = std::fs::read_to_string(&path).ok();
                let mark = seen.as_deref().and_then(parsed).map_or(0, |(_, mark)| mark);
                let prompt = foreign(&path, number, mark);
                // A detected exchange is reverted at once, which takes a moment.
                let patience = if bearable > 0 { 200 } else { 2_000 };
                let patience = Instant::now() + Duration::from_millis(patience);
                loop {
                    let now = std::fs::read_to_string(&path).unwrap_or_default();
                    match parsed(&now) {
                        Some((found, _)) if found == number => break,
                        _ if Instant::now() < patience => std::thread::yield_now(),
                        Some(found) => {
                            if prompt {
                                lost.push((number, found));
                            }
                            break;
                        }
                        None => panic!("{number} was written and torn: {now:?}"),
                    }
                }
                written.fetch_add(1, Ordering::Relaxed);
                assert!(bearable > 0 || lost.is_empty(), "written and lost: {lost:?}");
                std::thread::sleep(Duration::from_micros((number as u64 * 37) % 1_500));
            }
            assert!(lost.len() <= number / bearable.max(1), "{number} written, lost: {lost:?}");
        }));
        is_over.store(true, Ordering::Relaxed);
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
    });
    let counts = [&applied, &refused, &written].map(|count| count.load(Ordering::Relaxed));
    assert!(counts.iter().all(|&count| count > 0), "too little happened: {counts:?}");
    assert_eq!(tree(&home.root()).len(), 1, "something is left over");
    assert!(parsed(&std::fs::read_to_string(&path).unwrap()).is_some());
}

#[test]
fn a_file_swapped_by_a_program_during_an_edit_is_never_lost() {
    let put = |path: &Path, number: usize, mark: usize| {
        let new = path.with_file_name("new.tmp");
        std::fs::write(&new, text(number, mark)).unwrap();
        std::fs::rename(&new, path).unwrap();
        true
    };
    edited_against(put, 0);
}

#[test]
fn writes_of_a_program_during_a_replacement_are_detected_and_restored() {
    // Who opens the file, sleeps over all of its replacing, and only then writes, writes into what
    // has no name any more: nothing can be done about that one in thousands. Where the processors
    // are busy the writer is put to sleep there often, which its own clock tells.
    let bearable = 500;
    let slept = Duration::from_micros(500);
    let write = |path: &Path, number: usize, mark: usize| {
        // The same length, in one write: readers find it complete.
        let mut file = std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
        // The longer it has it open, the more often it writes to what was just replaced.
        let opened = Instant::now();
        while opened.elapsed() < Duration::from_micros(60) {
            std::hint::spin_loop();
        }
        file.seek(SeekFrom::Start(0)).unwrap();
        file.write_all(text(number, mark).as_bytes()).unwrap();
        file.flush().unwrap();
        let prompt = opened.elapsed() < slept;
        let mut back = String::new();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.read_to_string(&mut back).unwrap();
        prompt
    };
    edited_against(write, bearable);
}

#[test]
fn concurrent_servers_and_calls_lose_no_update() {
    const WORKERS: usize = 6;
    const EDITS: usize = 8;
    let home = Home::new();
    let slots: String = (0..WORKERS).map(|n| format!("slot {n}: 0\nkeep\n")).collect();
    std::fs::write(home.root().join("shared.txt"), slots).unwrap();
    let servers = [LiveServer::start(&home), LiveServer::start(&home)];
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (home, servers) = (&home, &servers);
            scope.spawn(move || {
                let call = |tool: &str, params: &serde_json::Value| match servers.get(worker % 3) {
                    Some(server) => server.call(tool, params),
                    None => called(home, tool, params),
                };
                // Another process's edit in between is a conflict, not a loss.
                let must = |tool: &str, params: &serde_json::Value| {
                    let until = Instant::now() + RESPONSE_TIMEOUT;
                    loop {
                        match call(tool, params) {
                            Ok(done) => return done,
                            Err(error) if error.code == "E_CONFLICT" && Instant::now() < until => {}
                            Err(error) => panic!("{worker}: {tool}: {}", error.data),
                        }
                    }
                };
                let own = format!("own{worker}/a.txt");
                for n in 0..EDITS {
                    must(
                        "apply_edit",
                        &json!({ "path": "shared.txt",
                            "old_text": format!("slot {worker}: {n}\n"),
                            "new_text": format!("slot {worker}: {}\n", n + 1) }),
                    );
                    let write =
                        json!({ "path": own, "content": format!("{n}\n"), "overwrite": true });
                    must("write_file", &write);
                    let gone = must("delete_file", &json!({ "path": own }));
                    assert!(!home.root().join(&own).exists());
                    must("undo_action", &json!({ "action": gone["action"] }));
                    let found = std::fs::read_to_string(home.root().join(&own)).unwrap();
                    assert_eq!(found, format!("{n}\n"));
                }
            });
        }
    });
    let expected: String = (0..WORKERS).map(|n| format!("slot {n}: {EDITS}\nkeep\n")).collect();
    assert_eq!(std::fs::read_to_string(home.root().join("shared.txt")).unwrap(), expected);
    assert_eq!(tree(&home.root()).len(), 1 + 2 * WORKERS, "something is left over");
    let told =
        servers[0].must("get_action_history", &json!({ "limit": 200, "path": "shared.txt" }));
    assert_eq!(told["actions"].as_array().unwrap().len(), WORKERS * EDITS);
}
