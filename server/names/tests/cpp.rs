//! C++: namespaces over files, constructors and destructors, templates.

mod fixture;

use fixture::{check, check_references};

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
fn from_the_outermost_scope_on() {
    check(
        "
//- /a.cc
namespace ns { int f(); }
                   ^
namespace other { int g() { return ::ns::$0f(); } }
",
    );
}
