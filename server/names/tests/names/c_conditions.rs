//! C and C++: preprocessor conditions.

use crate::fixture::{check, check_references};

#[test]
fn definitions_for_another_platform_are_ignored() {
    check(
        "
//- /compat.h
#ifdef _WIN32
int snprintf(char *s, int n);
#endif
//- /a.c
#include \"compat.h\"
int f(char *s) { return snpr$0intf(s, 1); }
",
    );
}

#[test]
fn code_for_another_platform_resolves_within_it() {
    check(
        "
//- /compat.h
#ifdef _WIN32
int os_close(int fd);
    ^^^^^^^^
#endif
//- /a.c
#include \"compat.h\"
#ifdef _WIN32
int f(int fd) { return os_cl$0ose(fd); }
#endif
",
    );
}

#[test]
fn project_defined_macros_keep_both_branches() {
    check(
        "
//- /a.h
#if HAVE_IT && !defined(WITHOUT_IT)
int it(void);
    ^^
#endif
//- /a.c
#include \"a.h\"
int f(void) { return i$0t(); }
",
    );
}

#[test]
fn a_static_function_of_a_header_is_used_elsewhere() {
    check_references(
        "
//- /a.h
static inline int once(int x) { return x; }
                  ^^^^
//- /a.c
#include \"a.h\"
int f(void) { return on$0ce(1); }
                     ^^^^
//- /b.c
#include \"a.h\"
int g(void) { return once(2); }
                     ^^^^
",
    );
}

#[test]
fn a_macro_belongs_to_no_namespace() {
    check(
        "
//- /a.h
namespace ns {
#define TWICE(x) ((x) * 2)
        ^^^^^
}
//- /a.cc
#include \"a.h\"
int f() { return TW$0ICE(1); }
",
    );
}

#[test]
fn a_branch_is_chosen_by_macros_of_another_file() {
    check(
        "
//- /config.h
#define SIZE 4
//- /a.h
#include \"config.h\"
#if SIZE == 8
#define WORD long
#elif SIZE == 4
#define WORD int
        ^^^^
#else
#define WORD char
#endif
//- /a.c
#include \"a.h\"
WO$0RD w;
",
    );
}

#[test]
fn platform_features_are_assumed_present() {
    check(
        "
//- /a.h
#ifdef HAVE_BUILTIN_EXPECT
#define LIKELY(x) __builtin_expect(!!(x), 1)
        ^^^^^^
#else
#define LIKELY(x) (x)
#endif
//- /a.c
#include \"a.h\"
int f(int x) { return LIK$0ELY(x); }
",
    );
}

#[test]
fn a_macro_defined_only_as_a_fallback() {
    check(
        "
//- /a.h
#if defined(__linux__) || defined(_WIN32)
#define HAS_SOCKETS_ 1
#endif
#ifndef THROW
#if HAS_SOCKETS_ && !defined(_MSC_VER)
#define THROW(x) throw x
        ^^^^^
#else
#define THROW(x) abort()
#endif
#endif
//- /a.cc
#include \"a.h\"
void f() { TH$0ROW(1); }
",
    );
}
