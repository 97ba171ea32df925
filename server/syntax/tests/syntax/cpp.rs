use expect_test::expect;

use crate::snapshot::{class_of, folds, highlights, well_indented};

pub(crate) const SOURCE: &str = r##"#include <vector>

namespace deep::down {
template <typename T, int N = 3> class Box final : public Base<T> {
public:
    explicit Box(const T &item) : size_(item) {}
    virtual ~Box() override = default;
    bool operator==(const Box &other) const noexcept {
        return this->size_ == other.size_;
    }

private:
    std::vector<int> size_;
};
} // namespace deep::down

enum class Kind : uint8_t {
    Red,
    Blue,
};

auto Box::put(std::string_view item, int &&rest)
    -> int {
    for (auto &x : list) {
        std::sort(x.begin(), x.end());
    }
    auto add = [&, n](int z) mutable {
        return static_cast<int>(z) + 1.5f;
    };
    try {
        throw std::runtime_error("a\n");
    } catch (const Error &e) {
        delete e;
    }
    return co_await Box<int>::make(true, nullptr);
}
"##;

#[test]
fn identifiers_and_literals_are_highlighted() {
    expect![[r#"
        boolean: true
        comment: // namespace deep::down
        constant.builtin: nullptr
        constant.member: Red Blue
        constructor: Box
        escape: \n
        function: Box sort runtime_error make
        function.method: put begin end
        keyword: #include namespace template typename class final public public explicit const virtual override default operator const const noexcept return private enum class for mutable return static_cast try throw catch const delete return co_await
        namespace: deep down std std std std
        number: 3 1.5f
        operator: = & ~ = == & -> == && -> & = & + &
        property: size_ size_ size_ size_
        string: "a "
        string.special: <vector>
        type: Base T T Box vector Box string_view Error Box
        type.builtin: int bool int uint8_t auto int int auto auto int int int
        type.class: Box
        type.enum: Kind
        type.parameter: T
        variable: item other x list x x add n z e
        variable.builtin: this
        variable.parameter: N item other item rest z e
    "#]].assert_eq(&highlights("cpp", SOURCE));
}

#[test]
fn bodies_comments_and_imports_fold() {
    expect!["3-14 Code, 4-13 Code, 8-9 Code, 17-19 Code, 23-35 Code, 24-25 Code, 27-28 Code, 30-31 Code, 32-33 Code"].assert_eq(&folds("cpp", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("cpp", 4, SOURCE);
}

#[test]
fn the_delimiter_of_a_raw_string_names_its_language() {
    let source = "auto q = R\"regex(a+)regex\";\n";
    assert_eq!(class_of("cpp", source, "+"), "operator");
}
