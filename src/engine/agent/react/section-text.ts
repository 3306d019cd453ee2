/**
 * The text of a section that is shown while it arrives. What it hands out, joined, is the text without space around
 * it; space at the end is held back until something follows.
 */
export interface SectionText {
  /** Takes the next piece; returns what may be shown of it and of what was held back. */
  take(piece: string): string;
  /** No more will come; returns the rest that may be shown. */
  end(): string;
  /** All that was handed out. */
  text(): string;
}

/** Space that may stand between a text and the emphasis that ends its line. */
const MAX_HELD_WITH_EMPHASIS = 64;

/** @param emphasis Markdown that the header's line may end with and that does not belong to the text */
export function createSectionText(emphasis: string): SectionText {
  const parts: string[] = [];
  let closing = emphasis;
  let started = false;
  let held = '';

  const give = (text: string): string => {
    if (text !== '') parts.push(text);
    return text;
  };

  /** Where the end of an unfinished first line begins that may turn out to be the closing emphasis. */
  function openEnd(line: string): number {
    const trimmed = line.trimEnd();
    let end = trimmed.length;
    while (trimmed.length - end < closing.length && closing.includes(trimmed[end - 1] ?? ' ')) end -= 1;
    return end;
  }

  /** Takes the closing emphasis off the first line; returns how much of the text is settled. */
  function settleFirstLine(text: string): { settled: string; open: string } {
    const lineEnd = text.indexOf('\n');
    if (lineEnd < 0) {
      const end = openEnd(text);
      return { settled: text.slice(0, end), open: text.slice(end) };
    }
    const settled = withoutEnd(text.slice(0, lineEnd), closing) + text.slice(lineEnd);
    closing = '';
    return { settled, open: '' };
  }

  return {
    take(piece) {
      if (closing === '' && piece.trim() === '') {
        if (started) held += piece;
        return '';
      }
      let whole = held + piece;
      if (!started) {
        const trimmed = whole.trimStart();
        if (whole.slice(0, whole.length - trimmed.length).includes('\n')) closing = '';
        whole = trimmed;
      }
      const { settled, open } = closing === '' ? { settled: whole, open: '' } : settleFirstLine(whole);
      const shown = settled.trimEnd();
      held = settled.slice(shown.length) + open;
      if (held.length > MAX_HELD_WITH_EMPHASIS) closing = '';
      started ||= shown !== '';
      return give(shown);
    },
    end() {
      const rest = withoutEnd(held, closing).trimEnd();
      held = '';
      return give(rest);
    },
    text: () => parts.join(''),
  };
}

/** A text without the emphasis at its end. */
export function withoutEnd(text: string, emphasis: string): string {
  const trimmed = text.trimEnd();
  if (emphasis === '' || !trimmed.endsWith(emphasis)) return text;
  return trimmed.slice(0, -emphasis.length).trimEnd();
}
