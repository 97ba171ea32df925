(function_declaration
  name: [(identifier) (dot_index_expression) (method_index_expression)] @name
  parameters: (parameters) @detail) @item.function

; Functions assigned to a variable or field.
(assignment_statement
  (variable_list . name: (_) @name)
  (expression_list . value: (function_definition parameters: (parameters) @detail))) @item.function
(field
  name: (identifier) @name
  value: (function_definition parameters: (parameters) @detail)) @item.function

; Variables of the file, local or exported.
(chunk
  (variable_declaration
    (assignment_statement (variable_list name: (identifier) @name))) @item.variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @item.variable)
(chunk (assignment_statement (variable_list name: (_) @name)) @item.variable)
