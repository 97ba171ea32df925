; Commas after `*` and `**` parameters are recent syntax. Names have function scope: what is
; declared in a block is visible after it.
([(list) (set) (dictionary) (tuple)] @list (#set! list.comma "may"))
([(list) (set)] @list (#set! list.comma "may") (#set! list.sort "values"))
([(argument_list) (parameters)] @list (#set! list.comma "may"))
((import_from_statement) @list (#set! list.comma "may") (#set! list.sort "names"))
[
  (list_splat) (dictionary_splat) (list_splat_pattern) (dictionary_splat_pattern)
  (keyword_separator) (positional_separator)
] @list.open
(typed_parameter [(list_splat_pattern) (dictionary_splat_pattern)]) @list.open

; A single comparison, no chain. The language reflects overloaded comparisons in pairs.
(comparison_operator
  . (_) @left
  . ["<" ">" "<=" ">=" "==" "!="] @operator
  . (_) @right .) @comparison
[
  (identifier) (attribute) (integer) (float) (string) (string_start) (string_content) (string_end)
  (escape_sequence) (true) (false) (none) (parenthesized_expression)
] @plain
(unary_operator) @plain
(binary_operator operator: ["+" "-" "*" "/" "%" "//"]) @plain

([(block) (module)] @body
  (#set! wrap.if "if True:|")
  (#set! wrap.try "try:|\nexcept Exception:\n\traise"))
(future_import_statement) @fixed

(if_statement consequence: (_) @inside !alternative) @unwrap
((while_statement body: (_) @inside !alternative) @unwrap (#set! unwrap.loop))
((for_statement left: (_) @binds body: (_) @inside !alternative) @unwrap (#set! unwrap.loop))
(with_statement (with_clause) @binds body: (_) @inside) @unwrap
((try_statement body: (_) @inside) @unwrap (#set! unwrap.loses "what handles errors"))
[(break_statement) (continue_statement)] @jump
