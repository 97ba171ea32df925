[(list) (column_definitions) (invocation)] @list
; Values in comparisons, not inserted rows.
((binary_expression operator: (keyword_in) right: (list) @list) (#set! list.sort "values"))

(binary_expression left: (_) @left operator: ["<" ">" "<=" ">=" "=" "!=" "<>"] @operator right: (_) @right) @comparison
[(field) (identifier) (object_reference) (literal)] @plain
