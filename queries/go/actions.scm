; A newline after the last element requires a comma before it.
([(literal_value) (argument_list) (parameter_list) (type_parameter_list)] @list
  (#set! list.comma "always"))
((literal_value) @list (#set! list.comma "always") (#set! list.sort "values"))

(binary_expression
  left: (_) @left
  operator: ["<" ">" "<=" ">=" "==" "!="] @operator
  right: (_) @right) @comparison
[
  (identifier) (field_identifier) (package_identifier) (int_literal) (float_literal)
  (imaginary_literal) (rune_literal) (interpreted_string_literal)
  (interpreted_string_literal_content) (escape_sequence) (raw_string_literal)
  (raw_string_literal_content) (true) (false) (nil) (iota) (selector_expression)
  (parenthesized_expression)
] @plain
(unary_expression operator: ["-" "+" "!" "^"]) @plain
(binary_expression operator: ["+" "-" "*" "&" "|" "^" "&^"]) @plain

((statement_list) @body (#set! wrap.block "{|}") (#set! wrap.if "if true {|}"))
[(short_var_declaration) (var_declaration) (const_declaration) (type_declaration)] @declares
(short_var_declaration left: (expression_list (identifier) @declares.name))
(var_declaration (var_spec name: (identifier) @declares.name))
[(labeled_statement) (return_statement)] @fixed

(if_statement !initializer consequence: (_) @inside !alternative) @unwrap
((for_statement (range_clause left: (_) @binds) body: (_) @inside) @unwrap (#set! unwrap.loop))
((for_statement (for_clause initializer: (_) @binds) body: (_) @inside) @unwrap (#set! unwrap.loop))
[(break_statement) (continue_statement)] @jump
