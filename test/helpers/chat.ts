import { type ApiClient, ENDED } from './api.ts';

/** Asks a question about a session. Returns the id of the stage that answers it. */
export async function askQuestion(api: ApiClient, sessionId: string, content: string): Promise<string> {
  const { sendChatMessage } = await api.query<{
    sendChatMessage: { stage?: { id: string }; message?: string };
  }>(
    `mutation ($input: SendChatMessageInput!) { sendChatMessage(input: $input) {
       ... on SendChatMessageSuccess { stage { id } } ... on Error { message } } }`,
    { input: { sessionId, content } },
  );
  if (!sendChatMessage.stage) throw new Error(sendChatMessage.message);
  return sendChatMessage.stage.id;
}

/** Returns the stage's final status once it has one. */
export async function waitForStageEnd(api: ApiClient, sessionId: string, stageId: string): Promise<string> {
  const items = api.subscribe<{ sessionEvents: { stage?: { id: string; status: string } } }>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) { ... on StageStatusChanged { stage { id status } } } }`,
    { id: sessionId },
  );
  for await (const { sessionEvents } of items) {
    const { stage } = sessionEvents;
    if (stage?.id === stageId && ENDED.has(stage.status)) return stage.status;
  }
  throw new Error('the subscription ended first');
}
