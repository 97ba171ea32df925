; Trailing commas are left alone: styles differ. Operators cannot be overloaded, so comparisons may
; be flipped.
((array) @list (#set! list.comma "may") (#set! list.sort "values"))
((array_pattern) @list (#set! list.comma "may"))
([(object) (object_pattern)] @list (#set! list.comma "may") (#set! list.pad))
([(named_imports) (export_clause)] @list
  (#set! list.comma "may") (#set! list.pad) (#set! list.sort "names"))
([(arguments) (formal_parameters)] @list (#set! list.comma "may"))
[(rest_pattern) (spread_element)] @list.open

(binary_expression
  left: (_) @left
  operator: ["<" ">" "<=" ">=" "==" "!=" "===" "!=="] @operator
  right: (_) @right) @comparison
[
  (identifier) (property_identifier) (private_property_identifier) (this) (super)
  (number) (string) (string_fragment) (escape_sequence) (true) (false) (null) (undefined)
  (member_expression) (parenthesized_expression) (regex) (regex_pattern) (regex_flags)
] @plain
(unary_expression operator: ["-" "+" "!" "~" "typeof" "void"]) @plain
(binary_expression operator: ["+" "-" "*" "/" "%" "&" "|" "^" "<<" ">>" ">>>" "**"]) @plain

((statement_block) @body
  (#set! wrap.block "{|}")
  (#set! wrap.if "if (true) {|}")
  (#set! wrap.try "try {|} catch (error) {\n\tthrow error;\n}"))
((program) @body
  (#set! wrap.block "{|}")
  (#set! wrap.if "if (true) {|}")
  (#set! wrap.try "try {|} catch (error) {\n\tthrow error;\n}"))
[(class_body) (switch_body)] @body
[(lexical_declaration) (class_declaration) (function_declaration) (generator_function_declaration)] @declares
(lexical_declaration (variable_declarator name: (identifier) @declares.name))
(class_declaration name: (_) @declares.name)
(function_declaration name: (_) @declares.name)
(generator_function_declaration name: (_) @declares.name)
[(import_statement) (export_statement)] @fixed

(if_statement consequence: (_) @inside !alternative) @unwrap
((while_statement body: (_) @inside) @unwrap (#set! unwrap.loop))
((do_statement body: (_) @inside) @unwrap (#set! unwrap.loop))
((for_statement initializer: (_) @binds body: (_) @inside) @unwrap (#set! unwrap.loop))
((for_in_statement left: (_) @binds body: (_) @inside) @unwrap (#set! unwrap.loop))
((try_statement body: (_) @inside) @unwrap (#set! unwrap.loses "what handles errors"))
(statement_block (statement_block) @inside @unwrap)
(program (statement_block) @inside @unwrap)
[(break_statement) (continue_statement)] @jump
