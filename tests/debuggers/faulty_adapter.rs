//! A faulty debug adapter: its session ends with the adapter's last output, and nothing else does.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::debuggee::Debuggee;

const ADAPTER: &str = include_str!("adapter.py");

/// A server whose user configured an adapter with this fault.
fn bad(how: &str) -> Debuggee {
    Debuggee::start_with("//- /a.bin\nx\n//- /b.txt\nkept\n", |_, home| {
        let script = home.outside().join("adapter.py");
        std::fs::write(&script, ADAPTER).unwrap();
        let folder = home.outside().join("config/tandem");
        std::fs::create_dir_all(&folder).unwrap();
        let table = format!(
            "[[adapter]]\nname = \"bad\"\ntransport = \"stdio\"\ninstall = \"none\"\n\
             command = [\"python3\", \"{}\", \"{how}\"]\n\
             [adapter.launch.binary]\nprogram = \"{{program}}\"\n",
            script.display()
        );
        let file = folder.join("adapters.toml");
        std::fs::write(&file, table).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    })
}

fn launch(it: &Debuggee) -> Result<Value, tests::ToolError> {
    it.try_call("debug_launch", json!({ "program": "a.bin", "debugger": "bad" }))
}

/// The server still answers, and nothing of the adapter is left.
fn other_calls_go_on(it: &Debuggee) {
    assert_eq!(it.call("read_file", json!({ "path": "b.txt" }))["content"], "kept\n");
    it.wait_for_no_processes();
}

#[test]
fn an_adapter_that_exits_during_startup_is_reported_with_its_stderr() {
    for step in ["initialize", "launch", "configurationDone"] {
        let it = bad(&format!("dies-at-{step}"));
        let error = launch(&it).unwrap_err();
        assert_eq!(error.code, "E_UNAVAILABLE", "{step}: {}", error.data);
        assert!(error.message.contains("out of ideas"), "{step}: {}", error.message);
        let sessions = it.call("debug_sessions", json!({}));
        assert_eq!(sessions["sessions"], json!([]), "{step}");
        other_calls_go_on(&it);
    }
}

#[test]
fn adapter_exit_and_invalid_messages_end_the_session() {
    for (how, told) in [
        ("dies-at-threads", "out of ideas"),
        ("leaves-a-child", "out of ideas"),
        ("wrong-seq", "4711, which was never made"),
        ("half-frame", "middle of a message"),
        ("garbage", "Traceback"),
        ("huge", "99999999999 bytes"),
        ("no-json", "an invalid message"),
    ] {
        let it = bad(how);
        let held = launch(&it).unwrap();
        assert_eq!(held["state"], "stopped", "{how}: {held}");
        let error = it.try_call("debug_threads", json!({})).unwrap_err();
        assert_eq!(error.code, "E_UNAVAILABLE", "{how}: {}", error.data);
        assert!(error.message.contains(told), "{how}: {}", error.message);
        assert!(error.message.contains("bad adapter: begun"), "{how}: {}", error.message);
        let sessions = it.call("debug_sessions", json!({}));
        let one = &sessions["sessions"][0];
        assert_eq!(one["state"], "exited", "{how}: {one}");
        assert!(one["error"].as_str().unwrap().contains(told), "{how}: {one}");
        other_calls_go_on(&it);
    }
}

#[test]
fn an_unresponsive_adapter_times_out_and_can_be_cancelled() {
    let it = bad("silent-at-initialize");
    let params = json!({
        "command": "tandem.debug_launch",
        "arguments": [{ "program": "a.bin", "debugger": "bad" }],
    });
    let call = it.client.start_request("workspace/executeCommand", params).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let cancelled = Instant::now();
    it.client.cancel(call.id).unwrap();
    let error = call.wait(tests::RESPONSE_TIMEOUT).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32800);
    assert!(cancelled.elapsed() < Duration::from_secs(5));
    it.wait_for_no_processes();
    let started = Instant::now();
    let error = launch(&it).unwrap_err();
    assert_eq!(error.code, "E_UNAVAILABLE", "{}", error.data);
    assert!(error.message.contains("no answer to `initialize`"), "{}", error.message);
    assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
    other_calls_go_on(&it);
}

