([(array_literal) (dictionary_literal)] @list (#set! list.comma "may"))
((array_literal) @list (#set! list.comma "may") (#set! list.sort "values"))
[(value_arguments) (tuple_expression)] @list

(import_declaration) @import
