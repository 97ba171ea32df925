//! The desktop's tools: how fast pictures and keys are, beside xdotool, how many words are read, beside bare
//! Tesseract, how many typed characters arrive, and how often elements that are guessed from pictures are right.
//!
//! `cargo build --release --all-features && cargo bench -p tests --bench desktop`. `TANDEM_ROUNDS` is how often
//! a text of 1,000 characters is typed; 100 by default.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use client::Client;
use serde_json::{Value, json};
use tests::{Desktop, Home, wait_for};

/// Pictures and keys that are measured.
const CALLS: usize = 30;
const FONTS: [&str; 5] =
    ["DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono", "Liberation Sans", "Liberation Serif"];
const SIZES: [u32; 8] = [9, 10, 11, 12, 14, 16, 20, 24];
const THEMES: [(&str, &str, &str); 2] =
    [("light", "#202020", "#ffffff"), ("dark", "#d8d8d8", "#1e1e2e")];
const TEXT: &str = "The quick brown fox jumps over the lazy dog near the river bank.
File Edit View Search Terminal Help Settings Preferences Window
Save changes to document before closing? Cancel Discard Save
Error: connection refused while opening port 8080 at localhost
Version 2.14.3 released on 17 March 2024 with 125 fixes
Total amount due 1,299.50 including taxes and shipping costs
Please enter your password and press Continue to proceed";

/// Windows of GTK programs, by their titles.
const WINDOWS: [(&str, &[&str]); 8] = [
    (
        "form",
        &[
            "/usr/bin/yad",
            "--form",
            "--text=Your order",
            "--field=Name",
            "--field=Street",
            "--field=Gift:CHK",
            "--field=Express:CHK",
            "--field=Size:CB",
            "--field=Count:NUM",
            "",
            "",
            "FALSE",
            "TRUE",
            "Small!Large",
            "3",
        ],
    ),
    (
        "entry",
        &["/usr/bin/yad", "--entry", "--text=New name of the folder", "--entry-text=Pictures"],
    ),
    (
        "question",
        &[
            "/usr/bin/yad",
            "--text=Save the changes before closing?",
            "--button=Discard:2",
            "--button=Cancel:1",
            "--button=Save:0",
        ],
    ),
    (
        "list",
        &[
            "/usr/bin/yad",
            "--list",
            "--checklist",
            "--column=Use",
            "--column=Name",
            "--column=Size",
            "TRUE",
            "readme",
            "12",
            "FALSE",
            "license",
            "30",
            "TRUE",
            "main",
            "400",
            "--width=400",
            "--height=300",
        ],
    ),
    ("file", &["/usr/bin/yad", "--file", "--width=700", "--height=450"]),
    ("color", &["/usr/bin/yad", "--color"]),
    (
        "login",
        &[
            "/usr/bin/yad",
            "--form",
            "--field=User",
            "--field=Password:H",
            "--field=Remember me:CHK",
            "--field=Language:CB",
            "",
            "",
            "TRUE",
            "English!German",
            "--button=Log in:0",
            "--button=Help:3",
        ],
    ),
    ("galculator", &["/usr/bin/galculator"]),
];

struct Bench {
    desktop: Desktop,
    home: Home,
    client: Client,
}

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let Some(mut desktop) = Desktop::start("1920x1080") else {
        return println!("the component `desktop` is not here: `cargo xtask setup` brings it");
    };
    println!("load at the start: {}\n", std::fs::read_to_string("/proc/loadavg").unwrap().trim());
    desktop.report_elements();
    let home = Home::new();
    let folder = home.outside().join("config/tandem");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("config.toml");
    std::fs::write(&file, "[policy.allow]\nadmin = [\"desktop/*\"]\n").unwrap();
    std::fs::set_permissions(file, PermissionsExt::from_mode(0o600)).unwrap();
    let mut command = home.command();
    command.env("DISPLAY", &desktop.display).arg("lsp");
    command.env("TANDEM_TESSERACT", Desktop::tesseract(&home.outside()).unwrap());
    let mut client = Client::spawn(&mut command).unwrap();
    client.set_timeout(Duration::from_secs(300));
    client.initialize(&home.root(), json!({})).unwrap();
    let mut bench = Bench { desktop, home, client };
    // Each alone by its name: `cargo bench … -- guesses`.
    let named: Vec<String> = std::env::args().skip(1).filter(|name| name != "--bench").collect();
    let is_named = |name: &str| named.is_empty() || named.iter().any(|named| named == name);
    if is_named("guesses") {
        bench.guesses();
    }
    if is_named("pictures") {
        bench.pictures();
    }
    if is_named("keys") {
        bench.keys();
    }
    if is_named("words") {
        bench.words();
    }
    if is_named("typing") {
        bench.typing();
    }
}

