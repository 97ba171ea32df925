; Comparison operators may be redefined, so nothing is flipped.
((list_expression) @list
  (#set! list.separator ";") (#set! list.comma "may") (#set! list.sort "values"))
([(record_expression) (record_declaration) (record_pattern)] @list
  (#set! list.separator ";") (#set! list.comma "may") (#set! list.pad))
((list_pattern) @list (#set! list.separator ";") (#set! list.comma "may"))
