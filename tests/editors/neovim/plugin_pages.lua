-- Pages for people: index figures, the log, a tool's parameters, the health check.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

local function page()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

scenario.run(function()
  scenario.write("a.py", "def f():\n    return 1\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local bufnr = plugin.open("a.py")
  vim.cmd("Tandem index")
  scenario.wait("the figures are shown", function()
    return vim.api.nvim_get_current_buf() ~= bufnr and page():find("definitions", 1, true)
  end)
  vim.cmd.close()
  vim.cmd("Tandem tools")
  plugin.wait_said("apply_edit")
  vim.cmd("Tandem tools read_file")
  scenario.equal(vim.bo.filetype, "lua", "its types are shown")
  assert(
    vim.api.nvim_get_current_line():find("read_file", 1, true),
    vim.api.nvim_get_current_line()
  )
  vim.cmd.close()
  vim.cmd("Tandem log")
  assert(vim.api.nvim_buf_get_name(0):find("lsp.log", 1, true), vim.api.nvim_buf_get_name(0))
  vim.cmd.tabclose()
  scenario.wait("the server has told how it is", function()
    return next(require("tandem.status").of)
  end)
  vim.cmd("checkhealth tandem")
  local said = scenario.wait("the check is done", function()
    return page():find("neotest", 1, true) and page()
  end)
  assert(said:find(scenario.root .. ": ok", 1, true), said)
  assert(not said:find("ERROR", 1, true), said)
  vim.cmd("bdelete!")
  scenario.equal(#vim.lsp.get_clients(), 1, "no other folder has got a server")
  scenario.equal(vim.fn.getcompletion("silent Tandem sta", "cmdline"), { "start", "status" }, "too")
  vim.cmd("Tandem tools nonsense")
  plugin.wait_said("unknown tool `nonsense`")

  -- The last error is reported, with or without another message.
  local client = require("tandem.client").client(bufnr)
  local status = { health = "ok", quiescent = true, files = 1, agents = 0, lastError = "it failed" }
  require("tandem.status").told(status, client.id)
  vim.cmd("Tandem status")
  plugin.wait_said("it failed")

  -- Ignored files are listed beside attached ones, and unknown settings are reported.
  require("tandem").setup({ filetypes = { "python" }, reviews = "always" })
  vim.cmd.edit(scenario.write("notes.txt", "one\n"))
  vim.cmd("checkhealth tandem")
  said = page()
  assert(said:find("notes.txt is not attached: its filetype", 1, true), said)
  assert(said:find("there is no setting `reviews`", 1, true), said)
  vim.cmd("bdelete!")
  require("tandem").setup({})

  -- Program output has one window of limited size, also without line breaks.
  local debug = require("tandem.debug")
  vim.cmd("Tandem debug output")
  local windows = #vim.api.nvim_list_wins()
  for _ = 1, 40 do
    debug.wrote({ text = ("x"):rep(64 * 1024) })
  end
  debug.wrote({ text = "\nlast\n" })
  vim.cmd("Tandem debug output")
  scenario.equal(#vim.api.nvim_list_wins(), windows, "it is shown once")
  scenario.wait("what was written is shown", function()
    return page():find("\nlast\n", 1, true)
  end)
  assert(#page() < 2 * 1024 * 1024, "and bounded: " .. #page())
  vim.cmd.close()

  -- Every command is among those that complete, and each takes a wrong word without an error.
  local names = vim.fn.getcompletion("Tandem ", "cmdline")
  assert(#names > 15, vim.inspect(names))
  for _, name in ipairs({ "hunks", "conflicts", "review", "debug", "checkpoint" }) do
    vim.api.nvim_win_set_buf(0, bufnr)
    vim.cmd(("Tandem %s nonsense"):format(name))
  end
end)
