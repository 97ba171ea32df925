[
  (declaration_list) (enum_member_declaration_list) (block) (accessor_list) (switch_body)
  (switch_section) (switch_expression) (initializer_expression) (argument_list) (parameter_list)
  (bracketed_argument_list) (attribute_list) (parenthesized_expression) (property_pattern_clause)
  (anonymous_object_creation_expression) (collection_expression) (with_initializer)
] @indent
; Continuation lines.
[
  (expression_statement) (local_declaration_statement) (return_statement) (field_declaration)
  (assignment_expression) (arrow_expression_clause) (type_parameter_constraints_clause)
  (throw_statement) (base_list) (binary_expression)
  (conditional_expression) (invocation_expression) (variable_declarator) (lambda_expression)
  (switch_expression_arm)
] @indent
; A statement without braces.
(if_statement consequence: [
  (expression_statement) (return_statement) (throw_statement) (break_statement)
  (continue_statement) (yield_statement)]) @indent
(for_statement body: (expression_statement)) @indent
(foreach_statement body: (expression_statement)) @indent
(while_statement body: (expression_statement)) @indent
["}" ")" "]"] @outdent
; A brace on its own line, if the statement that contains it does not end there.
(switch_expression "{" @outdent)
(object_creation_expression (initializer_expression "{" @outdent))
(implicit_object_creation_expression (initializer_expression "{" @outdent))
(array_creation_expression (initializer_expression "{" @outdent))
(implicit_array_creation_expression (initializer_expression "{" @outdent))
(anonymous_object_creation_expression "{" @outdent)
(lambda_expression body: (block "{" @outdent))
(anonymous_method_expression (block "{" @outdent))
[(comment) (raw_string_literal) (verbatim_string_literal)] @leave
["#if" "#else" "#elif" "#endif"] @margin
