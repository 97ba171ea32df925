-- A tool's edit is highlighted for some seconds in visible windows; `u` in one of its files offers the rest.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local child = require("child")

scenario.run(function()
  scenario.write("a.txt", "one\ntwo\nthree\n")
  scenario.write("b.txt", "one\n")
  scenario.write("c.txt", "one\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  local other = child.start("a.txt")
  other:run("vim.g.tandem = { mark_edits = 1 }")
  local function edit(from, to)
    local edits = {}
    for _, path in ipairs({ "a.txt", "b.txt", "c.txt" }) do
      local patches = { { old_text = from, new_text = to } }
      table.insert(edits, { path = path, patches = patches })
    end
    local result = other:run(
      [[
      local result, error = require("tandem").call("apply_edit", ...)
      return { result = result, error = error }
    ]],
      { edits = edits }
    )
    assert(result.result, vim.inspect(result))
  end
  other:run([[vim.cmd("badd b.txt") vim.fn.bufload("b.txt")]])
  other:wait(
    "both are attached",
    [[
    local client = vim.lsp.get_clients({ name = "tandem" })[1]
    return vim.lsp.buf_is_attached(vim.fn.bufnr("b.txt"), client.id) or
      vim.cmd("doautocmd BufReadPost b.txt") or nil
  ]]
  )
  local marks = [[
    local namespace = vim.api.nvim_get_namespaces()["tandem.edits"]
    if not namespace then return {} end
    local found = vim.api.nvim_buf_get_extmarks(vim.fn.bufnr(...), namespace, 0, -1, {})
    return vim.tbl_map(function(mark) return mark[2] end, found)
  ]]
  edit("one\n", "ONE\nMORE\n")
  scenario.equal(other:run(marks, "a.txt"), { 0, 1 }, "the lines are marked where one looks")
  scenario.equal(other:run(marks, "b.txt"), {}, "and nowhere else")
  scenario.wait("the marks go", function()
    return #other:run(marks, "a.txt") == 0
  end)
  -- The person undoes it in one file only.
  other:type("u")
  local prompt = other:wait("the others are offered", "return _G.chosen[1]")
  assert(prompt:find("b.txt, c.txt", 1, true), prompt)
  local text =
    "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true), ' ')"
  scenario.equal(other:run(text, "a.txt"), "one two three", "it is undone here")
  scenario.equal(other:run(text, "b.txt"), "ONE MORE", "and not there")
  scenario.equal(scenario.on_disk("c.txt"), "ONE\nMORE\n", "nor on disk")
  -- Again, and now everywhere.
  other:type("<C-r>")
  other:wait("it is there again", "return vim.api.nvim_buf_line_count(0) == 4")
  edit("MORE", "LESS")
  other:run("_G.answer = 1")
  other:type("u")
  other:wait(
    "it is undone in the other buffer, too",
    text:gsub("^return (.*)$", "return %1 == 'ONE MORE'"),
    "b.txt"
  )
  scenario.wait("and on disk", function()
    return scenario.on_disk("c.txt") == "ONE\nMORE\n"
  end)
  scenario.equal(#other:run("return _G.chosen"), 2, "it was offered once each time")
  -- An edit of one file offers nothing, and with review on nothing is marked.
  other:run([[
    assert(require("tandem").call("apply_edit", { path = "a.txt", old_text = "two", new_text = "2" }))
  ]])
  other:type("u")
  vim.wait(300)
  scenario.equal(#other:run("return _G.chosen"), 2, "there is nothing to offer")
  -- A buffer that is reloaded has another undo history.
  edit("MORE", "NEW")
  other:run("vim.cmd('silent write | bdelete! | edit a.txt')")
  other:type("ix<Esc>u")
  vim.wait(300)
  scenario.equal(#other:run("return _G.chosen"), 2, "nor to offer after that")
  other:stop()
end)
