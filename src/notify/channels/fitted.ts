import { beginning } from '../../common/truncate.ts';
import type { Notice } from '../notice.ts';

/** Shares of the full lengths that are tried, longest first (0–1). */
const SHARES = [1, 0.5, 0.2, 0.05];

const CUT = '\n… (shortened; the page shows everything)';

/**
 * Returns the message of a notice, with texts shortened until the message has at most `maxBytes`.
 * @param build returns the message of a notice
 */
export function fitted(notice: Notice, build: (notice: Notice) => object, maxBytes: number): string {
  for (const share of SHARES) {
    const body = JSON.stringify(build(shortened(notice, share)));
    if (Buffer.byteLength(body) <= maxBytes) return body;
  }
  return JSON.stringify(build({ ...notice, why: null, toDo: [], call: null }));
}

function shortened(notice: Notice, share: number): Notice {
  const cut = (text: string) => {
    const max = Math.ceil(text.length * share);
    return max >= text.length ? text : `${beginning(text, max)}${CUT}`;
  };
  return {
    ...notice,
    toDo: notice.toDo.map(cut),
    why: notice.why === null ? null : cut(notice.why),
    call: notice.call && { ...notice.call, arguments: cut(notice.call.arguments) },
  };
}
