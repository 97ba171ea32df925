; Evaluation is lazy, so the order of bindings and operands has no effect.
((list_expression) @list (#set! list.separator "") (#set! list.pad) (#set! list.sort "values"))
((formals) @list (#set! list.pad))

(binary_expression left: (_) @left ["==" "!=" "<" ">" "<=" ">="] @operator right: (_) @right) @comparison
[
  (variable_expression) (identifier) (integer_expression) (float_expression) (string_expression)
  (string_fragment) (escape_sequence) (select_expression) (attrpath) (parenthesized_expression)
] @plain

(binding_set (binding attrpath: (_) @entry.name) @entry)
