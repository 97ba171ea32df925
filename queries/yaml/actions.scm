; Flow collections are indented deeper than their parent, including the closing bracket. An alias
; (`*`) may refer to the nearest preceding anchor (`&`), so the order then matters; it also does
; where blank lines belong to a scalar (`|+`).
((flow_sequence) @list (#set! list.comma "may") (#set! list.hang))
((flow_mapping) @list
  (#set! list.comma "may") (#set! list.pad) (#set! list.hang)
  (#set! list.sort "names") (#set! sort.without "& *"))

((block_mapping (block_mapping_pair key: (_) @entry.name) @entry) (#set! sort.without "& * +"))
