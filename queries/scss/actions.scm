; The order of declarations may decide which one holds, so they are not sorted.
[(arguments) (parameters)] @list
