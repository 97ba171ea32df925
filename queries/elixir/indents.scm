; The value of a multi-line assignment.
(binary_operator right: (_) @level)
[(anonymous_function) (stab_clause) (block)] @indent
[(map) (list) (tuple) (bitstring) (arguments) (pair)] @continue
; Relative to the line where the declaration starts, even if its header spans lines.
(do_block) @indent.body
; Continuation lines.
(binary_operator
  operator: ["=" "::" "<-" "<>" "++" "and" "or" "&&" "||" "=>"]
  right: (_) @continue.item)
((binary_operator operator: ["|" "when" "<>" "++"] @continue.item) (#set! flat))
((comment) . (comment) @beside)
["end" "else" "rescue" "catch" "after" "}" "]" ")" ">>"] @outdent
[(string) (charlist) (sigil)] @leave
