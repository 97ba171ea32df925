//! C and C++: what the preprocessor reads, and what other files see of it.

use crate::fixture::{check, check_references};

#[test]
fn what_only_another_system_defines_is_never_meant() {
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
fn code_for_another_system_means_its_own() {
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
fn a_switch_of_the_project_hides_nothing() {
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
fn the_branch_that_another_files_macros_choose() {
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
fn what_systems_have_is_taken_for_there() {
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
fn a_macro_that_is_only_defined_where_it_is_missing() {
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
