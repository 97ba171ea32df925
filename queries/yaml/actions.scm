; What is in brackets stands deeper than what holds it, the closing bracket included. Behind a name
; for a value (`&`) another may be meant by it (`*`): then the order matters, and it does where blank
; lines are part of a text (`|+`).
((flow_sequence) @list (#set! list.comma "may") (#set! list.hang))
((flow_mapping) @list
  (#set! list.comma "may") (#set! list.pad) (#set! list.hang)
  (#set! list.sort "names") (#set! sort.without "& *"))

((block_mapping (block_mapping_pair key: (_) @entry.name) @entry) (#set! sort.without "& * +"))
