; The contracts of `compareTo` and `equals` require symmetry.
((value_arguments) @list (#set! list.comma "may"))
((collection_literal) @list (#set! list.comma "may") (#set! list.sort "values"))
([(function_value_parameters) (class_parameters)] @list (#set! list.comma "may"))
((enum_class_body) @list (#set! list.comma "may") (#set! list.pad))

(binary_expression
  left: (_) @left
  operator: ["<" ">" "<=" ">=" "==" "!=" "===" "!=="] @operator
  right: (_) @right) @comparison
; Reading a property may run code, as in other languages with properties.
[
  (identifier) (number_literal) (float_literal) (character_literal) (string_literal)
  (string_content) (navigation_expression) (parenthesized_expression) (this_expression)
] @plain
(unary_expression ["-" "+" "!"]) @plain

((block) @body
  (#set! wrap.if "if (true) {|}")
  (#set! wrap.try "try {|} catch (e: Exception) {\n\tthrow e\n}"))
[(class_body) (enum_class_body) (lambda_literal)] @body
[(property_declaration) (function_declaration) (class_declaration) (object_declaration)] @declares
(property_declaration (variable_declaration . (identifier) @declares.name))
(property_declaration (multi_variable_declaration (variable_declaration . (identifier) @declares.name)))

(if_expression condition: (_) . (block) @inside .) @unwrap
((while_statement condition: (_) . (block) @inside .) @unwrap (#set! unwrap.loop))
((for_statement (variable_declaration) @binds . (_) . (block) @inside .) @unwrap
  (#set! unwrap.loop))
((try_expression . (block) @inside) @unwrap (#set! unwrap.loses "what handles errors"))
; The grammar parses these as identifiers.
((identifier) @jump (#any-of? @jump "break" "continue"))
((label) @jump)

(import) @import
