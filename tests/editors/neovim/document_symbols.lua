-- The outline of a buffer, nested, with the names a reader expects.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

local function names(symbols)
  local shown = {}
  for _, symbol in ipairs(symbols) do
    local inner = symbol.children and #symbol.children > 0 and names(symbol.children)
    table.insert(shown, inner and { symbol.name, inner } or symbol.name)
  end
  return shown
end

scenario.run(function()
  scenario.write(
    "main.py",
    "class Greeter:\n    def greet(self):\n        pass\n\n\ndef main():\n    pass\n"
  )
  local bufnr, client = scenario.open("main.py")
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  local function outline()
    local result, trouble = scenario.request(client, "textDocument/documentSymbol", params, bufnr)
    assert(trouble == nil, vim.inspect(trouble))
    return result
  end

  local symbols = outline()
  scenario.equal(names(symbols), { { "Greeter", { "greet" } }, "main" }, "the outline")
  local kinds = vim.lsp.protocol.SymbolKind
  scenario.equal(symbols[1].kind, kinds.Class, "the class")
  scenario.equal(symbols[1].children[1].kind, kinds.Method, "the method")
  scenario.equal(symbols[2].kind, kinds.Function, "the function")
  scenario.equal(symbols[2].selectionRange.start, { line = 5, character = 4 }, "main's name")

  -- It is the outline of what is typed, not of what is saved.
  vim.api.nvim_buf_set_lines(bufnr, -1, -1, true, { "", "", "def typed():", "    pass" })
  scenario.equal(names(outline()), { { "Greeter", { "greet" } }, "main", "typed" }, "after typing")
end)
