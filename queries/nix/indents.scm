[
  (attrset_expression)
  (rec_attrset_expression)
  (let_attrset_expression)
  (list_expression)
  (formals)
  (parenthesized_expression)
  (binding)
  (inherit)
  (inherit_from)
  (interpolation)
] @indent
(let_expression "let" (binding_set) "in") @indent
["}" ")" "]" "in"] @outdent
(let_expression body: (_) @outdent)
(formals "," @outdent)
(if_expression (_) @indent)
[(indented_string_expression) (string_expression) (comment)] @leave
