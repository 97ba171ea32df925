-- Attaching to a file tells the server's name and what it can do.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  scenario.write("main.py", "def main():\n    return 1\n")
  local bufnr, client = scenario.open("main.py")

  scenario.equal(client.server_info.name, "tandem", "the server's name")
  assert(client.server_info.version:match("^%d+%.%d+%.%d+"), "the server tells its version")

  local can = client.server_capabilities
  local sync = can.textDocumentSync
  local change = type(sync) == "table" and sync.change or sync
  scenario.equal(change, vim.lsp.protocol.TextDocumentSyncKind.Incremental, "incremental sync")
  for _, method in ipairs({ "textDocument/definition", "textDocument/documentSymbol" }) do
    assert(client:supports_method(method, bufnr), method .. " is supported")
  end
  for _, command in ipairs({ "tandem.read_file", "tandem.apply_edit", "tandem.call" }) do
    assert(vim.tbl_contains(can.executeCommandProvider.commands, command), command .. " is listed")
  end

  -- A second file of the same workspace is served by the same server.
  scenario.write("other.py", "x = 1\n")
  local _, same = scenario.open("other.py")
  scenario.equal(same.id, client.id, "one server for one workspace")
  scenario.equal(#vim.lsp.get_clients(), 1, "servers running")
end)
