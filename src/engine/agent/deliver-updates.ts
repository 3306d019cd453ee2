import { MAX_UPDATE_LINES, readSourceUpdates, type StoredSourceUpdate } from '../alert/source-updates.ts';
import { encloseUntrusted } from '../prompt-text/untrusted.ts';
import type { AgentContext } from '../run-context/types.ts';

export function sourceUpdatesPrompt(updates: readonly StoredSourceUpdate[]): string {
  return `While you work, the source of the alert told more:

${encloseUntrusted('ALERT DATA', listed(updates))}

${instruction(updates)}`;
}

export const RESOLVED_CONCLUSION_PROMPT = `The problem is over, and no more tool calls are possible. Conclude now from what you have:

- Write the final analysis in the form that was asked for.
- Say that the problem is over, since when, and, as far as you could see it, whether it healed by itself and why.
- Keep apart what is proven, what is likely, and what you could not check.`;

function instruction(updates: readonly StoredSourceUpdate[]): string {
  if (updates.at(-1)!.onResolve === null)
    return 'Take it into account: the analysis is about all alerts of this problem.';
  return `The source says that all alerts of this problem are over. Find out, as far as the tools show it, whether it healed by itself and
why, and whether it may come again; say so in the analysis.`;
}

function listed(updates: readonly StoredSourceUpdate[]): string {
  let left = MAX_UPDATE_LINES;
  let more = 0;
  const lines = updates.flatMap((update) => {
    const shown = update.lines.slice(0, left);
    left -= shown.length;
    more += update.count - shown.length;
    return [heading(update), ...shown.map((line) => `- ${line}`)];
  });
  return [...lines, ...(more > 0 ? [`- and ${more} more alerts`] : [])].join('\n');
}

function heading({ type, at, count, onResolve }: StoredSourceUpdate): string {
  const alerts = count === 1 ? '1 alert' : `${count} alerts`;
  if (type === 'ALERT_JOINED') return `${at.toISOString()}: ${alerts} joined or got worse`;
  return `${at.toISOString()}: ${alerts} over${onResolve === null ? '' : ', and with that all'}`;
}

/**
 * Adds new updates of the alerts' source to the conversation. The message stores their last sequence number, so that no
 * update is added twice. Returns true if the agent must conclude: all alerts are resolved and `on_resolve` is `stop`.
 */
export async function deliverSourceUpdates({ db, transcript, session }: AgentContext): Promise<boolean> {
  if (!session.hasSource) return false;
  const known = transcript.newsThrough;
  const all = await readSourceUpdates(db, session.id, known);
  const updates = all.filter(({ onResolve }) => onResolve !== 'ignore');
  const unread = updates.filter(({ sequenceNumber }) => sequenceNumber > known);
  if (unread.length > 0) {
    const newsThrough = unread.at(-1)!.sequenceNumber;
    await transcript.addMessage({ role: 'USER', content: sourceUpdatesPrompt(unread), newsThrough });
  }
  return updates.at(-1)?.onResolve === 'stop';
}
