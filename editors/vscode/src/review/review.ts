// An agent's patch under review, and which of its hunks are accepted.
import { compose, lines, places, type Hunk, type Place } from "./lines";
import { inline } from "./inline";

export interface ReviewedFile {
  uri: string;
  /** Set if it is more than an edit. */
  action?: "created" | "deleted" | "moved";
  moved_to?: string;
  version?: number;
  language?: string;
  old_text: string;
  new_text: string;
  hunks: Hunk[];
}

export interface Proposal {
  id: string | number;
  tool: string;
  title: string;
  files: ReviewedFile[];
}

export interface Verdict {
  accept: boolean;
  /** Only these hunks; all if missing. */
  files?: { uri: string; hunks: number[] }[];
}

export class FileReview {
  readonly before: string[];
  readonly after: string[];
  readonly places: Place[];
  /** Whether its hunks can be chosen; otherwise it is accepted or rejected as a whole. */
  readonly divisible: boolean;
  readonly taken: boolean[];

  constructor(readonly file: ReviewedFile) {
    this.before = lines(file.old_text);
    this.after = lines(file.new_text);
    // A file that is only moved counts as one change.
    const found =
      file.hunks.length > 0 ? places(this.before, this.after, file.hunks) : undefined;
    this.divisible = found !== undefined;
    this.places = found ?? [
      { oldFrom: 0, oldTo: this.before.length, newFrom: 0, newTo: this.after.length },
    ];
    this.taken = this.places.map(() => true);
  }

  get count(): number {
    return this.taken.filter(Boolean).length;
  }

  takeAll(take: boolean): void {
    this.taken.fill(take);
  }

  toggle(hunk: number): void {
    this.taken[hunk] = !this.taken[hunk];
  }

  /** The text with the accepted hunks. */
  result(): string {
    return compose(this.before, this.after, this.places, (hunk) => this.taken[hunk] === true);
  }

  inline(): ReturnType<typeof inline> {
    return inline(this.before, this.after, this.places);
  }

  /** A hunk's title: its first line that is not blank. */
  label(hunk: number): string {
    const place = this.places[hunk];
    if (!place || this.file.hunks.length === 0) {
      return this.file.action ?? "";
    }
    const candidates = [
      ...this.after.slice(place.newFrom, place.newTo),
      ...this.before.slice(place.oldFrom, place.oldTo),
    ];
    return candidates.map((line) => line.trim()).find((line) => line !== "") ?? "(blank lines)";
  }

  /** The server's numbers of the accepted hunks. */
  hunks(): number[] {
    if (!this.divisible) {
      return this.count > 0 ? this.file.hunks.map((_, index) => index) : [];
    }
    return this.taken.flatMap((take, index) => (take ? [index] : []));
  }
}

export class Review {
  readonly files: FileReview[];

  constructor(readonly proposal: Proposal) {
    this.files = proposal.files.map((file) => new FileReview(file));
  }

  get total(): number {
    return this.files.reduce((sum, file) => sum + file.taken.length, 0);
  }

  get count(): number {
    return this.files.reduce((sum, file) => sum + file.count, 0);
  }

  /** The answer for the current choice. No accepted hunk means rejection. */
  verdict(): Verdict {
    if (this.count === this.total) {
      return { accept: true };
    }
    if (this.count === 0) {
      return { accept: false };
    }
    // A listed file is moved even if none of its hunks is accepted.
    const taken = this.files.filter(({ count }) => count > 0);
    return {
      accept: true,
      files: taken.map((file) => ({ uri: file.file.uri, hunks: file.hunks() })),
    };
  }
}
