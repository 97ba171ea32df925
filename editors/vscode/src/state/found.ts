// Builds the reports of what other language servers found (`tandem/didChangeDiagnostics`).
import type { Span } from "./report";

/** A diagnostic, in plain values; `severity` counts from 0, as in VS Code. */
export interface Found {
  range: Span;
  severity: number;
  message: string;
  source?: string;
  code?: string | number;
}

export interface FoundReport {
  uri: string;
  source: string;
  version: number;
  exact: boolean;
  diagnostics: { range: Span; severity: number; message: string; code?: string | number }[];
}

/** The server's limit. */
const MOST = 500;
const OWN = "tandem";
const UNNAMED = "language server";

export class FoundReports {
  /** The sources that a document ever had, by its URI: one that has nothing left must be reported, too. */
  readonly #sources = new Map<string, Set<string>>();

  /**
   * One report for each source of a document. VS Code does not say which text a source saw: the version is
   * the present one, and not exact.
   */
  reports(uri: string, version: number, found: readonly Found[]): FoundReport[] {
    const sources = this.#sources.get(uri) ?? new Set();
    const named = found.map((one) => ({ ...one, source: one.source ?? UNNAMED }));
    const others = named.filter(({ source }) => source !== OWN);
    others.forEach(({ source }) => sources.add(source));
    if (sources.size > 0) {
      this.#sources.set(uri, sources);
    }
    return [...sources].map((source) => ({
      uri,
      source,
      version,
      exact: false,
      diagnostics: others
        .filter((one) => one.source === source)
        .slice(0, MOST)
        .map(({ range, severity, message, code }) => ({
          range,
          severity: severity + 1,
          message,
          ...(code !== undefined && { code }),
        })),
    }));
  }

  forget(uri: string): void {
    this.#sources.delete(uri);
  }
}
