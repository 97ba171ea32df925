//! The tool `impact`.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "\
//- /shapes.py
def square(x):
    return helper(x) * x


def helper(x):
    return shared(x)


def shared(x):
    return x


class Circle:
    def area(self):
        return square(self.r)


def alone():
    return shared(1)
//- /app.py
from shapes import Circle


def show(circle: Circle):
    print(circle.area())


show(Circle())
//- /tests/test_app.py
from app import show


def test_show():
    show(None)
";

fn list(result: &Value, kind: &str) -> Vec<String> {
    let all = result[kind].as_array().unwrap_or_else(|| panic!("{result}"));
    let entry = |one: &Value| {
        let text = |field: &str| one[field].as_str().unwrap_or_default().to_owned();
        match kind {
            "left_unused" => format!("{} {}", text("path"), text("symbol")),
            _ => format!(
                "{} {} {} via {}",
                one["depth"],
                text("path"),
                text("symbol"),
                text("through")
            ),
        }
    };
    all.iter().map(entry).collect()
}

#[test]
fn callers_tests_and_what_would_be_unused() {
    let server = Server::start(FIXTURE);
    let result = server.must("impact", json!({ "path": "shapes.py", "name_path": "square" }));
    assert_eq!(
        list(&result, "callers"),
        [
            "1 shapes.py Circle/area via square",
            "2 app.py show via Circle/area",
            "3 app.py  via show",
        ],
        "{result}"
    );
    assert_eq!(list(&result, "tests"), ["3 tests/test_app.py test_show via show"], "{result}");
    // `shared` has another user, `helper` has none.
    assert_eq!(list(&result, "left_unused"), ["shapes.py helper"], "{result}");
    let changed = &result["changed"][0];
    assert_eq!((&changed["exported"], &changed["unused"]), (&json!(true), &json!(false)));
    assert!(result["truncated"].is_null());
    let confidence = |kind: &str| result[kind][0]["confidence"].as_f64().unwrap();
    assert!(confidence("callers") >= confidence("tests"), "it falls along the way");

    let unused = server.must("impact", json!({ "path": "shapes.py", "name_path": "alone" }));
    assert_eq!(unused["changed"][0]["unused"], true, "{unused}");

    let near = server
        .must("impact", json!({ "path": "shapes.py", "name_path": "square", "max_depth": 1 }));
    assert_eq!((list(&near, "callers").len(), &near["truncated"]), (1, &json!(true)), "{near}");
}

#[test]
fn lines_stand_for_the_symbols_in_them() {
    let server = Server::start(FIXTURE);
    let changed = |first: u64, last: u64| {
        let lines = json!({ "path": "shapes.py", "start_line": first, "end_line": last });
        let result = server.must("impact", lines);
        let all = result["changed"].as_array().unwrap().clone();
        all.iter().map(|one| one["symbol"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(changed(2, 2), ["square"]);
    assert_eq!(changed(2, 6), ["square", "helper"]);
    assert_eq!(changed(15, 15), ["Circle/area"]);
    for (bad, code) in [
        (json!({ "path": "shapes.py" }), "E_INVALID_PARAMS"),
        (
            json!({ "path": "shapes.py", "name_path": "square", "start_line": 1 }),
            "E_INVALID_PARAMS",
        ),
        (json!({ "path": "shapes.py", "name_path": "none" }), "E_NO_MATCH"),
        (json!({ "path": "shapes.py", "start_line": 900 }), "E_NO_MATCH"),
        (json!({ "path": "gone.py", "name_path": "x" }), "E_FILE_NOT_FOUND"),
    ] {
        server.must_fail("impact", bad, code);
    }
}
