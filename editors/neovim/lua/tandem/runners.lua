-- The command lines of test runners, and parsers of their output. Pure functions: no disk, no editor.
local M = {}

---@alias tandem.Outcome "passed"|"failed"|"skipped"

---@class tandem.Runner
---@field files string[] Lua patterns of the names of test files.
---@field contains? string Text that a test file must contain.
---@field one string[] The command for one test, or for those inside one name; see `values`.
---@field file string[] The command for the tests of a file.
---@field folder string[] The command for the tests of a folder.
---@field lines {pattern: string, name: 1|2}[] Patterns of result lines, and which of the two captures is
---the test's name; the other is one of `words`.
---@field words table<string, tandem.Outcome>

-- The placeholders of commands: the file or folder, and the names of the test.
local function values(path, names)
  local folder = path:match("^(.*)/[^/]*$")
  return {
    path = path,
    id = table.concat({ path, unpack(names) }, "::"),
    name = names[#names],
    names = table.concat(names, "::"),
    -- In the form of Go's tools.
    package = folder and "./" .. folder or ".",
    below = path == "." and "./..." or "./" .. path .. "/...",
  }
end

---@type table<string, tandem.Runner>
M.RUNNERS = {
  python = {
    files = { "^test_.*%.py$", "_test%.py$" },
    one = { "python3", "-m", "pytest", "-rA", "-v", "{id}" },
    file = { "python3", "-m", "pytest", "-rA", "-v", "{path}" },
    folder = { "python3", "-m", "pytest", "-rA", "-v", "{path}" },
    -- The summary's lines, and those of `-v`, which alone name skipped tests.
    lines = {
      { pattern = "^(%u+) (.-::%S+)", name = 2 },
      { pattern = "^(.-::.-)%s+(%u+)", name = 1 },
    },
    words = {
      PASSED = "passed",
      XPASS = "passed",
      FAILED = "failed",
      ERROR = "failed",
      SKIPPED = "skipped",
      XFAIL = "skipped",
    },
  },
  go = {
    files = { "_test%.go$" },
    one = { "go", "test", "-v", "-run", "^{name}$", "{package}" },
    file = { "go", "test", "-v", "{package}" },
    folder = { "go", "test", "-v", "{below}" },
    lines = { { pattern = "^%-%-%- (%u+): (%S+)", name = 2 } },
    words = { PASS = "passed", FAIL = "failed", SKIP = "skipped" },
  },
  rust = {
    files = { "%.rs$" },
    contains = "#[test]",
    one = { "cargo", "test", "--", "{names}" },
    file = { "cargo", "test" },
    folder = { "cargo", "test" },
    lines = { { pattern = "^test (%S+) %.%.%. (%a+)", name = 1 } },
    words = { ok = "passed", FAILED = "failed", ignored = "skipped" },
  },
}

---The runner for a file, by its name.
---@param path string
---@return tandem.Runner?
---@return string? language
function M.of(path)
  local name = path:match("[^/]*$")
  for language, runner in pairs(M.RUNNERS) do
    for _, pattern in ipairs(runner.files) do
      if name:find(pattern) then
        return runner, language
      end
    end
  end
end

---Fills in the placeholders of a command.
---@param template string[] `one`, `file` or `folder` of a runner.
---@param path string Relative to the workspace's folder.
---@param names? string[] The names of the surrounding classes or modules, then the test's name.
---@return string[]
function M.command(template, path, names)
  local known = values(path, names or {})
  return vim.tbl_map(function(word)
    return (word:gsub("{(%a+)}", known))
  end, template)
end

-- The precedence of outcomes for a test that runs several times.
local RANKS = { skipped = 1, passed = 2, failed = 3 }

---The outcomes of tests, by the runner's names for them.
---@param runner tandem.Runner
---@param output string The runner's output.
---@return table<string, tandem.Outcome>
function M.told(runner, output)
  local found = {}
  local plain = output:gsub("\27%[[%d;]*m", "")
  for line in vim.gsplit(plain, "\n", { plain = true }) do
    for _, rule in ipairs(runner.lines) do
      local captures = { line:match(rule.pattern) }
      local outcome = runner.words[captures[3 - rule.name] or ""]
      if outcome then
        -- A parametrised test counts as one.
        local name = captures[rule.name]:gsub("%[.*$", "")
        if not found[name] or RANKS[found[name]] < RANKS[outcome] then
          found[name] = outcome
        end
        break
      end
    end
  end
  return found
end

---The outcome of a test among those that a runner reported, if any.
---@param told table<string, tandem.Outcome>
---@param path string Its file, relative to the workspace's folder.
---@param names string[] The names of the surrounding classes or modules, then the test's name.
---@return tandem.Outcome?
function M.outcome(told, path, names)
  local own = table.concat(names, "::")
  -- pytest puts the file before the names, cargo the crate's modules, Go neither.
  for _, name in ipairs({ path .. "::" .. own, own, names[#names] }) do
    if told[name] then
      return told[name]
    end
  end
  for name, outcome in pairs(told) do
    if vim.endswith(name, "::" .. own) and not name:find("/", 1, true) then
      return outcome
    end
  end
end

return M
