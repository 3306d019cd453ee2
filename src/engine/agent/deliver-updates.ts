import { MAX_UPDATE_LINES, readSourceUpdates, type StoredSourceUpdate } from '../alert/source-updates.ts';
import { untrusted } from '../prompt-text/untrusted.ts';
import type { AgentContext } from '../run-context/types.ts';

/** Tells an agent at work what its alerts' source told since it was told last. */
export function sourceUpdatesPrompt(news: readonly StoredSourceUpdate[]): string {
  return `While you work, the source of the alert told more:

${untrusted('ALERT DATA', listed(news))}

${whatToDo(news)}`;
}

/** Told to an agent that shall conclude, because all is over. */
export const RESOLVED_CONCLUSION_PROMPT = `The problem is over, and no more tool calls are possible. Conclude now from what you have:

- Write the final analysis in the form that was asked for.
- Say that the problem is over, since when, and, as far as you could see it, whether it healed by itself and why.
- Keep apart what is proven, what is likely, and what you could not check.`;

function whatToDo(news: readonly StoredSourceUpdate[]): string {
  if (news.at(-1)!.onResolve === null)
    return 'Take it into account: the analysis is about all alerts of this problem.';
  return `The source says that all alerts of this problem are over. Find out, as far as the tools show it, whether it healed by itself and
why, and whether it may come again; say so in the analysis.`;
}

/** At most so many alerts, then how many more there are. */
function listed(news: readonly StoredSourceUpdate[]): string {
  let left = MAX_UPDATE_LINES;
  let more = 0;
  const lines = news.flatMap((piece) => {
    const shown = piece.lines.slice(0, left);
    left -= shown.length;
    more += piece.count - shown.length;
    return [heading(piece), ...shown.map((line) => `- ${line}`)];
  });
  return [...lines, ...(more > 0 ? [`- and ${more} more alerts`] : [])].join('\n');
}

function heading({ type, at, count, onResolve }: StoredSourceUpdate): string {
  const alerts = count === 1 ? '1 alert' : `${count} alerts`;
  if (type === 'ALERT_JOINED') return `${at.toISOString()}: ${alerts} joined or got worse`;
  return `${at.toISOString()}: ${alerts} over${onResolve === null ? '' : ', and with that all'}`;
}

/**
 * Tells an agent, before a call of the model, what its alerts' source, if there is one, told meanwhile: each piece of news once, because the
 * message says how far it goes. Answers to questions are about what was found, and are told nothing.
 * @returns whether the agent shall conclude now: all is over, and the operator wants no more of it
 */
export async function deliverSourceUpdates({
  db,
  fence,
  transcript,
  session,
}: AgentContext): Promise<boolean> {
  if (!session.hasSource) return false;
  const known = transcript.newsThrough;
  const news = (await readSourceUpdates(db, fence.sessionId, known)).filter(
    ({ onResolve }) => onResolve !== 'ignore',
  );
  const fresh = news.filter(({ sequenceNumber }) => sequenceNumber > known);
  const last = news.at(-1);
  if (fresh.length > 0) {
    const newsThrough = fresh.at(-1)!.sequenceNumber;
    await transcript.addMessage({ role: 'USER', content: sourceUpdatesPrompt(fresh), newsThrough });
  }
  return last?.onResolve === 'stop';
}
