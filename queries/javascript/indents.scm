; inherits: ecmascript, jsx
