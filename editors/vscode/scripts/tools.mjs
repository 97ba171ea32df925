// Writes the server's tools for language models into package.json: `node scripts/tools.mjs TANDEM`. With
// `--check` it only reports whether they are up to date.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/** Tools that others replace: a model chooses better among fewer. */
const SUPERSEDED = {
  edit_file: "apply_edit",
  find_files_glob: "find_files",
  get_workspace_structure: "list_directory",
  get_pending_verifications: "get_action_history",
  goto_line: "open_file",
  lsp_definition: "find_symbol",
  lsp_declaration: "find_symbol",
  lsp_type_definition: "find_symbol",
  lsp_implementation: "find_implementations",
  lsp_references: "find_referencing_symbols",
  lsp_hover: "find_symbol",
  lsp_document_symbols: "symbols_overview",
  lsp_workspace_symbols: "find_symbol",
  lsp_diagnostics: "get_diagnostics",
  lsp_rename: "rename_symbol",
  lsp_completion: "symbols_overview",
};

const [program, flag] = process.argv.slice(2);
const told = JSON.parse(execFileSync(program, ["tools", "--json"], { maxBuffer: 1 << 26 }));
const { tools = told } = told;
const words = (name) => name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
const rows = tools
  .filter(({ name }) => !(name in SUPERSEDED))
  .map(({ name, description, effects, inputSchema }) => {
    const { $schema, title, ...schema } = inputSchema;
    return {
      name: `tandem_${name}`,
      toolReferenceName: `tandem_${name}`,
      displayName: `Tandem: ${words(name)}`,
      modelDescription: description,
      userDescription: description.split(/(?<=\.) /)[0],
      canBeReferencedInPrompt: true,
      icon: "$(arrow-swap)",
      tags: ["tandem", ...effects],
      when: "config.tandem.languageModelTools",
      inputSchema: schema,
    };
  });
const file = new URL("../package.json", import.meta.url);
const before = readFileSync(file, "utf8");
const manifest = JSON.parse(before);
manifest.contributes.languageModelTools = rows;
const after = `${JSON.stringify(manifest, undefined, 2)}\n`;
if (flag !== "--check") {
  writeFileSync(file, after);
} else if (after !== before) {
  console.error("package.json has other tools than the server: cargo xtask codegen");
  process.exitCode = 1;
}
