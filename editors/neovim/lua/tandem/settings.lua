-- The person's settings: `vim.g.tandem`, or `require("tandem").setup(settings)`.
local M = {}

---@class tandem.Settings
---@field enabled? boolean Whether to attach to files automatically; true.
---@field cmd? string[] The command that starts the server; { "tandem", "lsp", "--stdio" }.
---@field root_markers? string[] Names of files and folders that mark a workspace.
---@field root_dir? fun(bufnr: integer): string? The workspace of a buffer; nil if it is to be ignored.
---@field filetypes? string[] The filetypes to attach to; all by default.
---@field max_bytes? integer Larger files are ignored; 55 MB.
---@field review? "never"|"always" Whether every change is shown before it is made; "never".
---@field blame? boolean|{lens?: boolean, inlay?: boolean, hover?: boolean} Where to show blame; false.
---@field hunks? boolean Signs for differences to git's index; true.
---@field check_on_save? boolean Whether the project's linter and type checker run when a file is saved; false.
---@field editor_state? boolean Whether tools may see tabs and selections; true.
---@field completion? boolean Whether a menu opens while a name is typed; true.
---@field mark_edits? number Seconds for which visible edits by tools are marked; 4.
---@field restarts? integer How often in three minutes a crashed server is restarted; 5.

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
  check_on_save = false,
  editor_state = true,
  completion = true,
  mark_edits = 4,
  restarts = 5,
}

---@type tandem.Settings?
local given

---@param settings? tandem.Settings
function M.set(settings)
  given = settings
end

-- The type of each setting, in words and as a test.
---@type table<string, {words: string, holds: fun(value: any): boolean}>
local KINDS = {}

local function kind(names, words, holds)
  for _, name in ipairs(names) do
    KINDS[name] = { words = words, holds = holds }
  end
end

local function is(wanted)
  return function(value)
    return type(value) == wanted
  end
end

kind(
  { "enabled", "hunks", "check_on_save", "editor_state", "completion" },
  "true or false",
  is("boolean")
)
kind({ "cmd" }, "a list of words", function(value)
  return type(value) == "table" and type(value[1]) == "string"
end)
kind({ "root_markers", "filetypes" }, "a list", vim.islist)
kind({ "root_dir" }, "a function", is("function"))
kind({ "max_bytes", "restarts", "mark_edits" }, "a number", is("number"))
kind({ "review" }, '"never" or "always"', function(value)
  return value == "never" or value == "always"
end)
kind({ "blame" }, "true, false or a table", function(value)
  return type(value) == "boolean" or type(value) == "table"
end)

-- The settings, and the problems of those given: invalid ones are ignored.
local function read()
  local settings, problems = vim.deepcopy(DEFAULTS), {}
  local function take(own, from)
    if type(own) ~= "table" then
      table.insert(problems, ("%s is a %s, not a table"):format(from, type(own)))
      return
    end
    for name, value in pairs(own) do
      local wanted = KINDS[name]
      if not wanted then
        table.insert(problems, ("there is no setting `%s`"):format(name))
      elseif wanted.holds(value) then
        settings[name] = value
      else
        local is_word = type(value) == "string" and wanted.words:find('"', 1, true)
        local what = is_word and ('"%s"'):format(value) or "a " .. type(value)
        table.insert(problems, ("`%s` is %s, not %s"):format(name, what, wanted.words))
      end
    end
  end
  take(vim.g.tandem or {}, "vim.g.tandem")
  take(given or {}, "what setup() was given")
  return settings, problems
end

---@return tandem.Settings
function M.current()
  return (read())
end

---The problems of the settings, one a line; the defaults are used instead.
---@return string[]
function M.problems()
  local _, problems = read()
  table.sort(problems)
  return problems
end

-- Changes since the start, as the server takes them.
local changed = {}

---Changes settings of servers until this Neovim ends.
---@param changes table
function M.change(changes)
  changed = vim.tbl_deep_extend("force", changed, changes)
end

---@return table Only these changes.
function M.changes()
  return vim.deepcopy(changed)
end

---@class tandem.ServerSettings
---@field review "never"|"always"
---@field check {onSave: boolean}
---@field git {blame: {lens?: boolean, inlay?: boolean, hover?: boolean}}

---The settings as the server takes them.
---@return tandem.ServerSettings
function M.of_server()
  local settings = M.current()
  local blame = settings.blame
  if type(blame) ~= "table" then
    local is_shown = blame == true
    blame = { lens = is_shown, inlay = is_shown, hover = is_shown }
  end
  local own = {
    review = settings.review,
    git = { blame = blame },
    check = { onSave = settings.check_on_save == true },
  }
  return vim.tbl_deep_extend("force", own, changed)
end

return M
