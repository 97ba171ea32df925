((array) @list (#set! list.separator "") (#set! list.sort "values"))

([(program) (compound_statement) (do_group)] @body (#set! wrap.if "if true; then|fi"))
