-- Windows line endings stay what they are, through typing and patches.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  local saved = "def one(x=0):\r\n    return 1\r\n\r\n\r\ndef two():\r\n    return one()\r\n"
  scenario.write("main.py", saved)
  local bufnr, client = scenario.open("main.py")
  scenario.equal(vim.bo[bufnr].fileformat, "dos", "Neovim sees the line endings")
  scenario.equal(scenario.read(client, bufnr, "main.py"), saved, "and so does the server")
  scenario.jump(bufnr, "one()", "main.py", 1)

  vim.api.nvim_buf_set_lines(bufnr, 2, 2, true, { "# typed", "" })
  vim.api.nvim_buf_set_text(bufnr, 1, 4, 1, 10, { "x = 1", "    return" })
  scenario.in_step(client, bufnr, "main.py")

  -- The patch is written with plain line feeds, as plugins write it.
  scenario.call(client, bufnr, "apply_edit", {
    path = "main.py",
    old_text = "def two():\n    return one()\n",
    new_text = "def two():\n    value = one()\n    return value\n",
  })
  scenario.equal(
    scenario.text(bufnr),
    "def one(x=0):\r\n    x = 1\r\n    return 1\r\n# typed\r\n\r\n\r\n\r\n"
      .. "def two():\r\n    value = one()\r\n    return value\r\n",
    "the patched buffer"
  )
  for _, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)) do
    assert(not line:find("\r"), "no carriage return within a line: " .. vim.inspect(line))
  end
  scenario.in_step(client, bufnr, "main.py")
  vim.cmd.write()
  scenario.equal(scenario.on_disk("main.py"), scenario.text(bufnr), "the file as saved")

  -- A file that is not open keeps its endings on disk as well.
  scenario.write("closed.py", "a = 1\r\nb = 2\r\n")
  scenario.call(client, bufnr, "apply_edit", {
    path = "closed.py",
    old_text = "a = 1\nb = 2\n",
    new_text = "a = 1\nc = 3\nb = 2\n",
  })
  scenario.equal(scenario.on_disk("closed.py"), "a = 1\r\nc = 3\r\nb = 2\r\n", "the closed file")
end)
