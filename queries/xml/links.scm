(Attribute
  (Name) @_name (AttValue) @link
  (#match? @_name "^(href|src|xlink:href|schemaLocation|Include|file|path|Project|Source|resource|HintPath)$"))
(StyleSheetPI (PseudoAtt (Name) @_name (PseudoAttValue) @link) (#eq? @_name "href"))
(ExternalID (SystemLiteral (URI) @link))
