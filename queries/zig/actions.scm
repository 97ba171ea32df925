; `zig fmt` puts each element on its own line if there is a trailing comma.
([(arguments) (initializer_list) (parameters)] @list (#set! list.comma "always"))

(binary_expression
  left: (_) @left
  operator: ["<" ">" "<=" ">=" "==" "!="] @operator
  right: (_) @right) @comparison
[(identifier) (integer) (float) (character) (string) (string_content) (escape_sequence) (field_expression) (parenthesized_expression) (boolean)] @plain

((block) @body (#set! wrap.block "{|}") (#set! wrap.if "if (true) {|}"))
(variable_declaration) @declares
