-- How the runners of tests are called, and how they tell what passed. No disk, no editor: text in,
-- tables out.
local M = {}

---@class tandem.Runner
---@field files string A Lua pattern of the names of files that hold tests.
---@field contains? string Text that such a file has.
---@field one fun(path: string, names: string[]): string[] Runs one test, or those inside of one name.
---@field file fun(path: string): string[] Runs the tests of a file.
---@field folder fun(path: string): string[] Runs the tests of a folder.
---@field told fun(output: string): table<string, "passed"|"failed"|"skipped"> By the test's own name.

-- The path of a folder, as Go's tools have it.
local function package_of(path)
  local folder = path:match("^(.*)/[^/]*$")
  return folder and "./" .. folder or "."
end

local function lines(output)
  return vim.gsplit(output:gsub("\27%[[%d;]*m", ""), "\n", { plain = true })
end

---@type table<string, tandem.Runner>
M.RUNNERS = {
  python = {
    files = "^test_.*%.py$|_test%.py$",
    one = function(path, names)
      return { "python3", "-m", "pytest", "-rA", "-q", table.concat({ path, unpack(names) }, "::") }
    end,
    file = function(path)
      return { "python3", "-m", "pytest", "-rA", "-q", path }
    end,
    folder = function(path)
      return { "python3", "-m", "pytest", "-rA", "-q", path }
    end,
    told = function(output)
      local words = { PASSED = "passed", FAILED = "failed", ERROR = "failed", SKIPPED = "skipped" }
      local found = {}
      for line in lines(output) do
        local word, id = line:match("^(%u+) (%S+::%S+)")
        if words[word or ""] then
          -- A test with parameters is one test here, which fails where one of them does.
          local name = id:gsub("%[.*$", "")
          found[name] = found[name] == "failed" and "failed" or words[word]
        end
      end
      return found
    end,
  },
  go = {
    files = "_test%.go$",
    one = function(path, names)
      return { "go", "test", "-v", "-run", "^" .. names[#names] .. "$", package_of(path) }
    end,
    file = function(path)
      return { "go", "test", "-v", package_of(path) }
    end,
    folder = function(path)
      return { "go", "test", "-v", path == "." and "./..." or "./" .. path .. "/..." }
    end,
    told = function(output)
      local words = { PASS = "passed", FAIL = "failed", SKIP = "skipped" }
      local found = {}
      for line in lines(output) do
        local word, name = line:match("^%-%-%- (%u+): (%S+)")
        if words[word or ""] then
          found[name] = words[word]
        end
      end
      return found
    end,
  },
  rust = {
    files = "%.rs$",
    contains = "#[test]",
    one = function(_, names)
      return { "cargo", "test", "--", table.concat(names, "::") }
    end,
    file = function()
      return { "cargo", "test" }
    end,
    folder = function()
      return { "cargo", "test" }
    end,
    told = function(output)
      local words = { ok = "passed", FAILED = "failed", ignored = "skipped" }
      local found = {}
      for line in lines(output) do
        local name, word = line:match("^test (%S+) %.%.%. (%a+)")
        if words[word or ""] then
          found[name] = words[word]
        end
      end
      return found
    end,
  },
}

---The runner for a file, by its name.
---@param path string
---@return tandem.Runner?
---@return string? language
function M.of(path)
  local name = path:match("[^/]*$")
  for language, runner in pairs(M.RUNNERS) do
    for pattern in runner.files:gmatch("[^|]+") do
      if name:find(pattern) then
        return runner, language
      end
    end
  end
end

---How a test went, among what a runner told; nil where it told nothing of it.
---@param told table<string, string>
---@param path string Of its file, from the workspace's folder.
---@param names string[] Its own, and those of what it stands in.
---@return "passed"|"failed"|"skipped"?
function M.outcome(told, path, names)
  local own = table.concat(names, "::")
  -- pytest has the file before the names, cargo the crate's modules, Go neither.
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
