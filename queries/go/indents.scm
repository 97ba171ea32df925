[
  (interface_type)
  (literal_value)
  (parameter_list)
  (type_parameter_list)
  (argument_list)
  (type_arguments)
  (import_spec_list)
  (const_declaration)
  (var_spec_list)
  (type_declaration)
  (expression_case)
  (type_case)
  (communication_case)
  (default_case)
  (expression_switch_statement)
  (type_switch_statement)
  (select_statement)
  (parenthesized_expression)
  (binary_expression)
  (selector_expression)
  (call_expression)
  (assignment_statement)
  (short_var_declaration)
  (var_spec)
  (return_statement)
  (keyed_element)
  (expression_list)
  (index_expression)
] @indent
[
  (block)
  (field_declaration_list)
] @indent.body
; A standalone block.
(statement_list (block) @indent)
["}" ")" "]" "case" "default"] @outdent
(labeled_statement label: (label_name) @outdent)
[(raw_string_literal) (comment)] @leave
