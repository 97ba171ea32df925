; Operators are methods: which side decides matters, so nothing is flipped. What an import means may
; depend on those above it.
[(arguments) (parameters) (class_parameters) (tuple_expression)] @list
