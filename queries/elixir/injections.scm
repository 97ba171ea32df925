(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_doc
    (arguments [
      (string (quoted_content) @injection.content)
      (sigil (quoted_content) @injection.content)
    ]))
  (#any-of? @_doc "doc" "moduledoc" "shortdoc" "typedoc")
  (#set! injection.language "markdown"))
(sigil
  (sigil_name) @_name
  (quoted_content) @injection.content
  (#any-of? @_name "r" "R")
  (#set! injection.language "regex"))
(sigil
  (sigil_name) @_name
  (quoted_content) @injection.content
  (#any-of? @_name "H" "L")
  (#set! injection.language "html"))
(sigil
  (sigil_name) @_name
  (quoted_content) @injection.content
  (#eq? @_name "SQL")
  (#set! injection.language "sql"))
