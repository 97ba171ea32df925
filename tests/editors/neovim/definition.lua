-- Jumps to a definition within a file and across files.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  scenario.write("pkg/__init__.py", "")
  scenario.write("pkg/greetings.py", "import os\n\n\ndef greet_loudly(name):\n    return name\n")
  scenario.write(
    "main.py",
    "from pkg.greetings import greet_loudly\n\n\ndef local_one():\n    return 1\n\n\n"
      .. "print(greet_loudly('x'), local_one())\n"
  )
  local bufnr, client = scenario.open("main.py")
  scenario.jump(bufnr, "local_one())", "main.py", 4)
  scenario.jump(bufnr, "greet_loudly('x')", "pkg/greetings.py", 4)

  -- A position without a definition gives an empty result and no error.
  vim.api.nvim_win_set_buf(0, bufnr)
  local place = scenario.find(bufnr, "print(")
  local result, trouble = scenario.request(client, "textDocument/definition", {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    position = { line = place[1], character = place[2] },
  }, bufnr)
  assert(trouble == nil, vim.inspect(trouble))
  assert(result == nil or result == vim.NIL or #result == 0, vim.inspect(result))
end)
