//! Which tests small projects' changes select.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use workspace::definitions_in_text;

use super::changes::difference;
use super::graph::{Graph, Imports, ProjectFile};
use super::lexer::Style;
use super::selection::{ChangedUnits, Tests, select, shorten};
use super::sources::is_test_file;
use super::units::{FileUnits, Names, file_units};

fn units(style: Style, path: &str, text: &str, names: &mut Names) -> FileUnits {
    let name = path.rsplit('/').next().unwrap();
    let symbols = definitions_in_text(name, text, &AtomicBool::new(false)).unwrap();
    file_units(style, text, &symbols, names)
}

/// The tests selected in `files` once `from` is `to` in one of them.
fn selected(style: Style, files: &[(&str, &str)], from: &str, to: &str) -> Vec<String> {
    let mut names = Names::default();
    let number = files.iter().position(|(_, text)| text.contains(from)).unwrap();
    let old = units(style, files[number].0, files[number].1, &mut names);
    let files: Vec<ProjectFile> = files
        .iter()
        .map(|(path, text)| ProjectFile {
            path: (*path).to_owned(),
            units: Arc::new(units(style, path, &text.replace(from, to), &mut names)),
            is_test: is_test_file(style, path),
        })
        .collect();
    let graph = Graph::new(&files, &names);
    let imports = Imports::new(&files, &names);
    let tests = Tests::new(&graph, &|file| file.is_test, false);
    let changed = ChangedUnits { file: number, difference: difference(&old, &files[number].units) };
    let Some(found) = select(&graph, &imports, &[changed], &tests) else {
        return vec!["all".to_owned()];
    };
    let (found, _) = shorten(&graph, &tests, found);
    let name = |one: &super::selection::Selected| match one.path.is_empty() {
        true => files[one.file].path.clone(),
        false => one.path.join("."),
    };
    found.iter().map(name).collect()
}

fn python(files: &[(&str, &str)], from: &str, to: &str) -> Vec<String> {
    selected(Style::Python, files, from, to)
}

#[test]
fn tests_that_reach_a_function_are_selected() {
    let files = [
        (
            "shop.py",
            "def price(x):\n    return x + 1\n\ndef total(xs):\n    return sum(price(x) for x in xs)\n\n\
                     def label(x):\n    return str(x)\n",
        ),
        (
            "tests/test_shop.py",
            "from shop import total, label as name\n\ndef test_total():\n    assert total([1])\n\n\
                                def test_label():\n    assert name(1)\n",
        ),
        (
            "tests/test_other.py",
            "def test_price():\n    price = 1\n    assert price\n\ndef test_none():\n    pass\n",
        ),
    ];
    assert_eq!(python(&files, "x + 1", "x + 2"), ["test_total"]);
    assert_eq!(python(&files, "str(x)", "repr(x)"), ["test_label"]);
    // Neither a comment nor a blank line is a change.
    assert!(python(&files, "    return str(x)", "    # why\n\n    return str(x)  # so").is_empty());
}

#[test]
fn a_method_is_seen_only_where_its_type_is() {
    let files = [
        (
            "a.py",
            "class Cart:\n    def __init__(self):\n        self.items = []\n\n    def get(self, x):\n        \
                  return self.items[x]\n\n    def __len__(self):\n        return len(self.items)\n",
        ),
        ("b.py", "def look(d):\n    return d.get(1)\n"),
        (
            "tests/test_a.py",
            "import b\nfrom a import Cart\n\ndef test_cart():\n    assert b.look(Cart())\n\n\
                             def test_plain():\n    assert b.look({})\n\ndef test_none():\n    pass\n",
        ),
    ];
    assert_eq!(python(&files, "self.items[x]", "self.items[0]"), ["test_cart"]);
    assert_eq!(python(&files, "len(self.items)", "0"), ["test_cart"]);
}

#[test]
fn code_that_runs_at_import_selects_all_that_import_it() {
    let files = [
        (
            "reg.py",
            "ALL = {}\n\ndef register(name):\n    def add(f):\n        ALL[name] = f\n        return f\n    return add\n",
        ),
        ("plug.py", "import reg\n\n@reg.register('x')\ndef plugin():\n    return 1\n"),
        (
            "tests/test_reg.py",
            "import reg, plug\n\ndef test_x():\n    assert reg.ALL['x']()\n\ndef test_none():\n    pass\n",
        ),
        ("tests/test_no.py", "def test_y():\n    pass\n\ndef test_z():\n    pass\n"),
    ];
    assert_eq!(python(&files, "ALL[name] = f", "ALL[name] = None"), ["tests/test_reg.py"]);
    let found = python(&files, "return 1", "return 2");
    assert!(found == ["tests/test_reg.py"] || found == ["test_x"], "{found:?}");
}

