use expect_test::expect;

use crate::snapshot::{class_of, folds, highlights, well_indented};

pub(crate) const SOURCE: &str = r##"//! A module.
use std::fmt;
use std::io::{self, Read};

/// Says `a`.
#[derive(Debug)]
pub struct Reader<'a, T: Read> {
    inner: &'a mut T,
}

impl<'a, T> Reader<'a, T>
where
    T: Read,
{
    const MOST: usize = 0xff;

    fn all(&mut self, n: u8) -> io::Result<Vec<u8>> {
        // One.
        // Two.
        let kept = self
            .inner
            .bytes()
            .map(|b| {
                b.unwrap()
            })
            .collect();
        println!("{n}\n", other(n));
        if let Some(x) = fmt::one::<u8>(n) {
            return Ok(vec![x]);
        } else if n == 2 {
            {
                None
            }
        }
        match n {
            1..=2 => Self::MOST,
            _ => 'l: loop {
                break 'l;
            },
        }
    }
}
"##;

#[test]
fn identifiers_and_literals_are_highlighted() {
    expect![[r#"
        attribute: # [ derive ]
        comment: // One. // Two.
        comment.documentation: // !  A module.
         // /  Says  .

        constant: MOST MOST
        constructor: Some Ok None
        escape: \n
        function: other one
        function.macro: println ! vec !
        function.method: all bytes map unwrap collect
        keyword: use use self pub struct mut impl where const fn mut let if let return else if match loop break
        label: ' a ' a ' a ' a ' l ' l
        markup.raw: a
        namespace: std std io io fmt
        number: 0xff 2 1 2
        operator: & = & -> = = == ..= => =>
        property: inner inner
        string: "{n} "
        type: Read T Reader T T Result Vec Self
        type.builtin: usize u8 u8 u8
        type.interface: Debug Read Read
        type.parameter: T T
        type.struct: Reader
        variable: fmt kept b n x n x n n
        variable.builtin: self self
        variable.parameter: n b
    "#]].assert_eq(&highlights("rust", SOURCE));
}

#[test]
fn bodies_comments_and_imports_fold() {
    expect!["2-3 Imports, 7-8 Code, 12-13 Code, 14-41 Code, 17-40 Code, 18-19 Comment, 23-24 Code, 28-29 Code, 30-33 Code, 31-32 Code, 35-39 Code, 37-38 Code"].assert_eq(&folds("rust", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("rust", 4, SOURCE);
}

#[test]
fn calls_and_types_are_distinguished() {
    assert_eq!(class_of("rust", "let a: Foo = Bar(1);", "Foo"), "type");
    assert_eq!(class_of("rust", "let a: Foo = Bar(1);", "Bar"), "constructor");
    assert_eq!(class_of("rust", "mod m { fn f() {} }", "m {"), "namespace");
}
