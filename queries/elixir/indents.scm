[
  (anonymous_function) (stab_clause) (map) (list) (tuple) (bitstring) (arguments) (pair)
  (block)
] @indent
; However long the head is.
(do_block) @indent.body
; What goes on, on the next line.
(binary_operator operator: ["=" "::" "<-" "<>" "++" "and" "or" "&&" "||" "=>"]) @indent
["end" "else" "rescue" "catch" "after" "}" "]" ")" ">>"] @outdent
[(string) (charlist) (sigil)] @leave
