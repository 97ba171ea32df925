use expect_test::expect;

use crate::snapshot::{folds, highlights, well_indented};

pub(crate) const SOURCE: &str = r##"package a.b;

import java.util.List;
import static java.lang.Math.max;

/** A box. */
@Entity(name = "x")
public final class Box<T extends Base> extends Thing implements Holder<T> {
    private static final int MOST = 3;
    int size;

    @Override
    public <U> List<? super U> put(final String item, int... rest) throws IOException {
        // One.
        // Two.
        this.size = super.count(Kind.RED, max(1, 2));
        for (var r : rest) {
            if (r > 0) {
                continue;
            } else {
                break;
            }
        }
        switch (size) {
            case 1:
                return new ArrayList<>(MOST);
            default:
                System.out.println("a\n");
        }
        return list.stream()
            .map(x -> {
                return x;
            })
            .toList();
    }

    enum Kind {
        RED,
        BLUE
    }
}
"##;

#[test]
fn identifiers_and_literals_are_highlighted() {
    expect![[r#"
        attribute: @ Entity @ Override
        comment: // One. // Two.
        comment.documentation: /** A box. */
        constant: MOST RED MOST
        constant.member: RED BLUE
        constructor: ArrayList
        escape: \n
        function: max
        function.method: put count max println stream map toList
        keyword: package import import static public final class extends extends implements private static final public final throws for if continue else break switch case return new default return return enum
        namespace: a b java util java lang
        number: 3 1 2 0 1
        operator: = = ? ... = > ->
        property: name size size out
        string: "x" "a "
        type: Math Base Thing Holder T List U String IOException Kind System
        type.builtin: int int int var
        type.class: List Box
        type.enum: Kind
        type.parameter: T U
        variable: r rest r size list x
        variable.builtin: super this super
        variable.parameter: item rest x
    "#]].assert_eq(&highlights("java", SOURCE));
}

#[test]
fn bodies_comments_and_imports_fold() {
    expect!["3-4 Imports, 8-40 Code, 13-34 Code, 14-15 Comment, 17-22 Code, 18-19 Code, 20-21 Code, 24-28 Code, 25-26 Code, 27-28 Code, 31-32 Code, 37-39 Code"].assert_eq(&folds("java", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("java", 4, SOURCE);
}
