((initializer_list) @list (#set! list.comma "may") (#set! list.sort "values"))
((enumerator_list) @list (#set! list.comma "may") (#set! list.pad))
[(argument_list) (parameter_list)] @list

(binary_expression
  left: (_) @left
  operator: ["<" ">" "<=" ">=" "==" "!="] @operator
  right: (_) @right) @comparison
[
  (identifier) (field_identifier) (number_literal) (string_literal) (string_content)
  (escape_sequence) (char_literal) (character) (true) (false) (null) (field_expression)
  (subscript_expression) (parenthesized_expression) (pointer_expression)
] @plain
(unary_expression operator: ["-" "+" "!" "~"]) @plain
(binary_expression operator: ["+" "-" "*" "/" "%" "&" "|" "^" "<<" ">>"]) @plain

((compound_statement) @body (#set! wrap.block "{|}") (#set! wrap.if "if (1) {|}"))
(field_declaration_list) @body
(declaration) @declares
(declaration declarator: (identifier) @declares.name)
(declaration declarator: (init_declarator declarator: (identifier) @declares.name))
(declaration declarator: (pointer_declarator declarator: (identifier) @declares.name))
(declaration
  declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @declares.name)))
[(type_definition) (struct_specifier) (enum_specifier) (union_specifier)] @declares
[(labeled_statement) (case_statement) (preproc_if) (preproc_ifdef) (preproc_def) (preproc_call)] @fixed

(if_statement consequence: (_) @inside !alternative) @unwrap
((while_statement body: (_) @inside) @unwrap (#set! unwrap.loop))
((do_statement body: (_) @inside) @unwrap (#set! unwrap.loop))
((for_statement initializer: (_) @binds body: (_) @inside) @unwrap (#set! unwrap.loop))
(compound_statement (compound_statement) @inside @unwrap)
[(break_statement) (continue_statement)] @jump
