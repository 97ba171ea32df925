; What is compared may be anything with its own idea of order, so nothing is flipped. The order of
; imports makes no difference.
[(list) (tuple)] @list
((import_list) @list (#set! list.sort "names"))
((exports) @list)

(import module: (_) @import.name) @import
