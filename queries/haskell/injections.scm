(quasiquote
  quoter: (quoter) @_quoter
  body: (quasiquote_body) @injection.content
  (#match? @_quoter "^(sql|SQL|pgSQL|resultlessStatement|singletonStatement)$")
  (#set! injection.language "sql"))
(quasiquote
  quoter: (quoter) @_quoter
  body: (quasiquote_body) @injection.content
  (#match? @_quoter "^(re|regex|mkRegex)$")
  (#set! injection.language "regex"))
(quasiquote
  quoter: (quoter) @_quoter
  body: (quasiquote_body) @injection.content
  (#match? @_quoter "^(aesonQQ|json)$")
  (#set! injection.language "json"))
