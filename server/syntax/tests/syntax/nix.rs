use expect_test::expect;

use crate::snapshot::{folds, highlights, links, outline, well_indented};

pub(crate) const SOURCE: &str = r#"# Of it.
{ pkgs ? import <nixpkgs> {}, ... }@args:
{
  name = "a-${pkgs.version}\n";
  src = ./src;
  inherit (pkgs) stdenv;
  buildPhase = ''
    make all
  '';
  f = x: x + 1;
  list = [
    1
    true
  ];
}
"#;

#[test]
fn outline_items() {
    expect![[r#"
        property name
        property src
        property buildPhase
        property f
        property list
    "#]]
    .assert_eq(&outline("nix", SOURCE));
}

#[test]
fn highlight_classes() {
    expect![[r#"
        boolean: true
        comment: # Of it.
        escape: \n
        function: make f
        function.builtin: import
        keyword: inherit
        number: 1 1
        operator: ? @ = = = = + =
        property: name version src stdenv buildPhase list
        string: "a- " ''
               all
          ''
        string.special: <nixpkgs> ./src
        variable: pkgs pkgs x
        variable.parameter: pkgs args x
    "#]]
    .assert_eq(&highlights("nix", SOURCE));
}

#[test]
fn bodies_fold() {
    expect!["3-14 Code, 7-9 Code, 11-13 Code"].assert_eq(&folds("nix", SOURCE));
}

#[test]
fn bodies_are_indented() {
    well_indented("nix", 2, SOURCE);
}

#[test]
fn files_are_linked() {
    assert_eq!(links("nix", SOURCE), ["./src"]);
}
