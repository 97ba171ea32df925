; Operators are methods of their left operand, so nothing is flipped. An import may depend on those
; above it. A block after a call would become its argument, and wrapping in `if` would change the
; value, so statements are only wrapped in `try`.
([(arguments) (parameters) (class_parameters) (tuple_expression)] @list (#set! list.comma "may"))
((namespace_selectors) @list (#set! list.comma "may") (#set! list.sort "names"))
; A wildcard must be last.
((namespace_selectors (namespace_wildcard)) @list (#set! list.comma "may"))

((block . "{") @body
  (#set! wrap.try "try {|} catch {\n\tcase error: Exception => throw error\n}"))
[(template_body) (indented_block) (case_block)] @body
[
  (val_definition) (var_definition) (function_definition) (class_definition) (object_definition)
  (trait_definition) (type_definition) (import_declaration) (given_definition)
] @declares
(val_definition pattern: (identifier) @declares.name)
(var_definition pattern: (identifier) @declares.name)

(if_expression consequence: (block . "{") @inside !alternative) @unwrap
((while_expression body: (block . "{") @inside) @unwrap (#set! unwrap.loop))
((try_expression body: (block . "{") @inside (catch_clause)) @unwrap
  (#set! unwrap.loses "what handles errors"))
