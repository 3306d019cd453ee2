/** Removes escape sequences and hidden characters from untrusted text that comes in pieces. Line feed and tab stay. */
export interface Sanitizer {
  /** Returns the clean text of a piece. An incomplete character at its end is returned by the next call. */
  push(piece: string): string;
  /** Ends the text. Returns the replacement character if the last character is incomplete, else an empty string. */
  end(): string;
}

/** Parser state. ground: text; escape: after ESC; csi: after ESC [; string: from ESC ] P X ^ or _ to its terminator. */
type State = 'ground' | 'escape' | 'csi' | 'string';

const ESC = 0x1b;
const BEL = 0x07;
const LINE_FEED = 0x0a;

export function createSanitizer(): Sanitizer {
  let state: State = 'ground';
  let highSurrogate = '';
  return {
    push(piece) {
      let out = '';
      for (const char of highSurrogate + piece) {
        const code = char.codePointAt(0) as number;
        const next = step(state, code);
        state = next.state;
        if (next.print) out += char;
      }
      // Keeps half of a surrogate pair at the end, because its other half may begin the next piece.
      const last = out.charCodeAt(out.length - 1);
      highSurrogate = last >= 0xd800 && last <= 0xdbff ? out.slice(-1) : '';
      return out.slice(0, out.length - highSurrogate.length).toWellFormed();
    },
    end() {
      const rest = highSurrogate.toWellFormed();
      highSurrogate = '';
      state = 'ground';
      return rest;
    },
  };
}

export function sanitize(text: string): string {
  const sanitizer = createSanitizer();
  return sanitizer.push(text) + sanitizer.end();
}

export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/\s+/g, ' ').trim();
}

function step(state: State, code: number): { state: State; print: boolean } {
  const skip = (next: State) => ({ state: next, print: false });
  if (code === ESC) return skip('escape');
  // A line feed ends every sequence, so that an unterminated sequence does not swallow the rest of the text.
  if (code === LINE_FEED) return { state: 'ground', print: true };
  if (code === 0x9b) return skip('csi');
  if ([0x90, 0x98, 0x9d, 0x9e, 0x9f].includes(code)) return skip('string');
  switch (state) {
    case 'escape':
      if (code === 0x5b) return skip('csi');
      if ([0x50, 0x58, 0x5d, 0x5e, 0x5f].includes(code)) return skip('string');
      return skip(code >= 0x20 && code <= 0x2f ? 'escape' : 'ground');
    case 'csi':
      return skip(code >= 0x40 && code <= 0x7e ? 'ground' : 'csi');
    case 'string':
      return skip(code === BEL || code === 0x9c ? 'ground' : 'string');
    case 'ground':
      return { state, print: isPrintable(code) };
  }
}

function isPrintable(code: number): boolean {
  if (code < 0x20) return code === 0x09;
  if (code >= 0x7f && code <= 0x9f) return false;
  // Removes line separators, bidirectional control characters and byte order marks, because they can disguise text.
  return !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069) && code !== 0xfeff;
}

/** Returns the beginning of an input, at most 100 printable characters, for error messages. */
export function printableExcerpt(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd]/g, '?');
}
