//! C++: namespaces over files, constructors and destructors, templates.

use crate::fixture::{check, check_references};

#[test]
fn a_class_is_used_by_its_constructors_and_destructor() {
    check_references(
        "
//- /a.h
class Row { public: Row(int x); ~Row(); };
      ^^^           ^^^          ^^^
//- /a.cc
#include \"a.h\"
Row::Row(int x) {}
^^^  ^^^
Row::~Row() {}
^^^   ^^^
int f() { R$0ow r(1); return 0; }
          ^^^
",
    );
}

#[test]
fn a_template_parameter_is_no_other_templates() {
    check_references(
        "
//- /a.h
template <class T> struct Other { T value; };
//- /a.cc
#include \"a.h\"
template <class T> T same($0T value) { return value; }
                ^  ^      ^
",
    );
}

#[test]
fn a_namespace_is_where_it_is_first_read() {
    check(
        "
//- /a.h
namespace ns { int a(); }
          ^^
//- /a.cc
#include \"a.h\"
namespace ns { int b(); }
int f() { return n$0s::b(); }
",
    );
}

#[test]
fn namespaces_of_one_name_in_different_places_are_different() {
    check(
        "
//- /a.h
namespace one { namespace internal { struct Lock {}; } }
namespace two { namespace internal { struct Lock {}; } }
                                            ^^^^
//- /a.cc
#include \"a.h\"
namespace two { void f() { internal::L$0ock l; } }
",
    );
}

#[test]
fn a_leading_double_colon_starts_at_the_global_scope() {
    check(
        "
//- /a.cc
namespace ns { int f(); }
                   ^
namespace other { int g() { return ::ns::$0f(); } }
",
    );
}

#[test]
fn a_using_directive_sees_all_of_a_namespace() {
    check(
        "
//- /a.h
namespace ns { struct A {}; }
namespace ns { struct B {}; }
                      ^
//- /a.cc
#include \"a.h\"
using namespace ns;
void f() { $0B b; }
",
    );
}

#[test]
fn anonymous_namespaces_and_unions_are_transparent() {
    check(
        "
//- /a.h
namespace ns { namespace { struct { int size; } table[2]; } }
                                        ^^^^
//- /a.cc
#include \"a.h\"
namespace ns { int f(int i) { return table[i].si$0ze; } }
",
    );
}

#[test]
fn a_variable_with_constructor_arguments_is_no_function() {
    check(
        "
//- /a.cc
struct Row { Row(int); int size; };
void f(int count) { Row row(co$0unt); }
           ^^^^^
",
    );
}

#[test]
fn constant_objects_call_constant_methods() {
    check(
        "
//- /a.cc
struct Row { int* at(int i); const int* at(int i) const; };
                                        ^^
void f(const Row& row) { row.a$0t(1); }
",
    );
}

#[test]
fn overloads_by_the_types_of_arguments() {
    check(
        "
//- /a.cc
struct Row { void set(int v); void set(double v); void set(const char* v); };
                                   ^^^
void f(Row& row) { row.s$0et(1.5); }
",
    );
    check(
        "
//- /a.cc
struct Row { void set(int v); void set(bool v); void set(const char* v); };
                                                     ^^^
void f(Row* row) { row->s$0et(\"a\"); }
",
    );
}

#[test]
fn a_default_argument_may_be_left_out() {
    check(
        "
//- /a.h
struct Row { void set(int v, int n = 1); void set(const char* v, int n, int m); };
//- /a.cc
#include \"a.h\"
void Row::set(int v, int n) {}
          ^^^
void Row::set(const char* v, int n, int m) {}
void f(Row& row) { row.s$0et(1); }
",
    );
}

#[test]
fn a_conversion_belongs_to_its_class() {
    check(
        "
//- /a.h
struct Row { operator bool() const; int size_; };
                                        ^^^^^
//- /a.cc
#include \"a.h\"
Row::operator bool() const { return si$0ze_ > 0; }
",
    );
}

#[test]
fn a_test_sees_its_fixture() {
    check(
        "
//- /a.cc
struct Fixture { int size_; };
                     ^^^^^
TEST_F(Fixture, Works) { si$0ze_ = 1; }
",
    );
}
