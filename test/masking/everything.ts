import { expect } from 'vitest';
import type { ApiClient } from '../helpers/api.ts';

/** The text of each place that is searched for secrets, by the place's name. */
export type Places = Readonly<Record<string, string>>;

/**
 * Asserts that no place contains a planted secret.
 * @param secrets the planted secrets, by the place where they were planted
 */
export function expectNowhere(secrets: Readonly<Record<string, string>>, places: Places): void {
  for (const [place, content] of Object.entries(places)) {
    for (const [planted, secret] of Object.entries(secrets)) {
      expect(content.includes(secret), `${planted} is in ${place}`).toBe(false);
    }
  }
}

/** Returns all events that a subscriber gets until the chat's answer is complete, as one text. */
export async function watchChat(api: ApiClient, id: string): Promise<string> {
  return watch(
    api,
    id,
    ({ stage }) => stage?.type === 'CHAT' && stage.status !== 'ACTIVE' && stage.status !== 'PENDING',
  );
}

interface Watched {
  stage?: { type: string; status: string };
  session?: { status: string };
}

/** Returns all events that a subscriber gets, up to the last one, as one text. */
export async function watch(
  api: ApiClient,
  id: string,
  isLast: (event: Watched) => boolean,
): Promise<string> {
  const received: unknown[] = [];
  const items = api.subscribe<{ sessionEvents: Watched }>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) { __typename
       ... on SessionStatusChanged { session { status alertData errorMessage finalAnalysis executiveSummary } }
       ... on StageStatusChanged { stage { type status errorMessage } }
       ... on ExecutionStatusChanged { execution { status errorMessage } }
       ... on TimelineEventCreated { timelineEvent { content metadata } }
       ... on TimelineEventCompleted { timelineEvent { content metadata } }
       ... on ChatMessageAdded { message { content } }
       ... on StreamChunk { delta } } }`,
    { id },
  );
  for await (const { sessionEvents } of items) {
    received.push(sessionEvents);
    if (isLast(sessionEvents)) break;
  }
  return JSON.stringify(received);
}

/** Asks a question about the session by GraphQL. @throws Error if it is refused */
export async function ask(api: ApiClient, id: string, content: string): Promise<void> {
  const { sendChatMessage } = await api.query<{ sendChatMessage: { __typename: string } }>(
    `mutation ($id: ID!, $content: String!) { sendChatMessage(input: { sessionId: $id, content: $content }) { __typename } }`,
    { id, content },
  );
  expect(sendChatMessage.__typename).toBe('SendChatMessageSuccess');
}
