(color_value) @color
((plain_value) @color)
((call_expression (function_name) @_name) @color
  (#match? @_name "^(rgba?|hsla?|hwb|lab|lch|oklab|oklch)$"))
