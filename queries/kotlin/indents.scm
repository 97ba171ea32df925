[
  (enum_class_body) (lambda_literal) (when_expression) (value_arguments)
  (function_value_parameters) (class_parameters) (collection_literal) (parenthesized_expression)
  (type_arguments) (type_parameters) (object_literal) (companion_object)
] @indent
; A body is indented relative to the line where its declaration starts, even if the header spans
; lines.
[(class_body) (function_body)] @indent.body
(if_expression (block) @indent)
(when_entry (block) @indent)
(for_statement (block) @indent)
(while_statement (block) @indent)
(do_while_statement (block) @indent)
(try_expression (block) @indent)
(catch_block (block) @indent)
(finally_block (block) @indent)
(anonymous_initializer (block) @indent)
(secondary_constructor (block) @indent.body)
; Continuation lines.
[
  (navigation_expression) (property_declaration) (assignment) (binary_expression) (when_entry)
  (delegation_specifiers) (return_expression) (infix_expression) (as_expression)
] @indent
(if_expression "else" . [(call_expression) (string_literal) (identifier)]) @indent
["}" ")" "]"] @outdent
[(multiline_string_literal) (block_comment)] @leave
