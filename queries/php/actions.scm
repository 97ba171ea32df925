((array_creation_expression) @list (#set! list.comma "may"))
((array_creation_expression "[") @list (#set! list.comma "may") (#set! list.sort "values"))
[(arguments) (formal_parameters)] @list
((namespace_use_group) @list (#set! list.comma "may") (#set! list.sort "names"))

(binary_expression
  left: (_) @left
  operator: ["<" ">" "<=" ">=" "==" "!=" "===" "!==" "<>"] @operator
  right: (_) @right) @comparison
[
  (variable_name) (name) (integer) (float) (string) (string_content) (escape_sequence) (boolean)
  (null) (member_access_expression) (parenthesized_expression) (class_constant_access_expression)
] @plain

((compound_statement) @body
  (#set! wrap.if "if (true) {|}")
  (#set! wrap.try "try {|} catch (\\Throwable $error) {\n\tthrow $error;\n}"))
[(declaration_list) (switch_block) (match_block)] @body

(if_statement body: (compound_statement) @inside !alternative) @unwrap
((while_statement body: (compound_statement) @inside) @unwrap (#set! unwrap.loop))
((do_statement body: (compound_statement) @inside) @unwrap (#set! unwrap.loop))
((foreach_statement (_) @binds body: (compound_statement) @inside) @unwrap (#set! unwrap.loop))
((for_statement initialize: (_) @binds body: (compound_statement) @inside) @unwrap (#set! unwrap.loop))
((try_statement body: (_) @inside) @unwrap (#set! unwrap.loses "what handles errors"))
[(break_statement) (continue_statement)] @jump

(namespace_use_declaration) @import
