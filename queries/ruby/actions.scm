; Operators are methods of their left operand, so nothing is flipped.
((array) @list (#set! list.comma "may") (#set! list.sort "values"))
((hash) @list (#set! list.comma "may") (#set! list.pad))
[(argument_list) (method_parameters)] @list

; Variables assigned in a block of statements are visible after it.
([(program) (body_statement) (then) (do)] @body
  (#set! wrap.if "if true|end")
  (#set! wrap.try "begin|rescue => error\n\traise\nend"))
[(method) (singleton_method) (class) (module)] @declares

(if consequence: (then) @inside !alternative) @unwrap
(unless consequence: (then) @inside !alternative) @unwrap
