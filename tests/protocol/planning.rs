//! `plan_intent` and `plan_route`.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "\
//- /src/auth.py
class AuthError(Exception):
    pass


def check_password(user, password):
    return user.password == password
//- /src/billing/invoice.py
def total(lines):
    return sum(lines)
//- /src/parser.py
def parse(text):
    return text
//- /old/parser.py
def parse(text):
    return None
//- /tests/test_auth.py
from src.auth import check_password
//- /package.json
{
  \"dependencies\": { \"lodash\": \"4.17.20\" }
}
";

fn intent(server: &Server, request: &str) -> Value {
    server.must("plan_intent", json!({ "input": request }))
}

#[test]
fn what_a_request_names_is_looked_up() {
    let server = Server::start(FIXTURE);
    let bug = intent(&server, "fix the authentication failure in src/auth.py:5");
    assert_eq!(bug["intent"], "fix_bug");
    assert_eq!(bug["entities"]["file"], "src/auth.py");
    assert_eq!(bug["entities"]["line"], 5);
    assert_eq!(bug["entities"]["issue"], "authentication failure");
    assert!(bug["confidence"].as_f64().unwrap() > 0.8, "{bug}");

    let symbol = intent(&server, "`check_password` returns true for empty passwords");
    assert_eq!(symbol["entities"]["symbol"], "check_password");
    assert_eq!(symbol["entities"]["file"], "src/auth.py");
    let place = json!([{ "entity": "symbol", "path": "src/auth.py", "line": 5, "by": "name" }]);
    assert_eq!(symbol["found"], place);

    // The qualifier is a module, which is a file.
    let qualified = intent(&server, "explain auth.check_password()");
    assert_eq!(qualified["entities"]["symbol"], "check_password");

    let folder = intent(&server, "clean up src/billing");
    assert_eq!(folder["entities"]["folder"], "src/billing");
    assert_eq!(folder["entities"].get("file"), None);

    let error = intent(&server, "Uncaught AuthError on login");
    assert_eq!(error["entities"]["error"], "AuthError");
    assert_eq!(error["found"][0]["path"], "src/auth.py");

    let package = intent(&server, "bump lodash to 4.17.21");
    assert_eq!(package["intent"], "update_dependency");
    assert_eq!(package["entities"]["version"], "4.17.21");
    assert_eq!(package["entities"]["file"], "package.json");
    assert_eq!(package["found"][0]["line"], 2);
}

#[test]
fn a_file_that_does_not_exist_is_no_entity() {
    let server = Server::start(FIXTURE);
    let gone = intent(&server, "fix the crash in src/gone.py");
    assert_eq!(gone["entities"].get("file"), None, "{gone}");
    assert_eq!(gone["not_found"], json!(["src/gone.py"]));
    let unknown = intent(&server, "rename `no_such_name` to `other`");
    assert_eq!(unknown["not_found"], json!(["no_such_name"]));
    assert_eq!(unknown["missing"], json!(["symbol", "new_name"]));
    // Not even if the caller says so.
    let input = json!({ "input": "fix it", "context": { "file": "src/gone.py" } });
    assert_eq!(server.must("plan_intent", input)["entities"].get("file"), None);
    let input = json!({ "input": "fix it", "context": { "file": "../../etc/passwd" } });
    assert_eq!(server.must("plan_intent", input)["entities"].get("file"), None);
}

#[test]
fn two_places_are_not_one() {
    let server = Server::start(FIXTURE);
    let two = intent(&server, "parser.py crashes on empty input");
    assert_eq!(two["entities"].get("file"), None, "{two}");
    let paths: Vec<_> = two["found"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert_eq!(paths, ["old/parser.py", "src/parser.py"]);
}

#[test]
fn a_file_found_by_words_is_marked_as_a_guess() {
    let server = Server::start(FIXTURE);
    let guess = intent(&server, "wrong rounding of invoices");
    assert_eq!(guess["entities"]["file"], "src/billing/invoice.py");
    assert_eq!(guess["found"][0]["by"], "words");
    // Two files are alike: neither is taken.
    let none = intent(&server, "make the parser faster");
    assert_eq!(none["entities"].get("file"), None, "{none}");
    assert_eq!(none["found"].as_array().unwrap().len(), 2);
}

#[test]
fn a_route_leads_from_a_request_to_calls_that_work() {
    let server = Server::start(FIXTURE);
    let rename = intent(&server, "Rename `check_password` to `verify_password`");
    let route = server.must("plan_route", json!({ "intent": rename }));
    let steps = route["steps"].as_array().unwrap();
    let tools: Vec<_> = steps.iter().map(|step| step["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["find_referencing_symbols", "rename_symbol", "grep_search"]);
    assert_eq!(steps[1]["effects"], json!(["read", "write", "delete"]));
    assert_eq!(steps[1]["risk"], "medium");
    // Nothing has been done, and each call works as it stands.
    assert!(server.read("src/auth.py").contains("check_password"));
    for step in steps {
        server.must(step["tool"].as_str().unwrap(), step["args"].clone());
    }
    assert!(server.read("tests/test_auth.py").contains("verify_password"));
}

#[test]
fn only_available_tools_are_used() {
    let server = Server::start(FIXTURE);
    let intent =
        json!({ "intent": "fix_bug", "entities": { "file": "src/auth.py", "issue": "login" } });
    let arguments =
        json!({ "intent": intent, "available_tools": ["read_file", "grep_search", "nonsense"] });
    let route = server.must("plan_route", arguments);
    let tools: Vec<_> =
        route["steps"].as_array().unwrap().iter().map(|step| &step["tool"]).collect();
    assert_eq!(tools, ["read_file", "grep_search"]);
    assert_eq!(route["left_out"].as_array().unwrap().len(), 2);
    let none = server.must("plan_route", json!({ "intent": intent, "available_tools": [] }));
    assert_eq!(none["steps"], json!([]));
}

#[test]
fn mistakes_name_the_intents() {
    let server = Server::start(FIXTURE);
    let error = server.must_fail("plan_route", json!({ "intent": {} }), "E_INVALID_PARAMS");
    assert!(error.data["hint"].as_str().unwrap().contains("fix_bug"));
    server.must_fail(
        "plan_route",
        json!({ "intent": { "intent": "x".repeat(100_000) } }),
        "E_INVALID_PARAMS",
    );
    server.must_fail("plan_intent", json!({ "input": " \n" }), "E_INVALID_PARAMS");
    // Entities of any type and size.
    let odd = json!({ "intent": "fix_bug", "entities": { "file": 3, "symbol": {}, "issue": "w ".repeat(200_000) } });
    server.must("plan_route", json!({ "intent": odd }));
    server.must("plan_intent", json!({ "input": "`a` ".repeat(100_000) }));
    server.must("plan_intent", json!({ "input": "[[[[:::(((``` \u{202e}\u{0}" }));
}
