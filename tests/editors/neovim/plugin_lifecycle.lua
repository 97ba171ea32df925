-- Stopping, starting and restarting by hand: the request holds even if files open or servers die meanwhile.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

local function clients(bufnr)
  return vim.lsp.get_clients({ name = "tandem", bufnr = bufnr })
end

local function none(what)
  scenario.wait(what, function()
    return #clients() == 0
  end)
  vim.wait(500)
  scenario.equal(#clients(), 0, what)
end

scenario.run(function()
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  for _, name in ipairs({ "a.txt", "b.txt", "c.txt", "d.txt" }) do
    scenario.write(name, "one\n")
  end
  plugin.load()

  -- Turned off, files are attached to by hand, and come back after a crash as others do.
  require("tandem").setup({ enabled = false })
  vim.cmd.edit(scenario.root .. "/a.txt")
  local bufnr = vim.api.nvim_get_current_buf()
  vim.wait(200)
  scenario.equal(#clients(), 0, "turned off, nothing is attached")
  vim.cmd("checkhealth tandem")
  local said = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  assert(said:find("`enabled` is false", 1, true), said)
  vim.cmd("bdelete!")
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.cmd("Tandem start")
  local first = plugin.attached(bufnr)
  vim.uv.kill(plugin.process(first), "sigkill")
  scenario.wait("another server", function()
    local now = clients(bufnr)[1]
    return now and now.id ~= first.id and now.initialized
  end)
  require("tandem").setup({})

  -- A file that is opened while the server is restarted has the new one, which stays.
  vim.cmd("Tandem restart")
  vim.cmd.edit(scenario.root .. "/b.txt")
  local opened = vim.api.nvim_get_current_buf()
  local after = plugin.attached(opened)
  vim.wait(4000, function()
    return after:is_stopped()
  end)
  assert(not after:is_stopped(), "the new server is not ended with the old one")
  scenario.equal(#clients(), 1, "one server")
  scenario.equal(plugin.attached(bufnr).id, after.id, "for all files")

  -- A server that is stopped while it is about to restart stays stopped, also for files opened then.
  vim.uv.kill(plugin.process(after), "sigkill")
  scenario.wait("the client is gone", function()
    return not vim.lsp.get_client_by_id(after.id)
  end)
  vim.cmd("Tandem stop")
  none("it stays ended")
  vim.cmd.edit(scenario.root .. "/c.txt")
  none("a file that is opened does not start it")
  vim.cmd("checkhealth tandem")
  said = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  assert(said:find(":Tandem stop", 1, true), said)
  vim.cmd("bdelete!")
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.cmd("Tandem start")
  local client = plugin.attached(bufnr)

  -- A server stopped by Neovim's own commands has not crashed.
  scenario.method(client, "stop", true)
  none("it is not started again")
end)
