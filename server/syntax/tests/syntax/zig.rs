use expect_test::expect;

use crate::snapshot::{folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r#"const std = @import("std");
/// Of it.
pub const User = struct {
    id: u32 = 0x1f,
    const limit = 3;

    pub fn run(self: *User, x: ?u8) !void {
        if (x) |y| {
            try std.debug.print("a {d}\n", .{y});
        } else {
            return error.Missing;
        }
        switch (self.id) {
            1 => {},
            else => unreachable,
        }
    }
};
const Kind = enum { on, off };
test "works" {}
"#;

#[test]
fn outline_items() {
    expect![[r#"
        constant std
        struct User
          field id u32
          constant limit
          method run (self: *User, x: ?u8)
        enum Kind
          enum_member on
          enum_member off
        function test "works"
    "#]]
    .assert_eq(&outline("zig", SOURCE));
}

#[test]
fn highlight_classes() {
    expect![[r#"
        comment.documentation: /// Of it.
        constant.builtin: unreachable
        constant.member: Missing on off
        escape: \n
        function: run
        function.method: print
        keyword: const @import pub const struct const pub fn if try else return error switch else const enum test
        number: 0x1f 3 1
        operator: = = = = * ? ! => => =
        property: id debug id
        string: "std" "a {d} " "works"
        type: User
        type.builtin: u32 u8 void
        type.enum: Kind
        type.struct: User
        variable: std limit x std y self
        variable.parameter: self x y
    "#]].assert_eq(&highlights("zig", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["3-17 Code, 7-16 Code, 8-9 Code, 10-11 Code, 13-15 Code"]
        .assert_eq(&folds("zig", SOURCE));
}

#[test]
fn bodies_are_indented() {
    well_indented("zig", 4, SOURCE);
}

#[test]
fn files_are_linked() {
    assert_eq!(links("zig", SOURCE), ["std"]);
}