#[test]
fn names_that_are_made_at_run_time_count() {
    let files = [
        (
            "visit.py",
            "class Visitor:\n    def visit(self, kind):\n        return getattr(self, 'visit_' + kind)()\n\n    \
                      def visit_a(self):\n        return 1\n\n    def visit_b(self):\n        return self.visit_a()\n",
        ),
        (
            "tests/test_v.py",
            "from visit import Visitor\n\ndef test_v():\n    assert Visitor().visit('b')\n\n\
                             def test_none():\n    pass\n",
        ),
    ];
    assert_eq!(python(&files, "return 1", "return 2"), ["test_v"]);
}

#[test]
fn fixtures_and_inherited_tests_are_followed() {
    let files = [
        ("conn.py", "def connect():\n    return 1\n"),
        (
            "tests/conftest.py",
            "import pytest\nfrom conn import connect\n\n@pytest.fixture\ndef db():\n    return connect()\n",
        ),
        (
            "tests/base.py",
            "class Checks:\n    make = None\n\n    def test_it(self):\n        assert self.make() == 1\n",
        ),
        (
            "tests/test_db.py",
            "from base import Checks\n\ndef test_db(db):\n    assert db\n\nclass TestSub(Checks):\n    \
                              make = dict\n\ndef test_none():\n    pass\n",
        ),
    ];
    assert_eq!(python(&files, "return 1", "return 2"), ["test_db"]);
    let found = python(&files, "self.make() == 1", "self.make() == 2");
    assert!(
        found.contains(&"TestSub".to_owned()) && !found.contains(&"test_db".to_owned()),
        "{found:?}"
    );
}

#[test]
fn tests_of_a_mixin_are_seen_through_the_class_that_configures_it() {
    let files = [
        ("func.py", "def lru():\n    return 1\n\ndef rr():\n    return 2\n"),
        ("tests/mixin.py", "class Checks:\n    def test_it(self):\n        assert self.make()\n"),
        (
            "tests/test_func.py",
            "import func\nfrom mixin import Checks\n\nclass TestLru(Checks):\n    make = func.lru\n\n\
             class TestRr(Checks):\n    make = func.rr\n\ndef test_none():\n    pass\n",
        ),
    ];
    assert_eq!(python(&files, "return 1", "return 3"), ["TestLru"]);
}

#[test]
fn rust_tests_are_found_by_their_attributes() {
    let files = [
        (
            "src/lib.rs",
            "use std::fmt;\npub struct Money(u32);\nimpl fmt::Display for Money {\n    fn fmt(&self, f: &mut \
                        fmt::Formatter) -> fmt::Result { write!(f, \"{}\", self.0) }\n}\npub fn zero() -> Money { Money(0) }\n\
                        pub fn other() -> u32 { 1 }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    \
                        fn shows() { assert_eq!(zero().to_string(), \"0\"); }\n\n    #[test]\n    fn counts() { \
                        assert_eq!(other(), 1); }\n\n    fn helper() {}\n}\n",
        ),
        ("tests/it.rs", "#[test]\nfn through() { assert!(x::other() > 0); }\n"),
    ];
    let rust = |from: &str, to: &str| selected(Style::Rust, &files, from, to);
    assert_eq!(rust("self.0)", "1)"), ["tests.shows"]);
    assert_eq!(rust("-> u32 { 1 }", "-> u32 { 2 }"), ["tests.counts", "through"]);
    assert!(rust("fn helper() {}", "fn helper() { let _ = 1; }").is_empty());
}

#[test]
fn tests_that_a_macro_makes_run_with_all_others() {
    let files = [(
        "src/lib.rs",
        "fn one() -> u32 { 1 }\nfn two() -> u32 { 2 }\n#[cfg(test)]\nmod tests {\n    macro_rules! t {\n        \
         ($n:ident, $v:expr) => { #[test] fn $n() { assert_eq!(super::one(), $v); } };\n    }\n    t!(a, 1);\n\n    \
         #[test]\n    fn b() { assert_eq!(super::two(), 2); }\n}\n",
    )];
    assert_eq!(selected(Style::Rust, &files, "{ 1 }", "{ 3 }"), ["all"]);
    assert_eq!(selected(Style::Rust, &files, "{ 2 }", "{ 3 }"), ["tests.b"]);
}

#[test]
fn javascript_selects_test_files() {
    let files = [
        (
            "src/add.js",
            "export function add(a, b) {\n  return a + b\n}\nexport default function (x) { return x }\n",
        ),
        (
            "src/use.js",
            "import { add as plus } from './add.js'\nexport const three = () => plus(1, 2)\n",
        ),
        (
            "test/use.test.js",
            "import { three } from '../src/use.js'\ntest('three', () => { three() })\n",
        ),
        ("test/no.test.js", "test('nothing', () => {})\n"),
    ];
    let found = selected(Style::Script, &files, "a + b", "a - b");
    assert_eq!(found, ["test/use.test.js"]);
}
