; Operators are methods: which side decides matters, so nothing is flipped.
((array) @list (#set! list.comma "may") (#set! list.sort "values"))
((hash) @list (#set! list.comma "may") (#set! list.pad))
[(argument_list) (method_parameters)] @list
