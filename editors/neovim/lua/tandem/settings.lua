-- The person's settings: `vim.g.tandem`, or `require("tandem").setup(settings)`.
local M = {}

---@class tandem.Settings
---@field enabled? boolean Whether files are attached to by themselves; true.
---@field cmd? string[] How the server is started; { "tandem", "lsp", "--stdio" }.
---@field root_markers? string[] What stands in a workspace's folder.
---@field root_dir? fun(bufnr: integer): string? The workspace of a buffer; nil leaves it alone.
---@field filetypes? string[] Only these; by default all files.
---@field max_bytes? integer Longer files are left alone; 55 MB.
---@field review? "never"|"always" Whether every change is shown before it is made; "never".
---@field blame? boolean|{lens?: boolean, inlay?: boolean, hover?: boolean} What is shown of blame.
---@field hunks? boolean Signs for what differs from git's index; true.
---@field editor_state? boolean Whether tools may see tabs and selections; true.
---@field restarts? integer How often in three minutes a server that dies is started again; 5.

---@type tandem.Settings
local DEFAULTS = {
  enabled = true,
  cmd = { "tandem", "lsp", "--stdio" },
  root_markers = {
    ".tandem",
    ".git",
    "Cargo.toml",
    "go.mod",
    "package.json",
    "pyproject.toml",
    "compile_commands.json",
    "pom.xml",
    "build.gradle",
  },
  max_bytes = 55 * 1024 * 1024,
  review = "never",
  blame = false,
  hunks = true,
  editor_state = true,
  restarts = 5,
}

---@type tandem.Settings?
local given

---@param settings? tandem.Settings
function M.set(settings)
  given = settings
end

---@return tandem.Settings
function M.current()
  return vim.tbl_extend("force", DEFAULTS, vim.g.tandem or {}, given or {})
end

-- What was turned on or off since, as the server takes it.
local changed = {}

---Changes settings of servers for as long as this Neovim runs.
---@param changes table
function M.change(changes)
  changed = vim.tbl_deep_extend("force", changed, changes)
end

---@return table What was changed so, and nothing else.
function M.changes()
  return vim.deepcopy(changed)
end

---@class tandem.ServerSettings
---@field review "never"|"always"
---@field git {blame: {lens?: boolean, inlay?: boolean, hover?: boolean}}

---As the server takes them.
---@return tandem.ServerSettings
function M.of_server()
  local settings = M.current()
  local blame = settings.blame
  if type(blame) ~= "table" then
    local is_shown = blame == true
    blame = { lens = is_shown, inlay = is_shown, hover = is_shown }
  end
  local own = { review = settings.review, git = { blame = blame } }
  return vim.tbl_deep_extend("force", own, changed)
end

---Settings that there are not, which are likely misspelt.
---@return string[]
function M.unknown()
  local known = { root_dir = true, filetypes = true }
  local found = vim.tbl_filter(function(name)
    return DEFAULTS[name] == nil and not known[name]
  end, vim.tbl_keys(M.current()))
  table.sort(found)
  return found
end

return M
