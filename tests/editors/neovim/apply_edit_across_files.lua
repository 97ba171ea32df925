-- One edit changes an open buffer through the editor and a closed file on disk.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  scenario.write("open.py", "from closed import old_name\n\nold_name()\n")
  scenario.write("closed.py", "def old_name():\n    pass\n")
  local bufnr, client = scenario.open("open.py")
  vim.api.nvim_buf_set_lines(bufnr, -1, -1, true, { "# not saved" })

  local result = scenario.call(client, bufnr, "apply_edit", {
    edits = {
      {
        path = "open.py",
        patches = {
          { old_text = "import old_name", new_text = "import new_name" },
          { old_text = "old_name()", new_text = "new_name()" },
        },
      },
      {
        path = "closed.py",
        patches = { { old_text = "def old_name", new_text = "def new_name" } },
      },
    },
  })
  scenario.equal(result.changed, true, "it changed")
  scenario.equal(#result.files, 2, "both files are told")
  scenario.equal(
    scenario.text(bufnr),
    "from closed import new_name\n\nnew_name()\n# not saved\n",
    "the open buffer"
  )
  scenario.equal(
    scenario.on_disk("open.py"),
    "from closed import old_name\n\nold_name()\n",
    "the open file on disk"
  )
  scenario.equal(
    scenario.on_disk("closed.py"),
    "def new_name():\n    pass\n",
    "the closed file on disk"
  )
  scenario.in_step(client, bufnr, "open.py")
  scenario.equal(
    scenario.read(client, bufnr, "closed.py"),
    "def new_name():\n    pass\n",
    "the closed file as the server reads it"
  )

  -- One file that does not match stops the edit of the other too.
  local _, trouble = scenario.try_call(client, bufnr, "apply_edit", {
    edits = {
      { path = "closed.py", patches = { { old_text = "pass", new_text = "return" } } },
      { path = "open.py", patches = { { old_text = "no such text", new_text = "x" } } },
    },
  })
  scenario.equal(trouble.data.code, "E_NO_MATCH", "the edit is refused")
  scenario.equal(
    scenario.on_disk("closed.py"),
    "def new_name():\n    pass\n",
    "the closed file is left alone"
  )
end)
