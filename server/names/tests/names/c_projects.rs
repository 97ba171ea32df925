//! C and C++: includes by compilation databases.

use crate::fixture::check;

#[test]
fn every_file_has_its_own_includes() {
    check(
        r#"
//- /compile_commands.json
[{"directory": "/home/me/p", "file": "one/a.c", "arguments": ["cc", "-I", "first", "-c", "one/a.c"]},
 {"directory": "/home/me/p", "file": "two/b.c", "command": "cc -Isecond -DX=\"a b\" -c two/b.c"}]
//- /first/config.h
int size;
//- /second/config.h
int size;
    ^^^^
//- /one/a.c
#include "config.h"
//- /two/b.c
#include "config.h"
int f(void) { return si$0ze; }
"#,
    );
}

#[test]
fn absolute_folders_and_quoted_words() {
    check(
        r#"
//- /build/compile_commands.json
[{"directory": "/home/me/my p/build", "file": "../src/a.c",
  "command": "cc -isystem '/home/me/my p/include dir' -I/usr/include -c ../src/a.c"}]
//- /include dir/a.h
int size;
    ^^^^
//- /other/a.h
int size;
//- /src/a.c
#include <a.h>
int f(void) { return si$0ze; }
"#,
    );
}

#[test]
fn forced_includes_come_without_a_line() {
    check(
        r#"
//- /compile_commands.json
[{"directory": "/p", "file": "a.c", "arguments": ["cc", "-include", "config.h", "-Iinclude", "-c", "a.c"]}]
//- /include/config.h
#define LIMIT 1
        ^^^^^
//- /other.h
#define LIMIT 2
//- /a.c
int f(void) { return LI$0MIT; }
"#,
    );
}

#[test]
fn flags_for_all_files() {
    check(
        r"
//- /compile_flags.txt
-Wall
-I
second
//- /first/config.h
int size;
//- /second/config.h
int size;
    ^^^^
//- /two/b.c
#include <config.h>
int f(void) { return si$0ze; }
",
    );
}

#[test]
fn invalid_databases_are_ignored() {
    check(
        r#"
//- /compile_commands.json
[{"directory": 1, "file": "a.c"}, {"file": "/x/../../..", "command": "cc -I"}, 7, {"arguments": {}}]
//- /a.h
int size;
    ^^^^
//- /a.c
#include "a.h"
int f(void) { return si$0ze; }
"#,
    );
}

#[test]
fn headers_that_are_reached_in_thousands_of_ways() {
    use std::fmt::Write;
    // Each header of a layer includes all of the next one: 6^8 paths to the last, after which the
    // file's own header comes.
    let mut files = String::new();
    for layer in 0..8 {
        for header in 0..6 {
            let _ = writeln!(files, "//- /l{layer}_{header}.h\n#pragma once");
            for next in 0..6 {
                let _ = writeln!(files, "#include \"l{}_{next}.h\"", layer + 1);
            }
            let _ = writeln!(files, "int in_{layer}_{header};");
        }
    }
    check(&format!(
        r#"{files}
//- /own.h
static inline int wanted(void) {{ return 1; }}
                  ^^^^^^
//- /other.h
static inline int wanted(void) {{ return 2; }}
//- /main.c
#include "l0_0.h"
#include "l0_1.h"
#include "own.h"
int main(void) {{ return wan$0ted(); }}
"#
    ));
}

#[test]
fn a_chain_of_fifty_headers() {
    use std::fmt::Write;
    let mut files = String::new();
    for n in 0..50 {
        let _ = writeln!(files, "//- /h{n}.h\n#include \"h{}.h\"", n + 1);
    }
    check(&format!(
        r#"{files}
//- /h50.h
static int last;
           ^^^^
//- /other.h
static int last;
//- /main.c
#include "h0.h"
int f(void) {{ return la$0st; }}
"#
    ));
}
#[test]
fn a_macro_defined_as_zero_is_false() {
    check(
        r#"
//- /core.h
#ifdef __ICL
#  define ICC __ICL
#else
#  define ICC 0
#endif
#ifndef USE
#  if (HAS_FEATURE(cxx_relaxed_constexpr) || MSC >= 1912) && \
      !ICC
#    define USE 1
#  else
#    define USE 0
#  endif
#endif
#if USE
#  define CONSTEXPR constexpr
          ^^^^^^^^^
#else
#  define CONSTEXPR
#endif
//- /a.cc
#include "core.h"
struct P { CONST$0EXPR void init(int x) {} };
"#,
    );
}

#[test]
fn a_name_that_hundreds_of_files_define() {
    use std::fmt::Write;
    let mut files = String::new();
    for n in 0..450 {
        let _ = writeln!(files, "//- /other{n}.c\nstatic int flags;");
    }
    check(&format!(
        r#"{files}
//- /own.h
static int flags;
           ^^^^^
//- /main.c
#include "own.h"
int f(void) {{ return fl$0ags; }}
"#
    ));
}
