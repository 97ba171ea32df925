-- A menu opens by itself while a name is typed, puts nothing in unasked, and can be turned off.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local child = require("child")

scenario.run(function()
  scenario.write("a.py", "def calculate(x):\n    return x\n\n\nclass Box:\n    width = 1\n\n\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  local other = child.start("a.py")
  local words = [[
    if vim.fn.pumvisible() == 0 then return nil end
    return vim.tbl_map(function(item) return item.word end, vim.fn.complete_info({ "items" }).items)
  ]]
  other:type("Gocalcu")
  local found = other:wait("the menu opens while a name is typed", words)
  assert(vim.list_contains(found, "calculate") or found[1]:find("^calculate"), vim.inspect(found))
  scenario.equal(other:run("return vim.api.nvim_get_current_line()"), "calcu", "nothing is put in")
  other:type("<C-n><C-y>")
  other:wait("the entry is taken", [[return vim.api.nvim_get_current_line():find("^calculate")]])
  other:type("<Esc>oBox.wi")
  found = other:wait("and behind a dot", words)
  scenario.equal(found[1], "width", "with members")
  other:type("<C-e><Esc>")
  -- <C-Space> asks where nothing was typed.
  other:type("oBo<C-e><C-Space>")
  found = other:wait("by a key", words)
  assert(vim.list_contains(found, "Box"), vim.inspect(found))
  other:type("<C-e><Esc>")
  -- After the server has died, too.
  other:run([[
    _G.old = vim.lsp.get_clients({ name = "tandem" })[1].id
    vim.lsp.get_client_by_id(_G.old).rpc.terminate()
  ]])
  other:wait(
    "another server is there",
    [[
    local client = vim.lsp.get_clients({ name = "tandem", bufnr = 0 })[1]
    return client and client.id ~= _G.old and client.initialized
  ]]
  )
  other:type("ocalcu")
  other:wait("completion is back", words)
  other:stop()
  -- Turned off, it stays away.
  vim.g.tandem = { completion = false }
  local plugin = require("plugin")
  plugin.load()
  local bufnr, client = plugin.open("a.py")
  local triggers = client.server_capabilities.completionProvider.triggerCharacters
  assert(not vim.list_contains(triggers, "a"), "no letter asks")
  scenario.equal(vim.bo[bufnr].completeopt, "", "the option is left alone")
end)
