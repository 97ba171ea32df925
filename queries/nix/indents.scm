; The body after `in` is not indented.
(let_expression body: (_) @level)
[
  (attrset_expression)
  (rec_attrset_expression)
  (let_attrset_expression)
  (list_expression)
  (formals)
  (interpolation)
] @indent
(let_expression "let" (binding_set) "in") @indent
[(binding) (inherit) (inherit_from)] @continue
((parenthesized_expression) @continue (#set! flat))
; Arguments, operands and selected attributes on further lines.
([
  (apply_expression argument: (_) @continue.item)
  (binary_expression operator: _ @continue.item)
  (binary_expression right: (_) @continue.item)
  (if_expression ["then" "else"] @continue.item)
  (if_expression consequence: (_) @continue.item)
  (if_expression alternative: (_) @continue.item)
] (#set! flat))
["}" ")" "]" "in"] @outdent
(let_expression body: (_) @outdent)
(formals "," @outdent)
(binding ";" @outdent)
[(indented_string_expression) (string_expression) (comment)] @leave
((comment) . (comment) @beside)
