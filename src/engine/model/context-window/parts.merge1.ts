import { type FittingMessage, weightOfMessage } from './token-estimate.ts';

/**
 * A conversation without its oldest turns, as many as are needed: an answer of the model with all that followed it, so
 * that no call stays without its result. What it begins with stays, and the last turn.
 * @param missing by how much it weighs too much
 */
export function withoutOldTurns<M extends FittingMessage>(
  messages: readonly M[],
  missing: number,
): { messages: readonly M[]; missing: number; turns: number } {
  const begins = messages.flatMap(({ role }, index) => (role === 'ASSISTANT' ? [index] : []));
  let left = missing;
  let turns = 0;
  while (left > 0 && turns < begins.length - 1) {
    const turn = messages.slice(begins[turns], begins[turns + 1]);
    left -= turn.reduce((sum, message) => sum + weightOfMessage(message), 0);
    turns += 1;
  }
  if (turns === 0) return { messages, missing, turns };
  return {
    messages: [...messages.slice(0, begins[0]), ...messages.slice(begins[turns])],
    missing: left,
    turns,
  };
}
