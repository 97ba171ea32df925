; A later declaration may override an earlier one, so declarations are not sorted.
[(arguments) (parameters)] @list
