; `PartialOrd` and `PartialEq` require that `a < b` and `b > a` are equivalent.
([
  (array_expression) (tuple_expression) (tuple_pattern) (slice_pattern) (arguments) (parameters)
  (tuple_type) (ordered_field_declaration_list)
] @list (#set! list.comma "always"))
((array_expression) @list (#set! list.comma "always") (#set! list.sort "values"))
([
  (field_initializer_list) (struct_pattern) (enum_variant_list) (field_declaration_list)
] @list (#set! list.comma "always") (#set! list.pad))
((use_list) @list (#set! list.comma "always"))
[(base_field_initializer) (remaining_field_pattern) (variadic_parameter)] @list.open

(binary_expression
  left: (_) @left
  operator: ["<" ">" "<=" ">=" "==" "!="] @operator
  right: (_) @right) @comparison
[
  (identifier) (field_identifier) (self) (integer_literal) (float_literal) (string_literal)
  (string_content) (escape_sequence) (char_literal) (boolean_literal) (scoped_identifier)
  (field_expression) (parenthesized_expression) (reference_expression)
] @plain
(unary_expression ["-" "!"]) @plain

((block) @body (#set! wrap.block "{|}"))
[(declaration_list) (match_block)] @body
(let_declaration) @declares
(let_declaration pattern: (identifier) @declares.name)
[
  (const_item) (static_item) (function_item) (struct_item) (enum_item) (use_declaration) (impl_item)
  (mod_item) (macro_definition) (type_item) (trait_item)
] @declares

(expression_statement
  (if_expression condition: (let_condition pattern: (_) @binds) consequence: (_) @inside !alternative)) @unwrap
(expression_statement
  (if_expression
    condition: [
      (identifier) (binary_expression) (unary_expression) (call_expression) (macro_invocation)
      (boolean_literal) (field_expression) (parenthesized_expression)
    ]
    consequence: (_) @inside
    !alternative)) @unwrap
((expression_statement (loop_expression body: (_) @inside)) @unwrap (#set! unwrap.loop))
((expression_statement (while_expression
      condition: [
        (identifier) (binary_expression) (unary_expression) (call_expression) (macro_invocation)
        (boolean_literal) (field_expression) (parenthesized_expression)
      ]
      body: (_) @inside)) @unwrap
  (#set! unwrap.loop))
((expression_statement (for_expression pattern: (_) @binds body: (_) @inside)) @unwrap
  (#set! unwrap.loop))
(expression_statement (block) @inside) @unwrap
[(break_expression) (continue_expression)] @jump
