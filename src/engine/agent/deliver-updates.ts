import { MAX_UPDATE_LINES, readSourceUpdates, type StoredSourceUpdate } from '../alert/source-updates.ts';
import { encloseUntrusted } from '../prompt-text/untrusted.ts';
import type { AgentContext } from '../run-context/types.ts';

export function sourceUpdatesPrompt(updates: readonly StoredSourceUpdate[]): string {
  return `The source of the alert sent updates during your work:

${encloseUntrusted('ALERT DATA', listed(updates))}

${instruction(updates)}`;
}

export const RESOLVED_CONCLUSION_PROMPT = `The problem is over, and no more tool calls are possible. Conclude now from your findings:

- Write the final analysis in the requested form.
- Say that the problem is over and since when. As far as you could see, say whether it healed by itself, and why.
- Separate what is proven, what is likely, and what you could not check.`;

function instruction(updates: readonly StoredSourceUpdate[]): string {
  if (updates.at(-1)!.onResolve === null)
    return 'Take this into account: the analysis covers all alerts of this problem.';
  return `The source reports that all alerts of this problem are over. Find out with the tools whether the problem healed by itself,
why, and whether it may return; say so in the analysis.`;
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
  return `${at.toISOString()}: ${alerts} over${onResolve === null ? '' : ', and with them all'}`;
}

/**
 * Adds new updates of the alerts' source to the conversation. The message stores their last sequence number, so that no
 * update is added twice. Returns true if the agent must conclude: all alerts are resolved and `on_resolve` is `stop`.
 */
export async function deliverSourceUpdates(
  context: AgentContext,
  read: readonly StoredSourceUpdate[] | null = null,
): Promise<boolean> {
  const { transcript } = context;
  const all = read ?? (await readNews(context));
  const known = transcript.newsThrough;
  const updates = all.filter(({ onResolve }) => onResolve !== 'ignore');
  const unread = updates.filter(({ sequenceNumber }) => sequenceNumber > known);
  if (unread.length > 0) {
    const newsThrough = unread.at(-1)!.sequenceNumber;
    await transcript.addMessage({ role: 'USER', content: sourceUpdatesPrompt(unread), newsThrough });
  }
  return updates.at(-1)?.onResolve === 'stop';
}

/** Returns the updates of the alerts' source since the last one that the agent received. */
export async function readNews({ db, transcript, session }: AgentContext): Promise<StoredSourceUpdate[]> {
  return session.hasSource ? readSourceUpdates(db, session.id, transcript.newsThrough) : [];
}