impl Bench {
    fn call(&self, tool: &str, params: Value) -> Value {
        let answer = self.client.execute_command(&format!("tandem.{tool}"), json!([params]));
        answer.unwrap_or_else(|error| panic!("{tool} {params}: {error:?}"))
    }

    /// Pictures of 1920×1080 pixels with windows, to a file.
    fn pictures(&mut self) {
        self.desktop.run(&["/usr/bin/galculator"]);
        let line = "while read -r line; do echo \"$line\"; done < /etc/ld.so.conf; ls -lR /usr/lib | head -100; sleep 1000";
        self.desktop.terminal("full", &["-geometry", "150x50+300+100"], line);
        self.window("full");
        std::thread::sleep(Duration::from_secs(2));
        println!("| picture, ms | median | least |\n|---|---:|---:|");
        for format in ["png", "jpeg", "webp"] {
            let times = times(CALLS, || {
                self.call(
                    "screenshot",
                    json!({ "path": "a.bin", "format": format, "overwrite": true }),
                );
            });
            println!("| 1920×1080 as {format} to a file | {} |", shown(&times));
        }
        let times = times(CALLS, || {
            self.call("screenshot", json!({}));
        });
        println!("| the same, returned in 1,600 tokens | {} |\n", shown(&times));
    }

    /// From a call to the character in the terminal's file.
    fn keys(&mut self) {
        let file = self.desktop.folder().join("keys");
        let line = format!("stty raw -echo; exec cat > '{}'", file.display());
        self.desktop.terminal("keys", &[], &line);
        let id = self.window("keys");
        self.call("focus_window", json!({ "window_id": id }));
        std::thread::sleep(Duration::from_secs(1));
        let typed = |count: u64| {
            let end = Instant::now() + Duration::from_secs(10);
            while std::fs::metadata(&file).map_or(0, |file| file.len()) < count {
                assert!(Instant::now() < end, "no key arrives");
                std::thread::sleep(Duration::from_micros(200));
            }
        };
        let mut count = 0;
        let own = times(CALLS, || {
            self.call("key_press", json!({ "key": "a", "window_id": id }));
            count += 1;
            typed(count);
        });
        let peer = times(CALLS, || {
            let words = ["/usr/bin/xdotool", "key", "a"];
            assert!(self.desktop.command(&words).status().unwrap().success());
            count += 1;
            typed(count);
        });
        println!("| key to the program, ms | median | least |\n|---|---:|---:|");
        println!(
            "| `key_press` | {} |\n| `xdotool key`, with its start in the component | {} |\n",
            shown(&own),
            shown(&peer)
        );
    }

