([(array_initializer) (element_value_array_initializer)] @list
  (#set! list.comma "may") (#set! list.pad) (#set! list.sort "values"))
[(argument_list) (formal_parameters) (annotation_argument_list) (inferred_parameters)] @list

(binary_expression
  left: (_) @left
  operator: ["<" ">" "<=" ">=" "==" "!="] @operator
  right: (_) @right) @comparison
[
  (identifier) (this) (decimal_integer_literal) (hex_integer_literal) (octal_integer_literal)
  (binary_integer_literal) (decimal_floating_point_literal) (character_literal) (string_literal)
  (string_fragment) (escape_sequence) (true) (false) (null_literal) (field_access)
  (parenthesized_expression)
] @plain
(unary_expression operator: ["-" "+" "!" "~"]) @plain
(binary_expression operator: ["+" "-" "*" "&" "|" "^" "<<" ">>" ">>>"]) @plain

([(block) (constructor_body)] @body
  (#set! wrap.block "{|}")
  (#set! wrap.if "if (true) {|}")
  (#set! wrap.try "try {|} catch (RuntimeException e) {\n\tthrow e;\n}"))
[(class_body) (interface_body) (enum_body) (annotation_type_body) (switch_block)] @body
[(local_variable_declaration) (class_declaration) (record_declaration) (interface_declaration) (enum_declaration)] @declares
(local_variable_declaration declarator: (variable_declarator name: (identifier) @declares.name))
[(explicit_constructor_invocation) (yield_statement)] @fixed

(if_statement consequence: (_) @inside !alternative) @unwrap
((while_statement body: (_) @inside) @unwrap (#set! unwrap.loop))
((do_statement body: (_) @inside) @unwrap (#set! unwrap.loop))
((for_statement init: (_) @binds body: (_) @inside) @unwrap (#set! unwrap.loop))
((enhanced_for_statement name: (_) @binds body: (_) @inside) @unwrap (#set! unwrap.loop))
((try_statement body: (_) @inside) @unwrap (#set! unwrap.loses "what handles errors"))
(block (block) @inside @unwrap)
(synchronized_statement body: (_) @inside) @unwrap
[(break_statement) (continue_statement)] @jump
