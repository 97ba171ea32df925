//! C and C++: includes, declarations and bodies, tags, macros, namespaces, members.

use crate::fixture::{check, check_references};

#[test]
fn a_prototype_resolves_to_the_body() {
    check(
        "
//- /a.h
int run(int x);
//- /a.c
#include \"a.h\"
int run(int x) { return x; }
    ^^^
//- /main.c
#include \"a.h\"
int main(void) { return ru$0n(1); }
",
    );
}

#[test]
fn a_static_function_of_another_file_is_not_visible() {
    check(
        "
//- /a.c
static int run(int x) { return x; }
//- /main.c
int main(void) { return ru$0n(1); }
",
    );
}

#[test]
fn members_through_typedefs_and_pointers() {
    check(
        "
//- /a.h
typedef struct node node_t;
struct node { struct node *next; int value; };
                                     ^^^^^
//- /a.c
#include \"a.h\"
int f(node_t *n) { return n->next->val$0ue; }
",
    );
}

#[test]
fn the_active_branch_is_used() {
    check(
        "
//- /a.c
#ifdef _WIN32
#define SEP 1
#else
#define SEP 2
        ^^^
#endif
int x = SE$0P;
",
    );
}

#[test]
fn macros_that_the_grammar_does_not_know() {
    check(
        "
//- /a.h
#define API
class API Value {
 public:
  int size() const API;
};
//- /a.cc
#include \"a.h\"
int Value::size() const { return 1; }
           ^^^^
int f(Value& v) { return v.si$0ze(); }
",
    );
}

#[test]
fn macros_that_declare_fields() {
    check(
        "
//- /a.c
#define BASE int type; void* data;
                 ^^^^
struct s { BASE };
int f(struct s *x) { return x->ty$0pe; }
",
    );
}

#[test]
fn namespaces_over_files_and_inherited_members() {
    check(
        "
//- /a.h
namespace ns { class Base { protected: int count_; }; }
                                           ^^^^^^
//- /b.h
#include \"a.h\"
namespace ns { class Child : public Base { int f(); }; }
//- /b.cc
#include \"b.h\"
namespace ns { int Child::f() { return cou$0nt_; } }
",
    );
}

#[test]
fn references_pair_declaration_and_body() {
    check_references(
        "
//- /a.h
int run(int x);
    ^^^
//- /a.c
#include \"a.h\"
int run(int x) { return x; }
    ^^^
//- /main.c
#include \"a.h\"
int main(void) { return ru$0n(1); }
                        ^^^
",
    );
}

#[test]
fn nested_namespaces_in_one_line() {
    check(
        "
//- /a.cc
namespace a::b { int f(); }
                     ^
int g() { return a::b::$0f(); }
",
    );
}

#[test]
fn element_types_of_containers() {
    check(
        "
//- /a.cc
struct Row { int width; };
                 ^^^^^
struct T { std::vector<Row> rows; std::unique_ptr<Row> one; };
int f(T& t) { return t.rows[0].wid$0th; }
",
    );
}
