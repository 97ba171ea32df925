-- Positions behind characters of two, three and four bytes are right in both directions.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  scenario.write(
    "main.py",
    "# é 漢字 𝒳 👩‍👩‍👧 e\u{301}\n"
      .. "def größe(𝒳):\n    return 𝒳\n\n\n"
      .. 'print("𝒳𝒳漢é👩‍👩‍👧", größe(1))\n'
  )
  local bufnr, client = scenario.open("main.py")
  scenario.in_step(client, bufnr, "main.py")

  -- From the editor: the cursor behind wide characters of the same line.
  scenario.jump(bufnr, "größe(1)", "main.py", 2)

  -- Typing between and behind them.
  local place = scenario.find(bufnr, "漢é👩")
  vim.api.nvim_buf_set_text(bufnr, place[1], place[2], place[1], place[2] + #"漢", { "字𝒴" })
  vim.api.nvim_buf_set_text(
    bufnr,
    place[1],
    place[2] + #"字",
    place[1],
    place[2] + #"字",
    { "é" }
  )
  scenario.in_step(client, bufnr, "main.py")

  -- To the editor: a patch behind wide characters of the same line.
  local before = vim.api.nvim_buf_get_lines(bufnr, place[1], place[1] + 1, true)[1]
  scenario.call(client, bufnr, "apply_edit", {
    path = "main.py",
    old_text = "größe(1))",
    new_text = "größe(2), '𝒵')",
  })
  local after = vim.api.nvim_buf_get_lines(bufnr, place[1], place[1] + 1, true)[1]
  scenario.equal(after, (before:gsub("größe%(1%)%)", "größe(2), '𝒵')")), "the patched line")
  scenario.in_step(client, bufnr, "main.py")

  -- A diagnostic stands at its character.
  vim.api.nvim_buf_set_lines(bufnr, -1, -1, true, { "y = ('𝒳漢', " })
  scenario.wait("the diagnostic of the wide line", function()
    local found = vim.diagnostic.get(bufnr)
    return #found > 0 and found[1].lnum >= vim.api.nvim_buf_line_count(bufnr) - 1
  end)
end)