#[test]
fn a_flood_of_output_is_read_and_limited() {
    let it = bad("floods");
    let held = launch(&it).unwrap();
    assert_eq!((&held["state"], &held["output_truncated"]), (&json!("stopped"), &json!(true)));
    let (mut cursor, mut lines) = (json!("0"), 0);
    loop {
        let page = it.call("debug_output", json!({ "cursor": cursor }));
        lines += page["output"].as_str().unwrap().lines().count();
        cursor = page["next_cursor"].clone();
        if page["more"] == false {
            break;
        }
    }
    assert!(lines >= 20_000, "{lines} lines");
    it.call("debug_stop", json!({}));
    other_calls_go_on(&it);
}

/// What the server holds in memory, in KiB, without the pages of its own program, which come in as code runs.
fn resident(it: &Debuggee) -> u64 {
    let id = it.client.process().unwrap().id();
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_flood_of_messages_before_the_launch_ends_it_soon() {
    for (how, told) in [
        ("floods-at-initialize", "did not answer"),
        ("floods-at-launch", "did not start the program"),
        ("floods-without-frames-at-initialize", "8192 bytes"),
        ("floods-without-frames-at-launch", "8192 bytes"),
    ] {
        let it = bad(how);
        let before = resident(&it);
        let started = Instant::now();
        let error = launch(&it).unwrap_err();
        assert_eq!(error.code, "E_UNAVAILABLE", "{how}: {}", error.data);
        assert!(error.message.contains(told), "{how}: {}", error.message);
        assert!(started.elapsed() < Duration::from_secs(20), "{how}: {:?}", started.elapsed());
        assert!(resident(&it) < before + (64 << 10), "{how}");
        other_calls_go_on(&it);
    }
}

#[test]
fn a_flood_of_stderr_costs_little_during_a_wait() {
    let it = bad("floods-errors-at-initialize");
    let (before, started) = (resident(&it), Instant::now());
    let error = launch(&it).unwrap_err();
    assert_eq!(error.code, "E_UNAVAILABLE", "{}", error.data);
    assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
    assert!(resident(&it) < before + (16 << 10), "{before} KiB before");
    let id = it.client.process().unwrap().id();
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let ticks = stat.rsplit(") ").next().unwrap().split(' ').skip(11).take(2);
    let ticks: u64 = ticks.map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    assert!(ticks < 1_000, "{} ms of processor time", ticks * 10);
    other_calls_go_on(&it);
}

#[test]
fn a_program_with_endless_output_blocks_nothing() {
    let it = bad("floods-for-ever");
    launch(&it).unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let before = resident(&it);
    let started = Instant::now();
    it.call("debug_threads", json!({}));
    assert_eq!(it.call("read_file", json!({ "path": "b.txt" }))["content"], "kept\n");
    std::thread::sleep(Duration::from_secs(3));
    assert!(resident(&it) < before + (32 << 10), "{before} KiB before");
    it.call("debug_stop", json!({}));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    other_calls_go_on(&it);
}

#[test]
fn after_repeated_floods_only_the_last_output_is_kept() {
    let it = bad("floods");
    let mut held = Vec::new();
    for _ in 0..20 {
        launch(&it).unwrap();
        it.call("debug_stop", json!({}));
        held.push(resident(&it));
    }
    // The output of eight ended sessions is kept.
    assert!(held[19] < held[9] + (2 << 10), "{held:?}");
    other_calls_go_on(&it);
}

#[test]
fn reverse_requests_of_the_adapter_are_answered() {
    let it = bad("asks-back");
    assert_eq!(launch(&it).unwrap()["state"], "stopped");
    it.call("debug_stop", json!({}));
    other_calls_go_on(&it);
}
