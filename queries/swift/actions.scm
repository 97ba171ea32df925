; Operators may be overloaded for one order of operand types only, so nothing is flipped.
([(array_literal) (dictionary_literal)] @list (#set! list.comma "may"))
((array_literal) @list (#set! list.comma "may") (#set! list.sort "values"))
[(value_arguments) (tuple_expression) (tuple_type)] @list
[(function_declaration) (init_declaration) (protocol_function_declaration)] @list

((statements) @body
  (#set! wrap.block "do {|}")
  (#set! wrap.if "if true {|}")
  (#set! wrap.try "do {|} catch {\n\tthrow error\n}"))
[
  (function_body) (class_body) (enum_class_body) (protocol_body) (computed_property)
  (lambda_literal)
] @body
; Names bound by `guard` are visible after it.
[
  (property_declaration) (function_declaration) (class_declaration) (typealias_declaration)
  (guard_statement)
] @declares
(property_declaration name: (pattern bound_identifier: (simple_identifier) @declares.name))
(function_declaration name: (simple_identifier) @declares.name)
; `defer` applies to its enclosing block.
((call_expression . (simple_identifier) @_name) @fixed (#eq? @_name "defer"))

(if_statement
  condition: [
    (simple_identifier) (navigation_expression) (call_expression) (prefix_expression)
    (comparison_expression) (equality_expression) (conjunction_expression)
    (disjunction_expression) (boolean_literal)
  ]
  !bound_identifier
  (statements) @inside .) @unwrap
((while_statement
    condition: [
      (simple_identifier) (navigation_expression) (call_expression) (prefix_expression)
      (comparison_expression) (equality_expression) (conjunction_expression)
      (disjunction_expression) (boolean_literal)
    ]
    !bound_identifier
    (statements) @inside .) @unwrap
  (#set! unwrap.loop))
((for_statement item: (_) @binds . collection: (_) . (statements) @inside .) @unwrap
  (#set! unwrap.loop))
((do_statement (statements) @inside . (catch_block)) @unwrap
  (#set! unwrap.loses "what handles errors"))
((do_statement (statements) @inside .) @unwrap)
(control_transfer_statement ["break" "continue"]) @jump

(import_declaration) @import
