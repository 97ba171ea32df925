; What is given a name on a line of its own goes on there.
(binary_operator right: (_) @level)
[(anonymous_function) (stab_clause) (block)] @indent
[(map) (list) (tuple) (bitstring) (arguments) (pair)] @continue
; However long the head is.
(do_block) @indent.body
; What goes on, on the next line.
(binary_operator
  operator: ["=" "::" "<-" "<>" "++" "and" "or" "&&" "||" "=>"]
  right: (_) @continue.item)
((binary_operator operator: ["|" "when" "<>" "++"] @continue.item) (#set! flat))
((comment) . (comment) @beside)
["end" "else" "rescue" "catch" "after" "}" "]" ")" ">>"] @outdent
[(string) (charlist) (sigil)] @leave
