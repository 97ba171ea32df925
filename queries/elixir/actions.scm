; Operators may be overloaded, so nothing is flipped.
([(list) (tuple) (map)] @list)
((list) @list (#set! list.sort "values"))
(arguments) @list
