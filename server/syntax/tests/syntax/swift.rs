use expect_test::expect;

use crate::snapshot::{folds, highlights, outline, well_indented};

pub(crate) const SOURCE: &str = r#"import Foundation
// Of it.
@objc public final class User: Base {
    let id: Int = 1
    private var name: String { "a \(id)\n" }
    init(id: Int, as name: String) {
        self.name = name
    }
    func run(_ x: Int) throws -> [String]? {
        guard let y = try? f(x) else {
            return nil
        }
        return items.map { item in
            item.name
        }
    }
}
enum Kind {
    case on(Int), off
}
protocol P {
    var a: Int { get }
    func b()
}
extension User: P {}
typealias T = Int
"#;

#[test]
fn outline_items() {
    expect![[r#"
        class User
          property id Int
          property name String
          constructor init
          method run
        enum Kind
          enum_member on (Int)
          enum_member off
        interface P
          property a Int
          method b
        impl extension User
        type T
    "#]]
    .assert_eq(&outline("swift", SOURCE));
}

#[test]
fn highlight_classes() {
    expect![[r#"
        attribute: @ objc
        comment: // Of it.
        constant.builtin: nil
        constant.member: on off
        escape: \( \n
        function: run f
        function.method: map b
        keyword: import public final class let private var init func throws guard let try else return return in enum case protocol var get func extension typealias
        label: as _
        namespace: Foundation
        number: 1
        operator: = = -> ? = ? =
        property: id name name name a
        string: "a  "
        type: Base User P T
        type.builtin: Int String Int String Int String Int Int Int
        type.class: User
        type.enum: Kind
        type.interface: P
        variable: id name y x items item
        variable.builtin: self
        variable.parameter: id name x item
    "#]].assert_eq(&highlights("swift", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["3-16 Code, 6-7 Code, 9-15 Code, 10-11 Code, 13-14 Code, 18-19 Code, 21-23 Code"]
        .assert_eq(&folds("swift", SOURCE));
}

#[test]
fn bodies_are_indented() {
    well_indented("swift", 4, SOURCE);
}
