//! `tandem index`, and the index file that a later start reads.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tests::Home;

/// A workspace of a few files, old enough that their times tell every change.
fn home() -> Home {
    let home = Home::new();
    let write = |name: &str, text: &str| std::fs::write(home.root().join(name), text).unwrap();
    write("a.py", "def area(r):\n    return r * r\n");
    write("b.py", "from a import area\n\nprint(area(2))\n");
    write("c.go", "package c\n\nfunc F() {}\n");
    write("d.txt", "no source\n");
    std::thread::sleep(Duration::from_millis(120));
    home
}

fn index(home: &Home) -> Value {
    let output = home.command().args(["index", "--json"]).arg(home.root()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(stderr, "", "no progress is drawn where nobody looks");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The path of the index file.
fn index_file(home: &Home) -> PathBuf {
    fn find(folder: PathBuf) -> Option<PathBuf> {
        std::fs::read_dir(folder).ok()?.flatten().find_map(|entry| match entry.path() {
            path if path.is_dir() => find(path),
            path if path.file_name().is_some_and(|name| name == "index") => Some(path),
            _ => None,
        })
    }
    find(home.outside()).expect("an index is kept")
}

/// How many files were read, and how many were known from before.
fn read_and_kept(figures: &Value) -> (u64, u64) {
    (figures["read"].as_u64().unwrap(), figures["kept"].as_u64().unwrap())
}

#[test]
fn index_reports_its_figures() {
    let home = home();
    let figures = index(&home);
    assert_eq!(figures["files"], 3);
    assert_eq!(figures["languages"]["python"]["files"], 2);
    assert_eq!(figures["languages"]["python"]["lines"].as_u64(), Some(7));
    assert!(figures["definitions"].as_u64().unwrap() >= 4, "{figures}");
    assert!(figures["references"].as_u64().unwrap() >= 4, "{figures}");
    for figure in ["seconds", "bytes_per_second", "files_per_second", "index_bytes"] {
        assert!(figures[figure].as_f64().unwrap() > 0.0, "{figure}: {figures}");
    }
    let output = home.command().arg("index").arg(home.root()).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("python") && shown.contains("files/s"), "{shown}");
    let nowhere = home.command().args(["index", "nowhere"]).output().unwrap();
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("nowhere"));
}

#[test]
fn a_warm_start_opens_no_source_file() {
    let home = home();
    let first = index(&home);
    assert_eq!(read_and_kept(&first), (3, 0));
    let second = index(&home);
    assert_eq!(read_and_kept(&second), (0, 3));
    for figure in ["definitions", "references", "names", "lines", "languages"] {
        assert_eq!(second[figure], first[figure], "{figure}");
    }
    // Another text of the same length, and a new file.
    std::fs::write(home.root().join("a.py"), "def area(q):\n    return q * q\n").unwrap();
    std::fs::write(home.root().join("e.py"), "x = 1\n").unwrap();
    assert_eq!(read_and_kept(&index(&home)), (2, 2));
    std::fs::remove_file(home.root().join("e.py")).unwrap();
    std::thread::sleep(Duration::from_millis(120));
    index(&home);
    assert_eq!(read_and_kept(&index(&home)), (0, 3));
}

#[test]
fn a_damaged_index_file_is_rebuilt() {
    let home = home();
    let first = index(&home);
    let path = index_file(&home);
    let whole = std::fs::read(&path).unwrap();
    let (half, mut flipped) = (whole[..whole.len() / 2].to_vec(), whole.clone());
    flipped[20] ^= 0xff;
    for damaged in [Vec::new(), half, vec![0xff; 5_000], flipped] {
        std::fs::write(&path, &damaged).unwrap();
        let again = index(&home);
        assert_eq!(again["definitions"], first["definitions"]);
        assert!(read_and_kept(&again).0 > 0);
        assert_eq!(read_and_kept(&index(&home)), (0, 3), "it is whole again");
    }
    // What somebody else could have put there is not believed.
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert_eq!(read_and_kept(&index(&home)), (3, 0));
}

