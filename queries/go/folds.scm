[
  (block)
  (field_declaration_list)
  (interface_type)
  (literal_value)
  (parameter_list)
  (argument_list)
  (expression_case)
  (type_case)
  (communication_case)
  (default_case)
  (expression_switch_statement)
  (type_switch_statement)
  (select_statement)
  (const_declaration)
  (var_spec_list)
  (type_declaration)
  (raw_string_literal)
] @fold
(comment) @fold.comment
(import_declaration) @fold.imports
