//! What programs write, in floods: how fast it comes in, and what of it stays.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use super::bare::Bare;
use super::{Bench, TandemClient, debugpy, median, timed};

const LINES: usize = 50_000;
const FLOODS: usize = 5;
/// What the scripted adapter writes in a flood: half of it output.
const FLOOD: usize = 40_000;
const SCRIPTED: &str = include_str!("../../debuggers/adapter.py");

impl Bench {
    /// Events of an adapter that does nothing but write them.
    pub(super) fn floods(&self) -> Vec<String> {
        let script = self.home.join("adapter.py");
        std::fs::write(&script, SCRIPTED).unwrap();
        let folder = self.home.join("XDG_CONFIG_HOME/tandem");
        std::fs::create_dir_all(&folder).unwrap();
        let table: String = ["floods", "calm"]
            .map(|how| {
                format!(
                    "[[adapter]]\nname = \"{how}\"\ntransport = \"stdio\"\ninstall = \"none\"\n\
                     command = [\"python3\", \"{}\", \"{how}\"]\n\
                     [adapter.launch.binary]\nprogram = \"{{program}}\"\n",
                    script.display()
                )
            })
            .concat();
        let file = folder.join("adapters.toml");
        std::fs::write(&file, table).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
        self.write("a.bin", "x\n");
        let bare = |how: &str| {
            let mut command = Command::new("python3");
            let mut bare = Bare::start(command.arg(&script).arg(how));
            let begun = Instant::now();
            bare.launch(json!({ "program": "a.bin" }), Path::new("/none"), &[1]);
            begun.elapsed()
        };
        let alone = |how| median(&[bare(how), bare(how), bare(how)]);
        let alone = alone("floods").saturating_sub(alone("calm"));
        let ours = TandemClient::start(
            &self.home,
            &self.tree,
            json!({ "experimental": { "debug": true } }),
        );
        let launch = |how: &str| {
            let launch = json!({ "program": "a.bin", "debugger": how, "wait_ms": 60_000 });
            let (report, took) = timed(|| ours.call("debug_launch", launch));
            assert_eq!(report["state"], "stopped", "{report}");
            let written = all_output(&ours);
            ours.call("debug_stop", json!({}));
            (written, took)
        };
        let calm = launch("calm").1;
        let begun = ours.resident();
        let (mut through, mut grown) = (Vec::new(), Vec::new());
        let whole: String = (0..FLOOD / 2).map(|n| format!("line {n} of many\n")).collect();
        for _ in 0..FLOODS {
            let (written, took) = launch("floods");
            assert!(written == whole, "output is lost");
            through.push(took.saturating_sub(calm));
            grown.push(format!("{:.1}", ours.resident()));
        }
        let rate = |time: Duration| FLOOD as f64 / time.as_secs_f64();
        let told = format!(
            "{FLOOD} events of a scripted adapter, half of them output: {:.0} events/s bare, {:.0} \
             events/s ours, nothing lost; resident {begun:.1} MiB before, then {} MiB after each",
            rate(alone),
            rate(median(&through)),
            grown.join(", "),
        );
        std::fs::remove_file(&file).unwrap();
        vec![told]
    }

    /// The output of a real program.
    pub(super) fn output(&self) -> Vec<String> {
        let text = format!(
            "import sys\nx = 1\nfor n in range({LINES}):\n    sys.stdout.write(f'line {{n}}\\n')\n"
        );
        let file = self.write("writes.py", &text);
        let last = format!("line {}\n", LINES - 1);
        let mut bare = Bare::start(&mut debugpy(true));
        bare.launch(self.python(&file), &file, &[2]);
        bare.events.clear();
        let begun = Instant::now();
        bare.send("continue", json!({ "threadId": 1 }));
        let mut events = 0;
        loop {
            let message = bare.read();
            if message["event"] == "output" && message["body"]["category"] == "stdout" {
                events += 1;
                if message["body"]["output"].as_str().unwrap().ends_with(&last) {
                    break;
                }
            }
        }
        let alone = begun.elapsed();
        drop(bare);
        let ours = self.ours();
        ours.stopped("writes.py", "writes.py", 2);
        let before = ours.resident();
        let going = json!({ "action": "continue", "wait_ms": 300_000 });
        let (end, through) = timed(|| ours.call("debug_step", going));
        assert_eq!(end["state"], "exited", "{end}");
        let whole: String = (0..LINES).map(|n| format!("line {n}\n")).collect();
        assert!(all_output(&ours) == whole, "output is lost");
        let told = format!(
            "{LINES} lines of debugpy's program, {events} events: {:.2} s bare, {:.2} s ours to the \
             exit, nothing lost; resident {before:.1} MiB before, {:.1} MiB after",
            alone.as_secs_f64(),
            through.as_secs_f64(),
            ours.resident(),
        );
        ours.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
        vec![told]
    }
}

fn all_output(ours: &TandemClient) -> String {
    let (mut cursor, mut written) = (json!(0), String::new());
    loop {
        let page = ours.call("debug_output", json!({ "cursor": cursor, "category": "stdout" }));
        written.push_str(page["output"].as_str().unwrap());
        cursor = page["next_cursor"].clone();
        if page["more"] == false {
            return written;
        }
    }
}