    /// Mixed text, and how many characters are wrong.
    fn typing(&mut self) {
        let rounds = std::env::var("TANDEM_ROUNDS")
            .ok()
            .and_then(|rounds| rounds.parse().ok())
            .unwrap_or(100);
        let alphabet: Vec<char> = "abcXYZ019 .,;:-_#'+*~{}[]()<>|@\"$%&/=?!\\^`äöüÄÖÜßéèêñçøåœæžšđ€£¥§°ΑΩλπБЖяэ中文字日本語한국어אבגकखग✓→≤∞😀🚀"
            .chars()
            .collect();
        let mut state = 7_u32;
        let (mut wrong, mut time) = (0, Duration::ZERO);
        for round in 0..rounds {
            let name = format!("typed{round}");
            let file = self.desktop.folder().join(&name);
            self.desktop.terminal(&name, &[], &format!("cat > '{}'", file.display()));
            let id = self.window(&name);
            self.call("focus_window", json!({ "window_id": id }));
            wait_for("the terminal's file", || file.exists().then_some(()));
            let mut text = String::new();
            for index in 0..1_000 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text.push(if index % 60 == 59 {
                    '\n'
                } else {
                    alphabet[(state >> 8) as usize % alphabet.len()]
                });
            }
            text.push('\n');
            let begun = Instant::now();
            self.call("text_insert", json!({ "text": text, "window_id": id }));
            time += begun.elapsed();
            let end = Instant::now() + Duration::from_secs(10);
            let mut typed = String::new();
            while typed.lines().count() < text.lines().count() && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(20));
                typed = std::fs::read_to_string(&file).unwrap_or_default();
            }
            if typed != text {
                wrong += 1;
                let at = typed.chars().zip(text.chars()).position(|(a, b)| a != b);
                println!("round {round}: differs at {at:?}");
            }
            self.call("key_press", json!({ "key": "ctrl+d", "window_id": id }));
        }
        println!(
            "typing 1,000 mixed characters: {wrong} of {rounds} rounds wrong, {:?} a round\n",
            time / rounds.max(1)
        );
    }

    /// How often each type that is guessed from a picture is right, by what the program reports.
    fn guesses(&mut self) {
        let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
        for (title, words) in WINDOWS {
            let mut words = words.to_vec();
            let titled = format!("--title={title}");
            if words[0] == "/usr/bin/yad" {
                words.insert(1, &titled);
            }
            self.desktop.run(&words);
            let id = self.window(title);
            self.call("focus_window", json!({ "window_id": id }));
            // Its program reports elements once it has started.
            wait_for("its elements", || {
                let params = json!({ "window_id": id, "method": "accessibility" });
                self.client.execute_command("tandem.detect_elements", json!([params])).ok()
            });
            self.call("wait_for_screen", json!({ "window_id": id, "stable_ms": 400 }));
            let list = |method: &str| {
                let result = self.call(
                    "detect_elements",
                    json!({ "window_id": id, "method": method, "element_types": ["all"] }),
                );
                result["elements"].as_array().unwrap().clone()
            };
            let (real, guessed) = (list("accessibility"), list("picture"));
            for guess in &guessed {
                let kind = guess["element_type"].as_str().unwrap();
                let count = counts.entry(kind.to_owned()).or_default();
                count[0] += 1;
                let near = real.iter().any(|element| is_same_place(element, guess));
                let same = real.iter().any(|element| is_right(element, guess));
                count[1] += usize::from(same);
                count[2] += usize::from(near);
            }
            self.call("key_press", json!({ "key": "alt+F4", "window_id": id }));
            wait_for("its end", || {
                let listed = self.call("list_windows", json!({ "filter": title }));
                listed["windows"].as_array().unwrap().is_empty().then_some(())
            });
        }
        println!("| guessed type | guesses | of this type | an element |\n|---|---:|---:|---:|");
        for (kind, [all, same, near]) in counts {
            let share = |part: usize| part as f64 / all as f64;
            println!("| {kind} | {all} | {:.2} | {:.2} |", share(same), share(near));
        }
        println!();
    }

    /// The share of words that are read in pictures of known text.
    fn words(&mut self) {
        let tesseract = Desktop::tesseract(&self.home.outside()).unwrap();
        println!(
            "| words read, % | `ocr` light | dark | Tesseract light | dark |\n|---|---:|---:|---:|---:|"
        );
        let mut sums = [0.0_f64; 4];
        let mut large = 0.0;
        for size in SIZES {
            let mut own = Vec::new();
            let mut bare = Vec::new();
            for (theme, foreground, background) in THEMES {
                let (mut right, mut right_bare) = (0.0, 0.0);
                for font in FONTS {
                    let name = format!("{}-{size}-{theme}.png", font.replace(' ', ""));
                    let file = self.desktop.folder().join(&name);
                    let options = [
                        "/usr/bin/pango-view".to_owned(),
                        format!("--font={font} {size}px"),
                        format!("--foreground={foreground}"),
                        format!("--background={background}"),
                        format!("--text={TEXT}"),
                        "--margin=12".to_owned(),
                        "-qo".to_owned(),
                        file.display().to_string(),
                    ];
                    let options: Vec<&str> = options.iter().map(String::as_str).collect();
                    assert!(self.desktop.command(&options).status().unwrap().success());
                    std::fs::copy(&file, self.home.root().join(&name)).unwrap();
                    let result = self.call("ocr", json!({ "path": name }));
                    right += accuracy(result["text"].as_str().unwrap());
                    let output = Command::new(&tesseract)
                        .arg(&file)
                        .arg("-")
                        .stderr(Stdio::null())
                        .output()
                        .unwrap();
                    right_bare += accuracy(&String::from_utf8_lossy(&output.stdout));
                }
                own.push(right * 100.0 / FONTS.len() as f64);
                bare.push(right_bare * 100.0 / FONTS.len() as f64);
            }
            if size >= 12 {
                large += own.iter().sum::<f64>() / 2.0;
            }
            println!(
                "| {size} px | {:.1} | {:.1} | {:.1} | {:.1} |",
                own[0], own[1], bare[0], bare[1]
            );
            for (sum, value) in sums.iter_mut().zip(own.iter().chain(&bare)) {
                *sum += value / SIZES.len() as f64;
            }
        }
        println!("| mean | {:.1} | {:.1} | {:.1} | {:.1} |", sums[0], sums[1], sums[2], sums[3]);
        println!(
            "\n`ocr` at 12 px and above: {:.2} %",
            large / SIZES.iter().filter(|size| **size >= 12).count() as f64
        );
    }

    fn window(&self, title: &str) -> Value {
        wait_for(title, || {
            let listed = self.call("list_windows", json!({ "filter": title }));
            let windows = listed["windows"].as_array().unwrap();
            windows
                .iter()
                .find(|window| window["title"] == title)
                .map(|window| window["id"].clone())
        })
    }
}

