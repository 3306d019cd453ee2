import { beginning } from '../../../common/truncate.ts';
import type { Notice } from '../../notice.ts';

const CUT = '\n… (shortened; the page shows everything)';

/** The parts of a note, escaped for the format of a sender. */
export interface NoteParts {
  /** One line with the verdict. */
  title: string;
  /** Affected objects, cause and recommended actions; '' if there are none. */
  body: string;
  /** Last line, which marks the note as TARSy's own for `isNoteIn`. Not escaped. */
  signature: string;
}

/** Returns the last line of every note about the session. */
function signatureOf({ link }: Pick<Notice, 'link'>): string {
  return `Written by TARSy: ${link}`;
}

/** True if one of the texts is the note about the session. A link that a person pasted is no note. */
export function isNoteIn(texts: readonly string[], notice: Notice): boolean {
  const signature = signatureOf(notice);
  return texts.some((text) => text.replace(/\s+/g, ' ').includes(signature));
}

/**
 * Returns the parts of a note with at most `max` UTF-16 code units in total, after escaping. The body is shortened.
 * @param neutral makes text neutral in the format of the sender
 */
export function noteParts(
  notice: Notice,
  max: number,
  neutral: (text: string) => string = (text) => text,
): NoteParts {
  const title = neutral(notice.title);
  const signature = signatureOf(notice);
  const room = max - title.length - signature.length - 4; // two blank lines between the parts
  const whole = bodyOf(notice);
  for (let length = whole.length; length > 0; length = Math.floor(length * 0.8)) {
    const body = neutral(length === whole.length ? whole : `${beginning(whole, length)}${CUT}`);
    if (body.length <= room) return { title, body, signature };
  }
  return { title, body: '', signature };
}

/** Returns a note as one text. */
export function noteText(...options: Parameters<typeof noteParts>): string {
  const { title, body, signature } = noteParts(...options);
  return [title, body, signature].filter((part) => part !== '').join('\n\n');
}

function bodyOf({ affected, why, toDo }: Notice): string {
  return [
    ...(affected === null ? [] : [`Affected: ${affected}`]),
    ...(why === null ? [] : [`Why: ${why}`]),
    ...(toDo.length === 0 ? [] : [['To do:', ...toDo.map((text) => `- ${text}`)].join('\n')]),
  ].join('\n\n');
}

/** Keeps a mention from being one, in formats without an escape for `@`. */
export function withoutMentions(text: string): string {
  return text.replace(/[@＠]/g, '$&\u2060');
}
