// A pause between what happens often and what is done about it.

/** Acts once a pause after the first of many calls: those that follow do not put it off. */
export class Pause {
  private timer: NodeJS.Timeout | undefined;

  /** `length` in milliseconds. */
  constructor(
    private readonly length: number,
    private readonly act: () => void,
  ) {}

  begin(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.act();
    }, this.length);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
