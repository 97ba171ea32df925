use expect_test::expect;

use crate::snapshot::{folds, highlights, well_indented};

pub(crate) const SOURCE: &str = r##"#include <stdio.h>
#include "own.h"

#define MOST(a, b) ((a) > (b) ? (a) : (b))
#ifdef DEBUG
#endif

/** A box. */
typedef struct box {
    int size;
    struct box *next[3];
} box_t;

enum kind {
    RED,
    BLUE = 1 << 2,
};

static const char *
put(box_t *b, unsigned long n,
    int (*call)(void))
{
    // One.
    // Two.
    if (b->size == NULL) {
        printf("a %d\n", 'c');
    } else if (n)
        goto end;
    else
        n++;
    switch (n) {
        case 0x1F:
            break;
        default: {
            return call();
        }
    }
    do {
        n--;
    } while (n > 0);
    {
        n = 1;
    }
#ifdef DEBUG
    MOST(1, 2);
#endif
end:
    return 0;
}
"##;

#[test]
fn identifiers_and_literals_are_highlighted() {
    expect![[r#"
        comment: // One. // Two.
        comment.documentation: /** A box. */
        constant: DEBUG DEBUG
        constant.builtin: NULL
        constant.member: RED BLUE
        escape: \n
        function: put printf call
        function.macro: MOST MOST
        keyword: #include #include #define #ifdef #endif typedef struct struct enum static const if else if goto else switch case break default return do while #ifdef #endif return
        label: end end
        number: 3 1 2 0x1F 0 1 1 2 0
        operator: > ? * = << * * * -> == ++ -- > =
        property: size next size
        string: "a %d " 'c'
        string.special: <stdio.h> "own.h"
        type: box_t box_t
        type.builtin: int char unsigned   long int void
        type.enum: kind
        type.struct: box box
        variable: a b a b call b n n n n n n
        variable.parameter: a b b n
    "#]].assert_eq(&highlights("c", SOURCE));
}

#[test]
fn bodies_comments_and_imports_fold() {
    expect!["1-2 Imports, 5-6 Code, 9-11 Code, 14-16 Code, 20-21 Code, 22-48 Code, 23-24 Comment, 25-26 Code, 31-36 Code, 32-33 Code, 34-35 Code, 38-39 Code, 41-42 Code, 44-46 Code"].assert_eq(&folds("c", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("c", 4, SOURCE);
}
