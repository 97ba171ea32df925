use expect_test::expect;

use crate::snapshot::{folds, highlights, links, outline};

pub(crate) const SOURCE: &str = r##"{-# LANGUAGE GADTs #-}
-- | Doc
module A.B (foo, Bar(..)) where

import qualified Data.Map as M
import Data.List (sort, (\\))

infixl 6 <+>

-- c
data Bar a = X Int | Y { f1 :: a, f2 :: !String } deriving (Show, Eq)
newtype N = N { unN :: Int }
type S = [Char]
class Foo a where
  meth :: a -> Int
  meth _ = 1
instance Foo Int where
  meth x = x + 1
foo :: (Ord a, Num a) => a -> Maybe a -> IO ()
foo x (Just y)
  | x > y, otherwise = return ()
  | True = do
      let z = x * 2
      r <- getLine
      putStrLn $ "hi\n" ++ r
  where
    go 0 = 'c'
    go n = if n == 1 then undefined else case n of
      2 -> M.empty
      _ -> \a -> a `seq` [1.5, 2 ..]
foo _ _ = pure ()
a <+> b = a
type family F a where
  F Int = Bool
data G where
  G1 :: Int -> G
pattern P x = Just x
"##;

#[test]
fn declarations_are_listed() {
    expect![[r#"
        module A.B
        struct Bar
          enum_member X
          enum_member Y
            field f1 a
            field f2 !String
        struct N
          enum_member N
            field unN Int
        type S
        class Foo
          method meth a -> Int
        impl Foo Int
        function foo (Ord a, Num a) => a -> Maybe a -> IO ()
        type F
        struct G
          enum_member G1 Int -> G
    "#]]
    .assert_eq(&outline("haskell", SOURCE));
}

#[test]
fn identifiers_keywords_and_literals_are_highlighted() {
    expect![[r#"
        attribute: {-# LANGUAGE GADTs #-}
        boolean: True
        comment: -- c
        comment.documentation: -- | Doc
        constructor: X Y N Just G1 P Just
        function: foo sort meth meth meth foo foo return go go seq foo pure
        keyword: module where import qualified as import infixl data deriving newtype type class where instance where do let where if then else case of type family where data where pattern
        namespace: A B Data Map M Data List M
        number: 6 1 1 2 0 1 2 1.5 2
        operator: \\ <+> = | :: :: ! = :: = :: -> = = + :: => -> -> | > = | = = * <- $ ++ = = == -> -> \ -> ` ` .. = <+> = = :: -> =
        property: f1 f2 unN
        string: "hi\n" 'c'
        type: Bar Bar Show Eq N S Foo Foo Ord Num F F G G
        type.builtin: Int String Int Char Int Int Maybe IO Int Bool Int
        type.parameter: a a a
        variable: a a x a a a a y x y z x r getLine putStrLn r n n empty a a b a x x
        variable.builtin: _ otherwise undefined _ _ _
        variable.parameter: x x n a
    "#]].assert_eq(&highlights("haskell", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["5-6 Imports, 14-16 Code, 17-18 Code, 20-30 Code, 22-25 Code, 27-30 Code, 28-30 Code, 29-30 Code, 35-36 Code"].assert_eq(&folds("haskell", SOURCE));
}

#[test]
fn modules_are_linked() {
    assert_eq!(links("haskell", SOURCE), ["Data.Map", "Data.List"]);
}

#[test]
fn a_signature_with_several_names_lists_all_of_them() {
    let source = "class C x where\n  a, b :: Int\n";
    expect![[r#"
        class C
          method a Int
          method b Int
    "#]]
    .assert_eq(&outline("haskell", source));
}

/// Code between a signature and its function, or before one without, has no effect.
#[test]
fn functions_are_listed_once() {
    let source = "f :: Int\n-- c\nf = 1\n-- d\n\n-- | e\n-- more\ng = 2\n{-# INLINE h #-}\nh = 3\n";
    let listed = "function f Int\nfunction g\nfunction h\n";
    assert_eq!(outline("haskell", source), listed);
    assert_eq!(outline("haskell", "-- a\n-- b\nf = 1\n"), "function f\n");
}