/// Whether a guess is this element. A program counts the label of a check box to it, and has those of a list as its
/// cells; a text is right if the program has it anywhere.
fn is_right(element: &Value, guess: &Value) -> bool {
    let kind = &guess["element_type"];
    let text = |of: &Value, field: &str| of[field].as_str().unwrap_or_default().to_lowercase();
    match kind.as_str().unwrap() {
        "text" => {
            let read = text(guess, "text");
            text(element, "text").contains(&read) || text(element, "value").contains(&read)
        }
        "checkbox" => {
            let (place, middle) = (&element["bounding_box"], &guess["bounding_box"]);
            let at = |of: &Value, name: &str| of[name].as_i64().unwrap();
            let (x, y) = (
                at(middle, "x") + at(middle, "width") / 2,
                at(middle, "y") + at(middle, "height") / 2,
            );
            let is_in =
                |at_start: i64, length: i64, point: i64| (0..length).contains(&(point - at_start));
            let acts = element["actions"].to_string().to_lowercase();
            (element["element_type"] == "checkbox" || acts.contains("toggle"))
                && is_in(at(place, "x"), at(place, "width"), x)
                && is_in(at(place, "y"), at(place, "height"), y)
        }
        _ => element["element_type"] == *kind && is_same_place(element, guess),
    }
}

/// Whether two elements share at least half of what they cover together.
fn is_same_place(one: &Value, other: &Value) -> bool {
    let edges = |element: &Value| {
        let place = &element["bounding_box"];
        let at = |name: &str| place[name].as_f64().unwrap();
        (at("x"), at("y"), at("x") + at("width"), at("y") + at("height"))
    };
    let (one, other) = (edges(one), edges(other));
    let area = |(left, top, right, bottom): (f64, f64, f64, f64)| {
        (right - left).max(0.0) * (bottom - top).max(0.0)
    };
    let shared =
        area((one.0.max(other.0), one.1.max(other.1), one.2.min(other.2), one.3.min(other.3)));
    shared / (area(one) + area(other) - shared) >= 0.5
}

/// The share of the text's words that are read, in their order.
fn accuracy(read: &str) -> f64 {
    let (wanted, read): (Vec<&str>, Vec<&str>) =
        (TEXT.split_whitespace().collect(), read.split_whitespace().collect());
    // The longest common subsequence.
    let mut lengths = vec![0_usize; read.len() + 1];
    for word in &wanted {
        let mut before = 0;
        for (index, other) in read.iter().enumerate() {
            let above = lengths[index + 1];
            lengths[index + 1] = if word == other { before + 1 } else { above.max(lengths[index]) };
            before = above;
        }
    }
    lengths[read.len()] as f64 / wanted.len() as f64
}

fn times(count: usize, mut call: impl FnMut()) -> Vec<f64> {
    call();
    let mut times: Vec<f64> = (0..count)
        .map(|_| {
            let begun = Instant::now();
            call();
            begun.elapsed().as_secs_f64() * 1_000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

fn shown(times: &[f64]) -> String {
    format!("{:.1} | {:.1}", times[times.len() / 2], times[0])
}
