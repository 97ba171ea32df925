// Finds the server's program, or explains where it was searched.
import * as path from "node:path";

/** The kind of place that a program was found in. */
export type Origin = "setting" | "path" | "cargo" | "bundled";

export interface Places {
  /** The setting `tandem.server.path`; empty if not set. */
  setting: string;
  /** `PATH` of the editor. */
  path: string;
  home: string;
  /** The extension's own folder. */
  extension: string;
  isWindows: boolean;
}

export interface Candidate {
  file: string;
  origin: Origin;
}

export const INSTALL = "cargo install --path server/tandem --features full";

/**
 * The places in order of precedence. If the setting is set, it is the only one: what a person named
 * is not silently replaced.
 */
export function candidates(places: Places): Candidate[] {
  const name = places.isWindows ? "tandem.exe" : "tandem";
  const setting = places.setting.trim();
  if (setting !== "") {
    const file = setting.startsWith("~/") ? path.join(places.home, setting.slice(2)) : setting;
    return [{ file, origin: "setting" }];
  }
  const found: Candidate[] = places.path
    .split(places.isWindows ? ";" : ":")
    // A relative entry would run a program of the opened folder.
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => ({ file: path.join(folder, name), origin: "path" }));
  // Editors started from a desktop do not have the shell's PATH.
  found.push({ file: path.join(places.home, ".cargo", "bin", name), origin: "cargo" });
  found.push({ file: path.join(places.extension, "server", name), origin: "bundled" });
  return found;
}

/** The first candidate that `isProgram` accepts. */
export function find(
  places: Places,
  isProgram: (file: string) => boolean,
): Candidate | { missing: string } {
  const all = candidates(places);
  const found = all.find((each) => path.isAbsolute(each.file) && isProgram(each.file));
  return found ?? { missing: missing(all) };
}

function missing(all: Candidate[]): string {
  const [first] = all;
  if (first?.origin === "setting") {
    const why = path.isAbsolute(first.file) ? "is not a program" : "is not an absolute path";
    return `Tandem: the setting tandem.server.path names ${first.file}, which ${why}.`;
  }
  return (
    "Tandem's server was not found: there is no `tandem` in PATH, in ~/.cargo/bin or in the " +
    `extension. Build it in Tandem's sources with \`${INSTALL}\`, or name it in the setting ` +
    "tandem.server.path."
  );
}
