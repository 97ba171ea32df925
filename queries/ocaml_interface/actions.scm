((record_declaration) @list
  (#set! list.separator ";") (#set! list.comma "may") (#set! list.pad))
