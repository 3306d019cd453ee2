/** Thrown if the user is not signed in, so that a proxy answered in place of the API. */
export class SignedOutError extends Error {
  constructor() {
    super('You are signed out.');
  }
}

/** Sign-in state, derived from the answers to the page's requests. */
export interface SignIn {
  /** `fetch` for the API. @throws SignedOutError if the answer asks for a sign-in */
  readonly fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
  readonly isSignedOut: () => boolean;
  /** Adds a listener for changes. Returns a function that removes the listener. */
  readonly onChange: (listener: () => void) => () => void;
  /**
   * Checks the state with a request, because browsers hide why a WebSocket was refused. Returns true if the API
   * answered. Never rejects.
   */
  readonly check: () => Promise<boolean>;
}

/** Creates the sign-in state for the API at `url`. A 401, a redirect or an HTML page of any proxy means signed out. */
export function createSignIn(url: string): SignIn {
  const listeners = new Set<() => void>();
  let signedOut = false;
  const setSignedOut = (next: boolean): void => {
    if (next === signedOut) return;
    signedOut = next;
    for (const listener of listeners) listener();
  };
  const request: SignIn['fetch'] = async (input, init) => {
    // Does not follow redirects, because they lead to a foreign login page, which browsers hide from scripts.
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (asksToSignIn(response)) {
      setSignedOut(true);
      throw new SignedOutError();
    }
    // Only JSON and event streams come from the API. Other answers, such as a proxy's error page, do not prove a sign-in.
    if (isOfApi(response)) setSignedOut(false);
    return response;
  };
  return {
    fetch: request,
    isSignedOut: () => signedOut,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    check: async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ query: '{ __typename }' });
      const response = await request(url, { method: 'POST', headers, body }).catch(() => null);
      return response?.ok === true && isOfApi(response);
    },
  };
}

function asksToSignIn(response: Response): boolean {
  const { status, type } = response;
  if (status === 401 || type === 'opaqueredirect' || (status >= 300 && status < 400)) return true;
  return (status === 200 || status === 403) && !isOfApi(response);
}

/** True for JSON, with variants such as `application/graphql-response+json`, and for event streams. */
function isOfApi({ headers }: Response): boolean {
  return /^(?:application\/(?:[\w.-]+\+)?json|text\/event-stream)\b/.test(headers.get('content-type') ?? '');
}
