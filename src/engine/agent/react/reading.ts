import type { Sections } from './sections.ts';

/** Where the reading of a response stands. */
export interface Reading {
  sections: Sections;
  /** What is not yet decided on. */
  text: string;
  /** Nothing will follow it. */
  isAll: boolean;
  /** More text is needed to go on. */
  isWaiting: boolean;
  atLineStart: boolean;
  /** The end of what was read of the current line. */
  back: string;
  /** Cached: where the current line ends in `text`; -1 = not in it, null = not looked for. */
  lineEnd: number | null;
  /** An invented observation begins at the place that was reached. */
  isStopped: boolean;
  /** Characters looked at. */
  steps: number;
}

/** As much of a line's end is remembered, to find the end of a sentence or two names of 64 characters in it. */
const BACK_WINDOW = 256;

/** Where the line at this place ends; -1 when the end is not there yet. */
export function lineEndFrom(reading: Reading, at: number): number {
  if (reading.lineEnd === null || (reading.lineEnd >= 0 && reading.lineEnd < at)) {
    reading.lineEnd = reading.text.indexOf('\n', at);
  }
  return reading.lineEnd;
}

/** Adds text of the current line to the current section. */
export function addText(reading: Reading, piece: string): void {
  if (piece === '') return;
  reading.sections.add(piece);
  remember(reading, piece);
}

/** Adds the rest of the line, which is all there. @returns where the next one begins */
export function addRestOfLine(reading: Reading, at: number, lineEnd: number): number {
  const { text, sections } = reading;
  if (lineEnd < 0) {
    addText(reading, text.slice(at));
    return text.length;
  }
  sections.add(text.slice(at, lineEnd + 1));
  remember(reading, text.slice(at, lineEnd));
  sections.lineEnd(reading.back);
  reading.back = '';
  reading.atLineStart = true;
  return lineEnd + 1;
}

function remember(reading: Reading, piece: string): void {
  const end = piece.slice(-BACK_WINDOW);
  reading.back = reading.back === '' ? end : (reading.back + end).slice(-BACK_WINDOW);
}

/** Goes no further until there is more text. */
export function wait(reading: Reading, at: number): number {
  reading.isWaiting = true;
  return at;
}
