-- A person who types while an edit is on its way to the buffers.

local scenario = require("scenario")

local M = {}

M.BEFORE = "first = 1\nvalue = 0\nlast = 1\n"

-- Puts the text back as it was.
function M.reset(bufnr)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, vim.split(vim.trim(M.BEFORE), "\n"))
end

-- Sends an edit of these files, types into `typed` after `delay` milliseconds, and tells whether
-- the server says that the edit was made.
function M.edit_and_type(client, bufnr, paths, typed, delay)
  local edits = vim.tbl_map(function(path)
    local patch = { old_text = "value = 0", new_text = "value = 1000\nmore = 2000" }
    return { path = path, patches = { patch } }
  end, paths)
  local answer
  scenario.method(client, "request", "workspace/executeCommand", {
    command = "tandem.apply_edit",
    arguments = { { edits = edits } },
  }, function(trouble, result)
    answer = { trouble = trouble, result = result }
  end, bufnr)
  if delay > 0 then
    vim.wait(delay, function()
      return false
    end, 1)
  end
  -- Above the edited line, so that an edit of the old text would land in the wrong place.
  vim.api.nvim_buf_set_lines(typed, 0, 0, true, { "# typed", "# and more" })
  scenario.wait("the edit is answered", function()
    return answer
  end)
  if answer.trouble then
    scenario.equal(answer.trouble.data.code, "E_CONFLICT", "why: " .. vim.inspect(answer.trouble))
    return false
  end
  scenario.equal(answer.result.changed, true, "the result says that it changed")
  if answer.result.unconfirmed then
    -- Neovim says that it made an edit which it refused, and is slow to tell of the text: the result
    -- says that nobody knows.
    local text = scenario.text(bufnr)
    return text:find("value = 1000", 1, true) ~= nil
  end
  return true
end

-- What a buffer holds after that.
function M.expected(made, was_typed_in)
  local text = M.BEFORE
  if made then
    text = text:gsub("value = 0", "value = 1000\nmore = 2000")
  end
  return (was_typed_in and "# typed\n# and more\n" or "") .. text
end

return M
