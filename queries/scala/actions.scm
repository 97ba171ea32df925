; Operators are methods: which side decides matters, so nothing is flipped. What an import means may
; depend on those above it. A block below a call would be its argument, and the value of what goes
; into an `if` would be another, so statements go into a `try` only.
([(arguments) (parameters) (class_parameters) (tuple_expression)] @list (#set! list.comma "may"))
((namespace_selectors) @list (#set! list.comma "may") (#set! list.sort "names"))
; A wildcard stands last.
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
