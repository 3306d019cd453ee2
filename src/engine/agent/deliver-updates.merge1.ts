import { readNews } from '../alert/source-updates.ts';
import type { AgentContext } from '../run-context/types.ts';
import { newsPrompt } from './deliver-updates.ts';

/**
 * Tells an agent, before a call of the model, what its alerts' source, if there is one, told meanwhile: each piece of news once, because the
 * message says how far it goes. Answers to questions are about what was found, and are told nothing.
 * @returns whether the agent shall conclude now: all is over, and the operator wants no more of it
 */
export async function tellNews({ db, fence, transcript, session }: AgentContext): Promise<boolean> {
  if (!session.hasSource) return false;
  const known = transcript.newsThrough;
  const news = (await readNews(db, fence.sessionId, known)).filter(({ onResolve }) => onResolve !== 'ignore');
  const fresh = news.filter(({ sequenceNumber }) => sequenceNumber > known);
  const last = news.at(-1);
  if (fresh.length > 0) {
    const newsThrough = fresh.at(-1)!.sequenceNumber;
    await transcript.addMessage({ role: 'USER', content: newsPrompt(fresh), newsThrough });
  }
  return last?.onResolve === 'stop';
}
