use expect_test::expect;

use crate::snapshot::{folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r#"syntax = "proto3";
package a.b;
import "c/d.proto";
// Of it.
message User {
  string name = 1 [deprecated = true];
  map<string, int32> counts = 2;
  oneof kind {
    Other other = 3;
  }
  enum Color {
    RED = 0;
  }
}
service Users {
  rpc Get (User) returns (stream User) {
    option (google.api.http) = {
      get: "/v1"
    };
  }
}
"#;

#[test]
fn outline_items() {
    expect![[r#"
        namespace a.b
        struct User
          field name string
          field counts
          struct kind
            field other Other
          enum Color
            enum_member RED
        interface Users
          method Get
    "#]]
    .assert_eq(&outline("proto", SOURCE));
}

#[test]
fn highlight_classes() {
    expect![[r#"
        attribute: deprecated google api http
        boolean: true
        comment: // Of it.
        constant.member: RED
        function.method: Get
        keyword: syntax package import message map oneof enum service rpc returns stream option
        namespace: a b
        number: 1 2 3 0
        operator: = = = = = = =
        property: name counts kind other get
        string: "proto3" "c/d.proto" "/v1"
        type: Other User User
        type.builtin: string string int32
        type.enum: Color
        type.interface: Users
        type.struct: User
    "#]]
    .assert_eq(&highlights("proto", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["5-13 Code, 8-9 Code, 11-12 Code, 15-20 Code, 16-19 Code, 17-18 Code"]
        .assert_eq(&folds("proto", SOURCE));
}

#[test]
fn bodies_are_indented() {
    well_indented("proto", 2, SOURCE);
}

#[test]
fn files_are_linked() {
    assert_eq!(links("proto", SOURCE), ["c/d.proto"]);
}
