-- Converts locations in tools' results to quickfix items.
local M = {}

-- The fields of results that have lists of locations.
local LISTS = { "matches", "places", "locations", "symbols", "diagnostics", "candidates" }

local function number(...)
  for _, one in ipairs({ ... }) do
    if type(one) == "number" then
      return one
    end
  end
end

local function text_of(one)
  for _, name in ipairs({ "message", "text", "content", "name", "symbol" }) do
    if type(one[name]) == "string" then
      return (one[name]:gsub("%s+", " "))
    end
  end
  return type(one.line) == "string" and one.line or ""
end

local function item(one, root, path)
  path = type(one.path) == "string" and one.path or path
  local uri = type(one.uri) == "string" and one.uri
  if not path and not uri then
    return nil
  end
  local file = path and (vim.startswith(path, "/") and path or root .. "/" .. path)
    or vim.uri_to_fname(uri)
  local range = type(one.range) == "table" and one.range.start
  local line = number(one.line_number, one.line, one.start_line) or (range and range.line + 1) or 1
  return {
    filename = file,
    lnum = line,
    col = number(one.column, one.start_column),
    text = text_of(one),
  }
end

---The locations in a result.
---@param result table
---@param root string The workspace, which paths are relative to.
---@return table[]
function M.items(result, root)
  local items = {}
  local function gather(list, path)
    for _, one in ipairs(list) do
      if type(one) == "table" then
        table.insert(items, item(one, root, path))
      end
    end
  end
  for _, name in ipairs(LISTS) do
    if type(result[name]) == "table" then
      gather(result[name])
    end
  end
  for _, file in ipairs(type(result.files) == "table" and result.files or {}) do
    for _, name in ipairs(LISTS) do
      if type(file) == "table" and type(file[name]) == "table" then
        gather(file[name], file.path)
      end
    end
  end
  return items
end

---@param items table[]
---@param title string
function M.show(items, title)
  if #items == 0 then
    return vim.notify("tandem: there are no locations")
  end
  vim.fn.setqflist({}, " ", { title = "Tandem: " .. title, items = items })
  vim.cmd("botright copen")
end

return M
