-- A completion menu opens by itself while a name is typed, inserts nothing by itself, and can be turned off.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local child = require("child")

scenario.run(function()
  scenario.write(
    "a.py",
    "def calculate(x):\n    '''Gives :class:`Box`.'''\n    return x\n\n\nclass Box:\n    width = 1\n\n\n"
  )
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
  other:type("<C-n>")
  local documentation = other:wait(
    "what is known of it is shown",
    [[
    local winid = vim.fn.complete_info({ "selected", "preview_winid" }).preview_winid
    local is_there = winid and winid > 0 and vim.api.nvim_win_is_valid(winid)
    local bufnr = is_there and vim.api.nvim_win_get_buf(winid)
    return bufnr and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\\n")
  ]]
  )
  assert(documentation:find("def calculate(x)", 1, true), documentation)
  assert(documentation:find("Gives `Box`.", 1, true), documentation)
  other:type("<C-y>")
  other:wait("the entry is taken", [[return vim.api.nvim_get_current_line():find("^calculate")]])
  other:type("<Esc>oBox.wi")
  found = other:wait("and behind a dot", words)
  scenario.equal(found[1], "width", "with members")
  other:type("<C-e><Esc>")
  -- <C-Space> completes where nothing was typed.
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
