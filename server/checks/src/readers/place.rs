//! The place in a stack trace where a test failed.

use std::sync::LazyLock;

use regex::Regex;

/// Folders and packages of code that is not the project's.
const FOREIGN: &[&str] = &[
    "site-packages",
    "node_modules",
    "/lib/python",
    "/vendor/",
    "/usr/lib",
    "/.cargo/",
    "/rustc/",
    "importlib",
    "node:",
    "org.junit",
    "junit.framework",
    "org.opentest4j",
    "org.assertj",
    "org.hamcrest",
    "java.base",
    "java.util",
    "jdk.internal",
];

/// Frames of stack traces, each with whether the last frame is the innermost.
static FRAMES: LazyLock<Vec<(Regex, bool)>> = LazyLock::new(|| {
    let frames = [
        // pytest: `tests/test_a.py:4: in test_b`.
        (r"(?m)^(?P<file>[^\s:][^:\n]*\.py):(?P<line>\d+): ", true),
        // Python: `  File "tests/test_a.py", line 4, in test_b`.
        (r#"(?m)^\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)"#, true),
        // JavaScript: `    at test (/w/a.test.js:2:27)`, `❯ a.test.ts:3:15`, `❯ name a.test.ts:3:15`.
        (
            r"(?m)(?:\bat |\(|❯ (?:[^\s:]+ )?)(?:async )?(?:file://)?(?P<file>[^\s()]+\.[cm]?[jt]sx?):(?P<line>\d+):\d+",
            false,
        ),
        // Java: `	at a.B.c(B.java:12)`.
        (r"(?m)^\s*at [\w.$/]*\((?P<file>\w+\.(?:java|kt|scala|groovy)):(?P<line>\d+)\)", false),
        // C#: `   at A.B() in /w/A.cs:line 12`.
        (r"(?m) in (?P<file>[^\n]+\.(?:cs|fs|vb)):line (?P<line>\d+)", false),
        // PHP, Ruby, C and C++: `/w/tests/A.php:12`, `tests.c:12: failed`.
        (
            r"(?m)^\s*(?:# )?(?P<file>[^\s:]+\.(?:php|rb|c|cc|cpp|cxx|h|hpp|exs?)):(?P<line>\d+)(?::|$)",
            false,
        ),
        // assert.h: `tests: tests.c:12: main: Assertion`.
        (r"(?m): (?P<file>[^\s:]+\.(?:c|cc|cpp|cxx|h|hpp)):(?P<line>\d+): ", false),
    ];
    let compiled = frames.iter().filter_map(|(frame, last)| Some((Regex::new(frame).ok()?, *last)));
    compiled.collect()
});

/// The innermost frame of a stack trace that is of the project.
pub(super) fn place(trace: &str) -> Option<(String, u32)> {
    for (frame, last) in FRAMES.iter() {
        let frames = frame.captures_iter(trace).filter_map(|captures| {
            let whole = captures.get(0)?.as_str();
            if FOREIGN.iter().any(|code| whole.contains(code)) {
                return None;
            }
            let file = captures.name("file")?.as_str().to_owned();
            Some((file, captures.name("line")?.as_str().parse().ok()?))
        });
        let mut own = frames;
        let found = if *last { own.last() } else { own.next() };
        if found.is_some() {
            return found;
        }
    }
    None
}
