/** Calls a running API with the headers that a sign-in proxy in front of it would add. */
export interface Client {
  submit(alert: string): Promise<string>;
  /** Resolves with the session once it has ended. */
  untilEnded(id: string): Promise<Ended>;
}

export interface Ended {
  status: string;
  author: string;
  finalAnalysis: string | null;
  errorMessage: string | null;
  toolCalls: number;
}

/** Interval between polls of a session (ms). */
const LOOK_EVERY_MS = 250;
const FINAL = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT']);

/** @param user name that the proxy would send as the signed-in user */
export function clientOf(url: string, user: string): Client {
  const ask = async <T>(query: string, variables: Record<string, unknown>): Promise<T> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-user': user },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data?: T; errors?: unknown };
    if (errors || !data) throw new Error(`the API answered ${response.status}: ${JSON.stringify(errors)}`);
    return data;
  };
  return {
    async submit(alert) {
      const { submitAlert } = await ask<{ submitAlert: { session?: { id: string }; message?: string } }>(
        `mutation ($data: String!) { submitAlert(input: { data: $data }) {
           ... on SubmitAlertSuccess { session { id } } ... on Error { message } } }`,
        { data: alert },
      );
      if (!submitAlert.session) throw new Error(`the alert was refused: ${submitAlert.message}`);
      return submitAlert.session.id;
    },
    async untilEnded(id) {
      for (;;) {
        const { session } = await ask<{ session: Omit<Ended, 'toolCalls'> & { timeline: unknown[] } }>(
          `query ($id: ID!) { session(id: $id) {
             status author finalAnalysis errorMessage timeline(types: [LLM_TOOL_CALL]) { id } } }`,
          { id },
        );
        const { timeline, ...rest } = session;
        if (FINAL.has(session.status)) return { ...rest, toolCalls: timeline.length };
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
  };
}
