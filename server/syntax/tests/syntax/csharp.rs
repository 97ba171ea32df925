use expect_test::expect;

use crate::snapshot::{class_of, folds, highlights, outline, well_indented};

pub(crate) const SOURCE: &str = r##"using System;
using static System.Math;
namespace A.B
{
    /// <summary>doc</summary>
    [Serializable]
    public abstract class C<T> : Base, IFoo where T : class
    {
        private const int Max = 1_000;
        static readonly string Name = "a\n" + $"hi {x:X}";
        public int P { get; private set; } = 3;
        public event EventHandler E;
        public C(int a, params object[] b) : base(a) { }
        public static C<T> operator +(C<T> a, C<T> b) => a;
        public async Task<int> M<U>(ref int a, U b = null)
        {
            var x = new List<int> { 1, 2 };
            if (a > MIN_VALUE && !b.Equals('c'))
                return await Foo(x: a);
            switch (a)
            {
                case 1:
                    break;
            }
            Foo(y =>
            {
                y.Run();
            });
            var s = a switch
            {
                _ => typeof(int).Name,
            };
            var r = new Regex("^a+$");
            return a
                + 0x1F;
        }
    }
    enum K { One, Two = 2 }
    interface I { void N(); }
    record R(int X);
#if X
    struct S { int a, b; }
#endif
}
"##;

#[test]
fn declarations_are_listed() {
    expect![[r#"
        namespace A.B
          class C <T>
            constant Max int
            field Name string
            property P int
            property E EventHandler
            constructor C (int a, params object[] b)
            method operator + (C<T> a, C<T> b)
            method M (ref int a, U b = null)
          enum K
            enum_member One
            enum_member Two 2
          interface I
            method N ()
          class R (int X)
          struct S
            field a int
            field b int
    "#]]
    .assert_eq(&outline("csharp", SOURCE));
}

#[test]
fn identifiers_keywords_and_literals_are_highlighted() {
    expect![[r#"
        attribute: Serializable
        comment.documentation: /// <summary>doc</summary>
        constant: Max MIN_VALUE
        constant.builtin: null
        constant.member: One Two
        constructor: C Regex
        escape: \n
        function: Foo Foo
        function.macro: #if #endif
        function.method: M Equals Run N
        keyword: using using static namespace public abstract class where class private const static readonly public get private set public event public params public static operator public async ref var new if return await switch case break var switch typeof var new ^ $ return enum interface record struct
        namespace: System System Math A B
        number: 1_000 3 1 2 1 0x1F 2
        operator: = = + = + => = = > && ! => = => = + + =
        property: Name P E Name a b
        string: "a " "hi  " 'c' " "
        string.regexp: a
        string.special: X
        type: Base IFoo EventHandler C T C T C T Task U List
        type.builtin: int string int int object int int int int void int int
        type.class: C R
        type.enum: K
        type.interface: I
        type.parameter: T T U
        type.struct: S
        variable: x b a a x a b a a y s a r a X
        variable.builtin: base _
        variable.parameter: a a b a b x y X
    "#]].assert_eq(&highlights("csharp", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["1-2 Imports, 4-43 Code, 8-36 Code, 16-35 Code, 21-23 Code, 22-23 Code, 25-27 Code, 26-27 Code, 29-31 Code, 41-43 Code"].assert_eq(&folds("csharp", SOURCE));
}

#[test]
fn formatted_code_keeps_its_indentation() {
    well_indented("csharp", 4, SOURCE);
}

#[test]
fn regular_expressions_are_highlighted() {
    assert_eq!(class_of("csharp", SOURCE, "^a+"), "keyword");
}
