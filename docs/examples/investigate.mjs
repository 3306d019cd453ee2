// Submits an alert, follows its investigation to the end, asks a question about it and counts the trace's entries.
//   TARSY_URL=http://127.0.0.1:8080 node docs/examples/investigate.mjs "Disk almost full on web-1"
// Needs only Node 20.19 or newer. TARSY_TOKEN is sent as a bearer token, if set.

const url = `${process.env.TARSY_URL ?? 'http://127.0.0.1:8080'}/graphql`;
const authorization = process.env.TARSY_TOKEN && { authorization: `Bearer ${process.env.TARSY_TOKEN}` };

async function query(document, variables) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify({ query: document, variables }),
  });
  const { data, errors } = await response.json();
  if (errors || !data) throw new Error(`${response.status}: ${JSON.stringify(errors)}`);
  return data;
}

const EVENTS = `subscription ($id: ID!) { sessionEvents(sessionId: $id) {
  __typename cursor
  ... on SessionStatusChanged { session { status } }
  ... on StageStatusChanged { stage { id status } }
  ... on TimelineEventCompleted { timelineEvent { type content } }
  ... on StreamChunk { delta }
} }`;

/** Yields all events of a session, each exactly once; reconnects as often as needed. */
async function* follow(id) {
  let cursor;
  for (;;) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          ...authorization,
          ...(cursor && { 'last-event-id': cursor }),
        },
        body: JSON.stringify({ query: EVENTS, variables: { id } }),
      });
      // The request is refused; a retry would not help.
      if (!response.ok || !response.body) return fail(`${response.status}: ${await response.text()}`);
      let text = '';
      for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
        text += part;
        const messages = text.split('\n\n');
        text = messages.pop() ?? '';
        for (const message of messages) {
          const fields = new Map(message.split('\n').map((line) => split(line)));
          if (fields.get('event') === 'complete') return;
          const data = fields.get('data');
          if (fields.get('event') !== 'next' || !data) continue;
          const result = JSON.parse(data);
          if (!result.data) return fail(JSON.stringify(result.errors));
          cursor = fields.get('id') ?? cursor;
          yield result.data.sessionEvents;
        }
      }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // fetch throws a TypeError for a lost connection
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

function split(line) {
  const at = line.indexOf(':');
  return [line.slice(0, at), line.slice(at + 1).trimStart()];
}

function fail(message) {
  throw new Error(message);
}

const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'];

const { submitAlert } = await query(
  `mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) {
     ... on SubmitAlertSuccess { session { id } } ... on Error { code message } } }`,
  { input: { data: process.argv[2] ?? 'Disk almost full: / above 90%' } },
);
const id = submitAlert.session?.id ?? fail(submitAlert.message ?? 'refused');
console.log(`session ${id}`);
for await (const event of follow(id)) {
  if (event.timelineEvent) console.log(`${event.timelineEvent.type}: ${event.timelineEvent.content}`);
  if (event.session && ENDED.includes(event.session.status)) {
    console.log(`status ${event.session.status}`);
    break;
  }
}

const { sendChatMessage } = await query(
  `mutation ($input: SendChatMessageInput!) { sendChatMessage(input: $input) {
     ... on SendChatMessageSuccess { stage { id } } ... on Error { code message } } }`,
  { input: { sessionId: id, content: 'What should be done first?' } },
);
const answer = sendChatMessage.stage?.id ?? fail(sendChatMessage.message ?? 'refused');
for await (const { stage } of follow(id)) {
  if (stage?.id === answer && ENDED.includes(stage.status)) break;
}

const { session } = await query(
  `query ($id: ID!) { session(id: $id) { finalAnalysis
     trace { stages { executions { llmInteractions { id } mcpInteractions { id } } } } } }`,
  { id },
);
const executions = session.trace.stages.flatMap((stage) => stage.executions);
console.log(`analysis: ${session.finalAnalysis}`);
console.log(`model calls: ${executions.flatMap((execution) => execution.llmInteractions).length}`);
