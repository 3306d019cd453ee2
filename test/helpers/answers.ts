/**
 * Sends a GraphQL document. Returns the response's body as text: complete, or only the beginning if it is an
 * event stream.
 */
export async function answerBytes(
  url: string,
  document: string,
  headers: Record<string, string>,
): Promise<string> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(document.startsWith('subscription') && { accept: 'text/event-stream' }),
      ...headers,
    },
    body: JSON.stringify({ query: document }),
    signal: leaving.signal,
  });
  let text = '';
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (/^retry:/.test(text)) break;
  }
  leaving.abort();
  return text;
}
