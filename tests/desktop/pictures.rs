//! Text in pictures, and differences of pictures.

use serde_json::{Value, json};
use tests::{Desktop, wait_for};

use crate::session::{Session, desktop};

/// Draws a text into a file of the workspace.
fn draw(
    desktop: &Desktop,
    session: &Session,
    name: &str,
    font: &str,
    colors: (&str, &str),
    text: &str,
) {
    let file = desktop.folder().join(name);
    let options = [
        "/usr/bin/pango-view".to_owned(),
        format!("--font={font}"),
        format!("--foreground={}", colors.0),
        format!("--background={}", colors.1),
        format!("--text={text}"),
        "--margin=10".to_owned(),
        "-qo".to_owned(),
        file.display().to_string(),
    ];
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    assert!(desktop.command(&options).status().unwrap().success());
    std::fs::copy(file, session.home.root().join(name)).unwrap();
}

#[test]
fn text_is_read_from_pictures_and_windows() {
    let Some(mut desktop) = desktop("text_is_read_from_pictures_and_windows") else { return };
    let session = Session::on(&desktop);
    let text = "Save changes to document before closing?\nVersion 2.14.3 with 125 fixes";
    for (name, font, colors) in [
        ("small.png", "DejaVu Sans 12px", ("#202020", "#ffffff")),
        ("dark.png", "Liberation Sans 12px", ("#d8d8d8", "#1e1e2e")),
        ("mono.png", "DejaVu Sans Mono 14px", ("#005500", "#eeffdd")),
    ] {
        draw(&desktop, &session, name, font, colors, text);
        let result = session.call("ocr", json!({ "path": name }));
        assert_eq!(result["text"], text, "{name}: {result}");
        let words = result["blocks"].as_array().unwrap();
        assert_eq!(words.len(), 11, "{name}: {words:?}");
        assert!(words.iter().all(|word| word["confidence"].as_f64().unwrap() > 0.5), "{words:?}");
    }
    // A part of a picture: its boxes have coordinates in the whole picture.
    let whole = session.call("ocr", json!({ "path": "mono.png" }));
    let line = &whole["lines"][1]["bounding_box"];
    let number = |name: &str| line[name].as_i64().unwrap();
    let region = json!({ "x": number("x") - 5, "y": number("y") - 4, "width": number("width") + 10, "height": number("height") + 8 });
    let part = session.call("ocr", json!({ "path": "mono.png", "region": region }));
    assert_eq!(part["text"], "Version 2.14.3 with 125 fixes");
    let found = &part["lines"][0]["bounding_box"];
    // Tesseract's lines have more or less of their letters' ascenders.
    for (name, tolerance) in [("x", 2), ("width", 4), ("y", 6), ("height", 8)] {
        assert!(
            (found[name].as_i64().unwrap() - number(name)).abs() <= tolerance,
            "{found} {line}"
        );
    }
    draw(
        &desktop,
        &session,
        "german.png",
        "DejaVu Serif 16px",
        ("black", "white"),
        "Schöne Grüße aus Köln",
    );
    let german = session.call("ocr", json!({ "path": "german.png", "language": "de" }));
    assert_eq!(german["text"], "Schöne Grüße aus Köln");

    let options = ["-fa", "DejaVu Sans Mono", "-fs", "14"];
    desktop.terminal("terminal", &options, "echo 'Build finished without errors'; sleep 1000");
    let id = session.window("terminal")["id"].clone();
    wait_for("the text of the terminal", || {
        let result = session.call("ocr", json!({ "window_id": id }));
        result["text"].as_str().unwrap().contains("Build finished without errors").then_some(())
    });

    session.refused("ocr", json!({ "path": "small.png", "language": "fra" }), "E_UNAVAILABLE");
    session.refused("ocr", json!({ "path": "none.png" }), "E_FILE_NOT_FOUND");
    session.refused("ocr", json!({ "data": "!" }), "E_INVALID_PARAMS");
    let mut huge = Vec::new();
    let mut encoder = png::Encoder::new(&mut huge, 100_000, 10_000);
    encoder.set_color(png::ColorType::Grayscale);
    drop(encoder.write_header().unwrap());
    std::fs::write(session.home.root().join("huge.png"), huge).unwrap();
    session.refused("ocr", json!({ "path": "huge.png" }), "E_TOO_LARGE");
}

#[test]
fn differences_of_pictures_are_found() {
    let Some(desktop) = desktop("differences_of_pictures_are_found") else { return };
    let session = Session::on(&desktop);
    let black = ("black", "white");
    draw(&desktop, &session, "one.png", "DejaVu Sans 20px", black, "Cancel   Save");
    draw(&desktop, &session, "two.png", "DejaVu Sans 20px", black, "Cancel   Sava");
    let compare = |params: Value| session.call("compare_images", params);
    let same = compare(json!({ "before_path": "one.png", "after_path": "one.png" }));
    assert_eq!((&same["equal"], &same["similarity"]), (&json!(true), &json!(1.0)));
    let files = json!({ "before_path": "one.png", "after_path": "two.png", "difference_path": "difference.png" });
    let result = compare(files);
    assert_eq!(result["equal"], false);
    let regions = result["regions"].as_array().unwrap();
    assert_eq!(regions.len(), 1, "only the last letter: {result}");
    assert!(regions[0]["bounding_box"]["x"].as_i64().unwrap() > 100, "{result}");
    assert!(session.home.root().join("difference.png").exists());
    let screen = compare(
        json!({ "before_path": "one.png", "region": { "x": 0, "y": 0, "width": 50, "height": 30 } }),
    );
    assert_eq!(screen["equal"], false);
    session.refused("compare_images", json!({ "before_path": "one.png" }), "E_INVALID_PARAMS");
}
