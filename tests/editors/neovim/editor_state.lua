-- The selection that Neovim reports is read, replaced in the unsaved buffer, and undone.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local reporting = require("reporting")
local scenario = require("scenario")

scenario.run(function()
  scenario.write("main.py", 'name = "a😀b"\nprint(name)\n')
  scenario.write("other.py", "pass\n")
  vim.cmd.edit(vim.fn.fnameescape(scenario.root .. "/other.py"))
  local bufnr, client = scenario.open("main.py")

  local _, trouble = scenario.try_call(client, bufnr, "get_selection", vim.empty_dict())
  scenario.equal(trouble.data.code, "E_NO_EDITOR", "what nobody reported")

  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { "# not saved" })
  vim.cmd("let &undolevels = &undolevels")
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  reporting.select(client, bufnr, 'f"vf"')

  local state = scenario.call(client, bufnr, "get_editor_state", vim.empty_dict())
  scenario.equal(state.active_file, "main.py", "the active file")
  scenario.equal(state.open_files, { "other.py", "main.py" }, "the tabs")
  scenario.equal(state.active_tab_index, 1, "the tab in front")
  scenario.equal(state.dirty_files, { "main.py" }, "the unsaved files")
  scenario.equal(state.selection_start_line, 2, "the selection's first line")
  -- The emoji is two UTF-16 units.
  scenario.equal(state.cursor_column, 14, "the cursor's column")
  scenario.equal(state.visible[1].path, "main.py", "what can be seen")

  local selection = scenario.call(client, bufnr, "get_selection", vim.empty_dict())
  scenario.equal(selection.content, '"a😀b"', "the selected text")

  -- Typed above it, and not reported: the selection is carried along.
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { "# é", "# more" })
  vim.cmd("let &undolevels = &undolevels")
  local dirty = scenario.text(bufnr)
  local result = scenario.call(client, bufnr, "replace_selection", { content = "1\n" })
  scenario.equal(result.start_line, 4, "where it is now")
  local replaced = dirty:gsub('"a😀b"', "1\n")
  scenario.equal(scenario.text(bufnr), replaced, "the selection is replaced")
  scenario.in_step(client, bufnr, "main.py")
  vim.cmd.undo()
  scenario.equal(scenario.text(bufnr), dirty, "undo takes it back and no more")
  scenario.in_step(client, bufnr, "main.py")

  -- At the cursor, in the middle of a word.
  local place = scenario.find(bufnr, "name)")
  reporting.report(client, bufnr, { place[1], place[2] + 2 })
  scenario.call(client, bufnr, "insert_at_cursor", { content = "😀" })
  scenario.call(client, bufnr, "insert_at_cursor", { content = "é" })
  local inserted = dirty:gsub("name%)", "na😀éme)")
  scenario.equal(scenario.text(bufnr), inserted, "the text goes in at the cursor")
  scenario.in_step(client, bufnr, "main.py")

  -- After typing into the selection, the selection is unknown.
  vim.api.nvim_win_set_cursor(0, { 4, 0 })
  reporting.select(client, bufnr, "v3l")
  vim.api.nvim_buf_set_text(bufnr, 3, 1, 3, 2, { "X" })
  local before = scenario.text(bufnr)
  _, trouble = scenario.try_call(client, bufnr, "replace_selection", { content = "lost" })
  scenario.equal(trouble.data.code, "E_CONFLICT", "what was touched")
  scenario.equal(scenario.text(bufnr), before, "nothing is changed")
end)
