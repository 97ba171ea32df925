[(list) (column_definitions) (invocation)] @list
; Values that are compared with, not rows that are put in.
((binary_expression operator: (keyword_in) right: (list) @list) (#set! list.sort "values"))

(binary_expression left: (_) @left operator: ["<" ">" "<=" ">=" "=" "!=" "<>"] @operator right: (_) @right) @comparison
[(field) (identifier) (object_reference) (literal)] @plain
