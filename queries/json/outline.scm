(pair key: (string . [(string_content) (escape_sequence)] @name)) @item.property

; What stands in an array has a name if that is what it says first.
(array
  (object
    . (pair
      key: (string . (string_content) @_key)
      value: (string . (string_content) @name))) @item.struct
  (#any-of? @_key "name" "id" "title" "label"))
