-- After two hundred changes in a row the server has the buffer's exact text.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

-- A small random generator, so that every run makes the same changes.
local seed = 20260101
local function random(limit)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return math.floor(seed / 65536) % limit
end

local PIECES = { "x", "foo(1)", "é", "𝒳", "漢字", "\n", "\n\n", "    ", "{", "}", '"', "" }

-- A byte column that is not inside a character.
local function column(text)
  local column = random(#text + 1)
  return column + vim.str_utf_start(text .. "\0", column + 1)
end

local function change(bufnr)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local first = random(count)
  local last = math.min(first + random(3), count - 1)
  local lines = vim.api.nvim_buf_get_lines(bufnr, first, last + 1, true)
  local from, to = column(lines[1]), column(lines[#lines])
  if first == last and from > to then
    from, to = to, from
  end
  local piece = PIECES[random(#PIECES) + 1] .. PIECES[random(#PIECES) + 1]
  vim.api.nvim_buf_set_text(bufnr, first, from, last, to, vim.split(piece, "\n"))
end

scenario.run(function()
  local lines = {}
  for index = 1, 60 do
    lines[index] = ('fn name_%d() { let é = "𝒳 %d"; }'):format(index, index)
  end
  scenario.write("main.rs", table.concat(lines, "\n") .. "\n")
  local bufnr, client = scenario.open("main.rs")

  for step = 1, 200 do
    change(bufnr)
    -- Now and then a pause, so that some changes are sent alone and others together.
    if step % 50 == 0 then
      vim.wait(200)
    elseif step % 20 == 0 then
      scenario.in_step(client, bufnr, "main.rs")
    end
  end
  scenario.in_step(client, bufnr, "main.rs")

  vim.cmd("silent undo 0")
  scenario.in_step(client, bufnr, "main.rs")
  scenario.equal(scenario.text(bufnr), scenario.on_disk("main.rs"), "all undone")
end)
