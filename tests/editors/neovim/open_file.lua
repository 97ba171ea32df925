-- A tool opens a file and puts the cursor where it was asked to.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local reporting = require("reporting")
local scenario = require("scenario")

scenario.run(function()
  scenario.write("main.py", "one = 1\n")
  scenario.write("dir/other file.py", "first\né😀second = 2\nthird\n")
  local bufnr, client = scenario.open("main.py")

  local result = scenario.call(client, bufnr, "open_file", {
    path = "dir/other file.py",
    line = 2,
    column = 4,
  })
  scenario.equal(result.path, "dir/other file.py", "the file that is shown")
  local other = vim.api.nvim_get_current_buf()
  local name = vim.api.nvim_buf_get_name(other)
  scenario.equal(name, scenario.root .. "/dir/other file.py", "the buffer in front")
  -- Columns are UTF-16 units, Neovim's are bytes.
  scenario.equal(vim.api.nvim_win_get_cursor(0), { 2, #"é😀" }, "the cursor")

  scenario.attach(other)
  reporting.report(client, other)
  scenario.call(client, other, "goto_line", { line = 3 })
  scenario.equal(vim.api.nvim_win_get_cursor(0), { 3, 0 }, "the line that was gone to")

  local _, trouble = scenario.try_call(client, other, "open_file", { path = "none.py" })
  scenario.equal(trouble.data.code, "E_FILE_NOT_FOUND", "what is not there")
  scenario.equal(vim.api.nvim_get_current_buf(), other, "nothing else is opened")
end)
