(pair key: (string . [(string_content) (escape_sequence)] @name)) @item.property

; The name of an array element is its first value.
(array
  (object
    . (pair
      key: (string . (string_content) @_key)
      value: (string . (string_content) @name))) @item.struct
  (#any-of? @_key "name" "id" "title" "label"))
