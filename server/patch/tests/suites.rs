//! How `examples/suites` reads the tests of other projects.

#[allow(dead_code)]
#[path = "../examples/suites/assertions.rs"]
mod assertions;
#[allow(dead_code)]
#[path = "../examples/suites/calls.rs"]
mod calls;
#[allow(dead_code)]
#[path = "../examples/suites/case.rs"]
mod case;
#[allow(dead_code)]
#[path = "../examples/suites/evaluate.rs"]
mod evaluate;
#[allow(dead_code)]
#[path = "../examples/suites/sources.rs"]
mod sources;
#[allow(dead_code)]
#[path = "../examples/suites/value.rs"]
mod value;

use std::collections::BTreeMap;

use calls::{Call, CallShape};
use case::{Case, Expected};
use serde_json::{Value, json};
use sources::{call, parse_cases};

fn text(path: &str, text: &str) -> Option<Expected> {
    Some(Expected::Files(BTreeMap::from([(path.to_owned(), Some(text.to_owned()))])))
}

fn parts(case: &Case) -> (Option<&str>, &Value) {
    (case.files.values().next().map(String::as_str), &case.parameters)
}

#[test]
fn script() {
    const CALLS: &[Call] = &[
        call("swap", CallShape::TextOldNew),
        call("apply", CallShape::TextPatch),
        call("edit", CallShape::OnFiles),
    ];
    let source = r#"
        const base = ["one", "two"].join("\n") + "\n";
        describe("swap", () => {
          it("replaces", async () => {
            const out = await swap(base, `two`, "t\u0077o!", true);
            expect(out).toBe("one\ntwo!\n");
          });
          it("is not there", () => { expect(() => swap(base, "three", "3")).toThrow(); });
          it.each([{ a: "one", b: "1\ntwo\n" }, { a: "tw", b: unknown() }])("%s", ({ a, b }) => {
            expect(swap(base, a, "1")).toEqual(b);
          });
          it("has texts that nobody knows", () => { expect(swap(base, make(), "")).toBe("x"); });
          it("expects nothing", () => { swap(base, "one", "1"); });
        });
        it("reads a patch", function() {
          const result = apply(base, "+++ b/x.txt\tnow\n" + "@@ -1 +1 @@\n-one\n+1\n");
          expect(result.success).toBe(true);
          if (result.success) { expect(result.content).toBe("1\ntwo\n"); }
        });
        it("edits files", async () => {
          const file = path.join(folder, "a.txt");
          await fs.writeFile(file, base, "utf-8");
          const said = await edit({ path: file, old_text: "one", new_text: "1" }, folder);
          expect(said).toBe("done");
          await expect(fs.readFile(file, "utf-8")).resolves.toBe("1\ntwo\n");
        });
    "#;
    let cases = parse_cases(source, false, CALLS).unwrap_or_else(|error| panic!("{error}"));
    let whole = Some("one\ntwo\n");
    let swap = |old: &str, new: &str, all: bool| json!({ "path": "text.txt", "old_text": old, "new_text": new, "replace_all": all });
    let [replaced, absent, each, patched, edited] = &cases[..] else { panic!("{cases:#?}") };
    assert_eq!(replaced.name, "replaces");
    assert_eq!(parts(replaced), (whole, &swap("two", "two!", true)));
    assert_eq!(replaced.expected, text("text.txt", "one\ntwo!\n"));
    assert_eq!(absent.expected, Some(Expected::Refusal));
    assert_eq!(parts(each), (whole, &swap("one", "1", false)));
    assert_eq!(each.expected, text("text.txt", "1\ntwo\n"));
    assert_eq!(patched.parameters["path"], "x.txt");
    assert_eq!(patched.expected, text("x.txt", "1\ntwo\n"));
    assert_eq!(edited.parameters["path"], "a.txt");
    assert_eq!(edited.expected, text("a.txt", "1\ntwo\n"));
}

#[test]
fn python() {
    const CALLS: &[Call] = &[
        call("swap", CallShape::TextOldNew),
        call("blocks", CallShape::Blocks),
        call("editor", CallShape::Command),
        call("tool", CallShape::OnFiles),
    ];
    let source = r#"
@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one\n" "two\n")
    return path

@pytest.mark.parametrize("old,new", [("one", "1"), (r"tw\o", "2")])
def test_rows(old, new):
    assert swap("one\ntwo\n", old, new) == f"{new}\ntwo\n"

class TestAll(unittest.TestCase):
    def test_refused(self):
        with self.assertRaises(ValueError):
            swap("""one
""", "x", "y")

    def test_blocks(self):
        edits = list(blocks("a.txt\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n"))
        self.assertEqual(edits, [("a.txt", "one\n", "1\n")])

def test_command(file):
    editor(command="view", path=str(file))
    editor(command="str_replace", path=str(file), old_str="one", new_str="1")
    assert "1" in file.read_text()

async def test_tool(file):
    result = await tool(Params(path=str(file), edit=Edit(old="one", new="1")))
    assert not result.is_error
    assert await file.read_text() == "1\ntwo\n"

def test_undone(file):
    editor(command="str_replace", path=str(file), old_str="one", new_str="1")
    editor(command="undo_edit", path=str(file))
    assert file.read_text() == "one\ntwo\n"
"#;
    let cases = parse_cases(source, true, CALLS).unwrap_or_else(|error| panic!("{error}"));
    let [one, two, refused, blocks, command, tool] = &cases[..] else { panic!("{cases:#?}") };
    assert_eq!(one.expected, text("text.txt", "1\ntwo\n"));
    assert_eq!(two.parameters["old_text"], "tw\\o");
    assert_eq!(
        (refused.files.values().next().map(String::as_str), &refused.expected),
        (Some("one\n"), &Some(Expected::Refusal))
    );
    assert_eq!(blocks.files["a.txt"], "one\n");
    assert_eq!(blocks.expected, text("a.txt", "1\n"));
    assert_eq!(command.files["a.txt"], "one\ntwo\n");
    assert_eq!(command.expected, Some(Expected::Contains(vec!["1".to_owned()])));
    assert_eq!(tool.parameters["old_text"], "one");
    assert_eq!(tool.expected, text("a.txt", "1\ntwo\n"));
}
