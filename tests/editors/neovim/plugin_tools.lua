-- Tools from Lua, typed; places in the quickfix list; what was done, listed and taken back.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.py", "def f():\n    return 1\n\n\nf()\nf()\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local bufnr = plugin.open("a.py")
  local tools = require("tandem").tools
  local result, error = tools.read_file({ path = "a.py" })
  assert(result and not error)
  result, error = tools.read_file({ path = "no.py" })
  scenario.equal(result, nil, "no result")
  scenario.equal(error.code, "E_FILE_NOT_FOUND", "errors are the tools' own")
  local routine_saw
  coroutine.wrap(function()
    routine_saw = tools.read_file({ path = "a.py" }).content
  end)()
  scenario.equal(routine_saw, nil, "a coroutine does not keep the editor")
  scenario.wait("it goes on", function()
    return routine_saw
  end)
  _, error = tools.read_file({ path = "a.py" }, { timeout = 0 })
  scenario.equal(error.code, "E_TIMEOUT", "an answer that does not come in time")

  vim.cmd('Tandem call grep_search {"pattern": "f[(]"}')
  scenario.wait("the places are in the quickfix list", function()
    return #vim.fn.getqflist() == 3
  end)
  scenario.equal(vim.fn.getqflist()[2].lnum, 5, "by line")
  vim.cmd.cclose()
  vim.cmd('Tandem call apply_edit {"path": "a.py", "old_text": "return 1", "new_text": "return 2"}')
  scenario.wait("the result is shown", function()
    return vim.bo.filetype == "json"
  end)
  vim.cmd.close()
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.cmd("Tandem call apply_edit {nonsense")
  plugin.wait_said("are not a JSON object")
  vim.cmd("Tandem nonsense")
  plugin.wait_said("there is no `nonsense`")
  scenario.equal(vim.fn.getcompletion("Tandem hunks st", "cmdline"), { "stage" }, "completion")
  assert(vim.list_contains(vim.fn.getcompletion("Tandem call ", "cmdline"), "apply_edit"))

  vim.cmd("Tandem activity")
  scenario.wait("the calls are listed", function()
    return vim.bo.filetype == "tandem-activity"
  end)
  local listed = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  assert(listed:find("✓ %S+ apply_edit a.py") and listed:find("✗ %S+ read_file no.py"), listed)
  vim.cmd.close()
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.cmd("Tandem undo")
  plugin.wait_said("is undone")
  scenario.wait("the edit is undone", function()
    return scenario.text(bufnr):find("return 1", 1, true)
  end)

  scenario.equal(require("tandem.dap").setup(), false, "there is no nvim-dap")
  package.preload.dap = function()
    return {}
  end
  assert(require("tandem.dap").setup())
  local adapter
  require("dap").adapters.tandem(function(given)
    adapter = given
  end)
  scenario.equal(adapter.args, { "dap", "--workspace", scenario.root }, "its adapter")
end)
