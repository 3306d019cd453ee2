import type { ApiClient } from './api.ts';

/** Resolves once a subscriber has received this piece of a text. By then, the text is stored too. */
export async function untilStreamed(api: ApiClient, sessionId: string, piece: string): Promise<void> {
  const items = api.subscribe<{ sessionEvents: { delta?: string } }>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) { ... on StreamChunk { delta } } }`,
    { id: sessionId },
  );
  for await (const { sessionEvents } of items) if (sessionEvents.delta === piece) return;
  throw new Error('the subscription ended first');
}
