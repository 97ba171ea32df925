((array) @list (#set! list.comma "may") (#set! list.sort "values"))
