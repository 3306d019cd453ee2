/** Builds text from pieces of a page: collapses white space, separates blocks by line breaks, keeps `pre` as it is. */
export class TextBuilder {
  readonly #parts: string[] = [];
  #length = 0;
  /** Line breaks and spaces to write before the next text. */
  #breaks = 0;
  #hasSpace = false;
  #isAfterMark = false;

  /** Characters so far. Positions of `slice` refer to it. */
  get length(): number {
    return this.#length;
  }

  /** Adds text whose white space has no meaning. */
  add(text: string): void {
    for (const [index, word] of text.split(/[ \t\n\r\f]+/).entries()) {
      if (index > 0) this.#hasSpace = true;
      if (word !== '') this.#write(word);
    }
  }

  /** Adds text unchanged, such as code. */
  addVerbatim(text: string): void {
    if (text !== '') this.#write(text);
  }

  /** Adds the mark of a heading or list item. The text of its first block continues the line. */
  addMark(mark: string): void {
    this.#write(mark);
    this.#isAfterMark = true;
  }

  /** Ends the line. @param count 2 leaves an empty line */
  breakLine(count = 1): void {
    if (this.#isAfterMark) return;
    this.#breaks = Math.max(this.#breaks, count);
  }

  slice(start: number, end: number): string {
    return this.#parts.join('').slice(start, end).trim();
  }

  #write(text: string): void {
    const isFirst = this.#length === 0;
    if (this.#isAfterMark) this.#hasSpace = false;
    const before = this.#breaks > 0 ? '\n'.repeat(this.#breaks) : this.#hasSpace ? ' ' : '';
    const piece = isFirst ? text : before + text;
    this.#parts.push(piece);
    this.#length += piece.length;
    this.#breaks = 0;
    this.#hasSpace = false;
    this.#isAfterMark = false;
  }
}
