-- What an editor's plugin reports: the active document, its tabs, and what is selected.

local scenario = require("scenario")

local M = {}

local function position(client, bufnr, line, column)
  local text = vim.api.nvim_buf_get_lines(bufnr, line, line + 1, true)[1]
  local character = vim.str_utfindex(text, client.offset_encoding, math.min(column, #text), false)
  return { line = line, character = character }
end

-- The bytes from `first` to `last`, {line, column} both 0-based, the last one included in Vim's
-- way; without `last`, the cursor alone.
function M.report(client, bufnr, first, last)
  local selection
  if last then
    local text = vim.api.nvim_buf_get_lines(bufnr, last[1], last[1] + 1, true)[1]
    -- Past the last character, however many bytes it has.
    local past = last[2] + 1 + vim.str_utf_end(text, last[2] + 1)
    selection = {
      start = position(client, bufnr, first[1], first[2]),
      ["end"] = position(client, bufnr, last[1], past),
    }
  else
    local cursor = first or vim.api.nvim_win_get_cursor(0)
    local place = position(client, bufnr, first and cursor[1] or cursor[1] - 1, cursor[2])
    selection = { start = place, ["end"] = place }
  end
  local tabs = {}
  local active
  for _, listed in ipairs(vim.fn.getbufinfo({ buflisted = 1 })) do
    table.insert(tabs, { uri = vim.uri_from_bufnr(listed.bufnr), dirty = listed.changed == 1 })
    if listed.bufnr == bufnr then
      active = #tabs - 1
    end
  end
  scenario.method(client, "notify", "tandem/didChangeEditorState", {
    activeUri = vim.uri_from_bufnr(bufnr),
    tabs = tabs,
    activeTab = active,
    selections = { selection },
    visible = {
      {
        uri = vim.uri_from_bufnr(bufnr),
        range = {
          start = { line = vim.fn.line("w0") - 1, character = 0 },
          ["end"] = { line = vim.fn.line("w$") - 1, character = 0 },
        },
      },
    },
    version = vim.lsp.util.buf_versions[bufnr],
  })
end

-- Selects as a person does, by keys in visual mode, and reports it.
function M.select(client, bufnr, keys)
  vim.cmd("normal! " .. keys .. "\27")
  local function mark(name)
    local place = vim.api.nvim_buf_get_mark(bufnr, name)
    return { place[1] - 1, place[2] }
  end
  M.report(client, bufnr, mark("<"), mark(">"))
end

return M
