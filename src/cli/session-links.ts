import type { Server } from './api.ts';

/** Returns the key in a Relay global id (`Session:uuid` in base64); ids of another form are returned unchanged. */
function keyOf(sessionId: string): string {
  const decoded = Buffer.from(sessionId, 'base64').toString('latin1');
  return /^Session:([0-9a-f-]{36})$/.exec(decoded)?.[1] ?? sessionId;
}

/** Returns the URL of the session's page in the dashboard. */
export function sessionUrl(endpoint: URL, sessionId: string): string {
  return new URL(`/sessions/${encodeURIComponent(keyOf(sessionId))}`, endpoint.origin).href;
}

/** Returns a shell command that cancels the session. */
export function cancelCommand({ url, token }: Pick<Server, 'url' | 'token'>, sessionId: string): string {
  const key = keyOf(sessionId).replace(/[^\w=+/:.-]/g, '');
  const body = JSON.stringify({ query: `mutation { cancelSession(id: "${key}") { __typename } }` });
  // The command names the variable, because terminals keep what is printed.
  const shown = token === null ? '' : ' -H "authorization: Bearer $TARSY_TOKEN"';
  return `curl -s '${url.href.replaceAll("'", '%27')}'${shown} -H 'content-type: application/json' -d '${body}'`;
}
