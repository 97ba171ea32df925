; The language defines `a > b` as `b < a`.
((table_constructor) @list (#set! list.comma "may") (#set! list.pad))
[(arguments) (parameters)] @list

(binary_expression
  left: (_) @left
  ["<" ">" "<=" ">=" "==" "~="] @operator
  right: (_) @right) @comparison
[(identifier) (number) (string) (string_content) (escape_sequence) (true) (false) (nil) (parenthesized_expression)] @plain

((block) @body (#set! wrap.block "do|end") (#set! wrap.if "if true then|end"))
((chunk) @body (#set! wrap.block "do|end") (#set! wrap.if "if true then|end"))
[(variable_declaration) (function_declaration)] @declares
(variable_declaration (assignment_statement (variable_list name: (identifier) @declares.name)))
(variable_declaration (variable_list name: (identifier) @declares.name))
[(return_statement) (label_statement) (goto_statement)] @fixed

(if_statement consequence: (_) @inside !alternative) @unwrap
((while_statement body: (_) @inside) @unwrap (#set! unwrap.loop))
((for_statement clause: (_) @binds body: (_) @inside) @unwrap (#set! unwrap.loop))
(do_statement body: (_) @inside) @unwrap
(break_statement) @jump
