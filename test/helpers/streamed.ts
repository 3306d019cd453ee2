import type { ApiClient } from './api.ts';

/** Until a subscriber has got this piece of a text: by then the text was written down as well. */
export async function untilStreamed(api: ApiClient, sessionId: string, piece: string): Promise<void> {
  const items = api.subscribe<{ sessionEvents: { delta?: string } }>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) { ... on StreamChunk { delta } } }`,
    { id: sessionId },
  );
  for await (const { sessionEvents } of items) if (sessionEvents.delta === piece) return;
  throw new Error('the subscription ended first');
}
