-- A patch lands in the unsaved buffer, the disk stays as it is, and undo takes the patch back.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  local saved = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
  scenario.write("main.py", saved)
  local bufnr, client = scenario.open("main.py")

  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { "# not saved", "" })
  local dirty = scenario.text(bufnr)
  -- What follows is a change of its own for undo, as it is for a person who paused.
  vim.cmd("let &undolevels = &undolevels")

  local result = scenario.call(client, bufnr, "apply_edit", {
    path = "main.py",
    patches = {
      { old_text = "    return 1", new_text = "    return 10" },
      { old_text = "    return 2", new_text = "    value = 20\n    return value" },
    },
  })
  scenario.equal(result.changed, true, "the result says that it changed")
  scenario.equal(#result.files, 1, "files changed")
  scenario.equal(result.files[1].path, "main.py", "the path as it was given")
  for _, patch in ipairs(result.files[1].patches) do
    scenario.equal(patch.outcome, "applied", "each patch is told")
  end
  scenario.equal(result.files[1].patches[1].start_line, 4, "lines are those of the unsaved text")
  assert(result.files[1].diff:find("+    return 10", 1, true), "the diff is shown")

  local patched = "# not saved\n\ndef one():\n    return 10\n\n\n"
    .. "def two():\n    value = 20\n    return value\n"
  scenario.equal(scenario.text(bufnr), patched, "the buffer is patched")
  scenario.equal(scenario.on_disk("main.py"), saved, "the disk is as it was")
  assert(vim.bo[bufnr].modified, "the buffer is still unsaved")
  scenario.in_step(client, bufnr, "main.py")

  vim.cmd.undo()
  scenario.equal(scenario.text(bufnr), dirty, "undo takes back the whole patch and no more")
  scenario.in_step(client, bufnr, "main.py")
  vim.cmd.redo()
  scenario.equal(scenario.text(bufnr), patched, "redo brings it again")
  scenario.in_step(client, bufnr, "main.py")

  -- A dry run shows the diff and changes nothing.
  local dry = scenario.call(client, bufnr, "apply_edit", {
    path = "main.py",
    old_text = "    return 10",
    new_text = "    return 11",
    dry_run = true,
  })
  assert(dry.files[1].diff:find("+    return 11", 1, true), "the dry run shows its diff")
  scenario.equal(scenario.text(bufnr), patched, "a dry run changes nothing")

  vim.cmd.write()
  scenario.equal(scenario.on_disk("main.py"), patched, "the person saves when they want to")
  scenario.in_step(client, bufnr, "main.py")
end)
