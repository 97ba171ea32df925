//! Completion: members of library types, candidates that need an import.

use std::sync::atomic::AtomicBool;

use names::{CompletionRequest, FileId};
use syntax::{Language, Syntax};
use text::Text;

use crate::fixture::fixture;

/// The candidates at `$0`, the best first.
fn completed(path: &str, text: &str) -> Vec<String> {
    completed_in(&format!("//- /{path}\n{text}\n"))
}

/// The same in the first of several files.
fn completed_in(files: &str) -> Vec<String> {
    let it = fixture(files);
    let (source, at) = (&it.sources[0], it.cursor.1);
    let name = it.paths[0].rsplit('/').next().expect("a name");
    let language = Language::detect(name, "").expect("a language");
    let (whole, go) = (Text::new(source), AtomicBool::new(false));
    let finished = Syntax::finish_line(language, &whole, at, "zzHere", None, &mut || false)
        .expect("a finished line");
    let facts = names::Facts::lower(&finished.syntax, &go).expect("facts");
    let start = source[..at].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |n| n + 1);
    let line = source[..start].rfind('\n').map_or(0, |n| n + 1);
    let typing = CompletionRequest {
        file: FileId(0),
        facts: &facts,
        text: finished.syntax.text(),
        offset: at,
        prefix: &source[start..at],
        before: &source[line..start],
        preceding: source[..line].trim_end().chars().next_back(),
        rest: finished.rest,
        allow_words: true,
        element: None,
    };
    let found = it.index.complete(&typing, 200);
    found.candidates.into_iter().map(|c| c.signature.map_or(c.name, str::to_owned)).collect()
}

#[track_caller]
fn check(path: &str, text: &str, expected: &str) {
    let found = completed(path, text);
    assert!(found.iter().any(|f| f == expected), "{expected}: {found:?}");
}

#[test]
fn php() {
    let class = "<?php\nclass User { public $email; const LIMIT = 1; function name() {} static function make() {} }\n";
    check("a.php", &format!("{class}function f(User $user) {{\n    $user->na$0"), "name");
    check("a.php", &format!("{class}function f(User $user) {{\n    $user->em$0"), "email");
    check("a.php", &format!("{class}User::ma$0"), "make");
    check("a.php", &format!("{class}User::LI$0"), "LIMIT");
    check("a.php", &format!("{class}$total = 1;\n$to$0"), "total");
    check("a.php", &format!("{class}new Us$0"), "User");
    let found = completed_in(
        "//- /a.php\n<?php\nnamespace App;\nhel$0\n//- /b.php\n<?php\nnamespace App;\nfunction helper() {}\n",
    );
    assert!(found.iter().any(|name| name == "helper"), "{found:?}");
}

#[test]
fn kotlin() {
    let class = "class User(val email: String) {\n  fun name() = 1\n  companion object {\n    fun make() = 1\n  }\n}\n";
    check("a.kt", &format!("{class}fun f(user: User) {{\n    user.na$0\n}}"), "name");
    check("a.kt", &format!("{class}fun f(user: User) {{\n    user.em$0\n}}"), "email");
    check(
        "a.kt",
        &format!("{class}fun f(user: User) {{\n    user?.let {{\n        it.em$0\n    }}\n}}"),
        "email",
    );
    check("a.kt", &format!("{class}val u = User.ma$0"), "make");
    check("a.kt", &format!("{class}fun f(total: Int) = to$0"), "total");
    check("a.kt", &format!("{class}val u: Us$0"), "User");
    let found = completed_in(
        "//- /a.kt\npackage app\nval x = hel$0\n//- /b.kt\npackage app\nfun helper() = 1\n",
    );
    assert!(found.iter().any(|name| name == "helper"), "{found:?}");
}

#[test]
fn python() {
    check("a.py", "def f(name: str):\n    name.spl$0", "split(sep=None, maxsplit=-1) -> list[str]");
    check(
        "a.py",
        "def f(name: str):\n    for w in name.split():\n        w.up$0",
        "upper() -> str",
    );
    check("a.py", "s = {1, 2}\ns.$0", "add(elem) -> None");
    check("a.py", "s = [1]\ns.app$0", "append(object) -> None");
    check("a.py", "d = {'a': 1}\nfor k, v in d.items():\n    k.up$0", "upper() -> str");
    check("a.py", "d = dict()\nd.it$0", "items() -> ItemsView[K, V]");
    check("a.py", "f'{1}'.jo$0", "join(iterable) -> str");
}

#[test]
fn typescript() {
    check("a.ts", "function f(title: string) {\n  title.tr$0\n}", "trim(): string");
    check("a.tsx", "const a = (p: { of: string[] }) => p.of.map(i => i.tri$0);", "trim(): string");
    check("a.ts", "const m = new Map<string, Date>();\nm.get('x')!.getT$0", "getTime(): number");
    check("a.js", "const n = 5;\nn.toF$0", "toFixed(fractionDigits?: number): string");
    check(
        "a.js",
        "[1, 2].fil$0",
        "filter(predicate: (value: T, index: number, array: T[]) => unknown): T[]",
    );
}

#[test]
fn rust() {
    check(
        "a.rs",
        "fn f(name: &str) {\n    name.trim().spl$0\n}",
        "split_once(delimiter: impl Pattern) -> Option<(&str, &str)>",
    );
    check("a.rs", "fn f(v: Vec<u8>) {\n    v.pus$0\n}", "push(value: T)");
    check("a.rs", "fn f(v: Option<String>) {\n    v.unwrap().tri$0\n}", "trim() -> &str");
}

#[test]
fn java() {
    let import = "import java.util.*;\nclass A {\n  void f(List<String> names) {\n";
    check(
        "A.java",
        &format!("{import}    for (String n : names) {{\n      n.sub$0\n    }}\n  }}\n}}"),
        "substring(int beginIndex, int endIndex): String",
    );
    check("A.java", &format!("{import}    names.ad$0\n  }}\n}}"), "add(T e): boolean");
    check("A.java", &format!("{import}    names.get(0).tri$0\n  }}\n}}"), "trim(): String");
}

/// A project type of the same name is not the library type.
#[test]
fn project_types_shadow_library_types() {
    let found = completed("a.ts", "class Map { own = 1 }\nconst m = new Map();\nm.$0");
    assert_eq!(found, ["own"]);
}

/// No ranking feature distinguishes them.
#[test]
fn equal_candidates_are_sorted_by_name() {
    let found = completed("a.py", "s = {1, 2}\ns.$0");
    assert_eq!(&found[..2], ["add(elem) -> None", "clear() -> None"]);
}

#[test]
fn definitions_of_tests_come_last() {
    let others = "//- /tests/helpers.py\ndef request_handler_of_all(): pass\n\n//- /app/real.py\ndef requested(): pass\n";
    let found = completed_in(&format!("//- /app/a.py\nreques$0\n{others}"));
    assert_eq!(found, ["requested", "request_handler_of_all"]);
    let found = completed_in(&format!("//- /tests/test_a.py\nreques$0\n{others}"));
    assert_eq!(found, ["request_handler_of_all", "requested"]);
}
