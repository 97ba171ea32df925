//! Tens of thousands of calls leave no memory, no handle, no thread and no process behind.

use serde_json::json;
use tests::{Home, RESPONSE_TIMEOUT};

use super::LiveServer;

/// The resources of a process.
#[derive(Debug)]
struct ProcessResources {
    kilobytes: usize,
    handles: usize,
    threads: usize,
    zombies: usize,
}

fn process_resources(process: u32) -> ProcessResources {
    let proc = std::path::Path::new("/proc").join(process.to_string());
    let status = std::fs::read_to_string(proc.join("status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kilobytes = line.trim().trim_end_matches(" kB").parse().unwrap();
    let count = |of: &str| std::fs::read_dir(proc.join(of)).unwrap().count();
    let is_zombie_of_it = |entry: std::io::Result<std::fs::DirEntry>| {
        let stat = std::fs::read_to_string(entry.unwrap().path().join("stat")).unwrap_or_default();
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let mut words = after.split_whitespace();
        words.next() == Some("Z") && words.next() == Some(&process.to_string())
    };
    let zombies =
        std::fs::read_dir("/proc").unwrap().filter_map(|e| is_zombie_of_it(e).then_some(()));
    ProcessResources {
        kilobytes,
        handles: count("fd"),
        threads: count("task"),
        zombies: zombies.count(),
    }
}

#[test]
fn thousands_of_calls_leak_nothing() {
    let calls: usize =
        std::env::var("TANDEM_TEST_CALLS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let home = Home::new();
    for n in 0..40 {
        let path = home.root().join(format!("dir{}/f{n}.txt", n % 4));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("needle {n}\nline\n").repeat(20)).unwrap();
    }
    let server = LiveServer::start(&home);
    let one = |n: usize| {
        let path = format!("dir{}/f{}.txt", n % 4, n % 40);
        match n % 40 {
            0 => server.send("grep_search", &json!({ "pattern": "needle 7" })),
            1 => server.send("list_directory", &json!({ "path": "dir1" })),
            2 => server.send("find_files", &json!({ "query": "f1" })),
            3 => server.send("read_file", &json!({ "path": "no/such" })),
            4 => server.send("no_such_tool", &json!({ "a": n })),
            5 => server.send(
                "apply_edit",
                &json!({ "path": path, "old_text": "not there", "new_text": "x" }),
            ),
            6 => server.send("get_action_history", &json!({ "limit": 3 })),
            7 if n % 400 == 7 => server
                .send("write_file", &json!({ "path": path, "content": format!("needle {n}\n") })),
            8 if n % 400 == 8 => server.send("get_audit_log", &json!({ "limit": 2 })),
            9 | 10 => server.send("get_file_info", &json!({ "path": path })),
            11 => server.send("read_file", &json!({ "path": 3 })),
            _ => server.send("read_file", &json!({ "path": path })),
        }
    };
    let run = |from: usize, to: usize| {
        for start in (from..to).step_by(50) {
            let pending: Vec<_> = (start..(start + 50).min(to)).map(one).collect();
            for pending in pending {
                let answer = pending.wait(RESPONSE_TIMEOUT);
                assert!(answer.is_ok() || answer.as_ref().unwrap_err().response().is_some());
            }
        }
    };
    run(0, calls / 3);
    let before = process_resources(server.process());
    run(calls / 3, calls);
    let after = process_resources(server.process());
    let told = format!("{before:?} became {after:?} by {calls} calls");
    assert!(after.kilobytes < before.kilobytes + (10 << 10), "memory grows: {told}");
    assert!(after.handles <= before.handles + 8, "handles grow: {told}");
    // Threads that may wait come and go, but are never more than the calls at a time.
    assert!(after.threads <= before.threads + 24, "threads grow: {told}");
    assert_eq!(after.zombies, 0, "{told}");
}