#[test]
fn two_concurrent_sessions_do_not_interfere() {
    let home = home();
    let path = home.root();
    for n in 0..200 {
        std::fs::write(path.join(format!("m{n}.py")), format!("def f{n}():\n    pass\n")).unwrap();
    }
    std::thread::sleep(Duration::from_millis(120));
    let definitions = index(&home)["definitions"].clone();
    let kept = index_file(&home);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            let (home, definitions, path) = (&home, &definitions, &kept);
            scope.spawn(move || {
                for _ in 0..3 {
                    let _ = std::fs::remove_file(path);
                    assert_eq!(index(home)["definitions"], *definitions);
                }
            });
        }
    });
    assert_eq!(read_and_kept(&index(&home)), (0, 203));
    let left: Vec<_> = std::fs::read_dir(kept.parent().unwrap()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "nothing half written is left: {left:?}");
}

#[test]
fn written_scip_can_be_read() {
    use std::collections::HashSet;

    use protobuf::Message;
    use scip::types::{Index, PositionEncoding};

    let home = home();
    let shapes = "class Shape:\n    def area(self, \u{e9}):\n        return \u{e9}\n\n\
                  Shape().area(1)\n";
    std::fs::write(home.root().join("shapes.py"), shapes).unwrap();
    let file = home.outside().join("index.scip");
    let mut command = home.command();
    command.args(["index", "--json", "--scip"]).arg(&file).arg(home.root());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let figures: Value = serde_json::from_slice(&output.stdout).unwrap();

    let index = Index::parse_from_bytes(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(index.metadata.tool_info.name, "tandem");
    assert!(index.metadata.project_root.starts_with("file:///"));
    let paths: Vec<_> = index.documents.iter().map(|d| d.relative_path.as_str()).collect();
    assert_eq!(paths, ["a.py", "b.py", "c.go", "shapes.py"]);
    let occurrences: usize = index.documents.iter().map(|d| d.occurrences.len()).sum();
    assert_eq!(figures["scip"]["occurrences"].as_u64(), Some(occurrences as u64));
    assert_eq!(figures["scip"]["documents"], 4);

    let mut defined = HashSet::new();
    let mut named = Vec::new();
    for document in &index.documents {
        let utf8 = PositionEncoding::UTF8CodeUnitOffsetFromLineStart;
        assert_eq!(document.position_encoding.enum_value(), Ok(utf8));
        let text = std::fs::read_to_string(home.root().join(&document.relative_path)).unwrap();
        let lines: Vec<_> = text.lines().collect();
        let described: HashSet<_> = document.symbols.iter().map(|s| s.symbol.as_str()).collect();
        for occurrence in &document.occurrences {
            scip::symbol::parse_symbol(&occurrence.symbol).unwrap();
            let [line, start, end] = occurrence.range[..] else { panic!("{occurrence:?}") };
            let at = |n: i32| usize::try_from(n).unwrap();
            let name = &lines[at(line)][at(start)..at(end)];
            let is_definition = occurrence.symbol_roles & 1 != 0;
            if is_definition {
                assert!(described.contains(occurrence.symbol.as_str()), "{occurrence:?}");
                defined.insert(occurrence.symbol.clone());
            }
            let (path, role) = (&document.relative_path, if is_definition { "=" } else { "" });
            named.push(format!("{path}:{} {name}{role} {}", line + 1, occurrence.symbol));
        }
    }
    let global = |path: &str, names: &str| format!("tandem . . . `{path}`/{names}");
    for (place, symbol) in [
        ("a.py:1 area=", global("a.py", "area().")),
        ("b.py:1 area", global("a.py", "area().")),
        ("b.py:3 area", global("a.py", "area().")),
        ("shapes.py:2 area=", global("shapes.py", "Shape#area().")),
        ("shapes.py:5 area", global("shapes.py", "Shape#area().")),
        ("shapes.py:5 Shape", global("shapes.py", "Shape#")),
    ] {
        let line = format!("{place} {symbol}");
        assert!(named.contains(&line), "{line} is not in {named:#?}");
    }
    let local = named.iter().filter(|n| n.starts_with("shapes.py:") && n.contains("\u{e9}"));
    assert!(
        local.clone().count() == 2 && local.clone().all(|n| n.contains(" local ")),
        "{named:#?}"
    );
}
