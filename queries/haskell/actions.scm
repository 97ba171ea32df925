; Comparison operators may have any instance, so nothing is flipped. The order of imports has no
; effect.
[(list) (tuple)] @list
((import_list) @list (#set! list.sort "names"))
((exports) @list)

(import module: (_) @import.name) @import
