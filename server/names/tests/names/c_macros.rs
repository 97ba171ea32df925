//! C and C++: what macros make of declarations, namespaces and functions.

use crate::fixture::{check, check_references};

#[test]
fn a_namespace_opened_by_a_macro_of_another_file() {
    check(
        "
//- /config.h
#define LIB_BEGIN_NAMESPACE namespace lib { inline namespace v1 {
#define LIB_END_NAMESPACE } }
//- /a.hpp
#include \"config.h\"
LIB_BEGIN_NAMESPACE
namespace detail { struct Row { int size; }; }
                          ^^^
LIB_END_NAMESPACE
//- /a.cc
#include \"a.hpp\"
int f(lib::detail::R$0ow *row) { return 0; }
",
    );
}

#[test]
fn a_macro_namespace_sees_additions_of_another_file() {
    check(
        "
//- /config.h
#define LIB_NAMESPACE_OPEN namespace lib { namespace impl {
#define LIB_NAMESPACE_CLOSE } }
//- /a.hpp
#include \"config.h\"
namespace lib { typedef int number; }
                            ^^^^^^
//- /a.cc
#include \"a.hpp\"
LIB_NAMESPACE_OPEN
n$0umber f();
LIB_NAMESPACE_CLOSE
",
    );
}

#[test]
fn a_namespace_is_named_in_its_macro() {
    check(
        "
//- /a.hpp
#define LIB_BEGIN_NAMESPACE namespace lib {
                                      ^^^
#define LIB_END_NAMESPACE }
LIB_BEGIN_NAMESPACE
int f();
LIB_END_NAMESPACE
//- /a.cc
#include \"a.hpp\"
int g() { return li$0b::f(); }
",
    );
}

#[test]
fn a_test_sees_its_own_locals_and_its_fixture() {
    check(
        "
//- /a.cc
class RowTest { protected: int size; };
                               ^^^^
TEST_F(RowTest, HasSize) {
  int own = 1;
  EXPECT_EQ(own, si$0ze);
}
",
    );
    check(
        "
//- /a.cc
namespace ns { int f(int); }
                   ^
TEST(Row, \"has size\") {
  int own = 1;
  EXPECT_EQ(own, ns::$0f(own));
}
",
    );
}

#[test]
fn attributes_before_a_constructor() {
    check(
        "
//- /a.hpp
class Row {
 public:
  LIB_CONSTEXPR LIB_INLINE Row(int size) : size_(si$0ze) {}
                                   ^^^^
  int size_;
};
",
    );
}

#[test]
fn a_field_whose_type_a_macro_makes() {
    check(
        "
//- /a.c
struct row { LIST_ENTRY(row) next; int size; };
                             ^^^^
int f(struct row *r) { return r->ne$0xt.le_next == 0; }
",
    );
}

#[test]
fn a_type_and_its_member_given_to_a_macro() {
    check_references(
        "
//- /a.c
struct row { int head; int size; };
                           ^^^^
int f(struct row *r) { return UPCAST(r, struct row, size) + r->si$0ze; }
                                                    ^^^^       ^^^^
",
    );
}

#[test]
fn macros_alone_before_those_of_a_namespace() {
    check(
        r#"
//- /core.h
#define LIB_BEGIN_NAMESPACE \
  namespace lib {           \
  inline namespace v1 {
#define LIB_END_NAMESPACE \
  }                       \
  }
#define LIB_INLINE inline __attribute__((always_inline))
#define LIB_BEGIN_EXPORT
#define LIB_END_EXPORT
#define PRAGMA(text) _Pragma(text)
//- /file.h
#include "core.h"
PRAGMA("push")
#ifdef DEBUG
PRAGMA("none")
#endif
LIB_BEGIN_NAMESPACE
LIB_BEGIN_EXPORT
constexpr LIB_INLINE auto size() -> int { return 1; }
class file {};
      ^^^^
LIB_END_EXPORT
PRAGMA("pop")
LIB_END_NAMESPACE
class file {};
//- /main.cc
#include "file.h"
lib::fi$0le f;
"#,
    );
    check(
        r#"
//- /file.h
#define LIB_BEGIN_NAMESPACE namespace lib {
#define LIB_END_NAMESPACE }
#define LIB_INLINE inline __attribute__((always_inline))
LIB_BEGIN_NAMESPACE
LIB_INLINE int size() { return 1; }
class file {};
      ^^^^
LIB_END_EXPORT
LIB_END_NAMESPACE
//- /main.cc
#include "file.h"
lib::fi$0le f;
"#,
    );
}

#[test]
fn a_macro_among_the_parameters_of_a_template() {
    check(
        r#"
//- /a.h
#define ENABLE_IF(...) enable_if_t<(__VA_ARGS__), int> = 0
struct is_text {};
       ^^^^^^^
template <typename T, typename U = plain<T>,
          ENABLE_IF((std::is_class<U>::value || std::is_enum<U>::value) &&
                    !is_te$0xt<U>::value)>
auto map(T& val) -> int { return do_map(val); }
"#,
    );
    check(
        r#"
//- /a.h
namespace lib {
template <bool PACKED, typename T, ENABLE_IF(PACKED)>
auto make(T& val) -> value<T> {
  return {arg<T>().map(val)};
}
template <ENABLE_IF(1), typename T> struct after {};
                                           ^^^^^
}
//- /b.cc
#include "a.h"
lib::aft$0er a;
"#,
    );
}

#[test]
fn a_test_that_is_the_last_of_its_namespace() {
    check(
        r#"
//- /status.h
namespace rocks { class Status {}; }
                        ^^^^^^
//- /a.cc
#include "status.h"
namespace rocks {
class Fixture : public testing::Test {
  Sta$0tus open() { return Status(); }
};
TEST_P(Fixture, opens) {
  open();
}
}
"#,
    );
}
