/** Thrown if the user is not signed in, so that a proxy answered in place of the API. */
export class SignedOutError extends Error {
  constructor() {
    super('You are no longer signed in.');
  }
}

/** Sign-in state, derived from the answers to the page's requests. */
export interface SignIn {
  /** `fetch` for the API. @throws SignedOutError if the answer asks for a sign-in */
  readonly fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
  readonly isSignedOut: () => boolean;
  /** Adds a listener for changes. Returns a function that removes the listener. */
  readonly onChange: (listener: () => void) => () => void;
  /** Checks the state with a request, because browsers hide why a WebSocket was refused. Never rejects. */
  readonly check: () => Promise<void>;
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
    // Only JSON comes from the API. Other answers, such as a proxy's error page, do not prove a sign-in.
    if (isJson(response)) setSignedOut(false);
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
      await request(url, { method: 'POST', headers, body }).catch(() => undefined);
    },
  };
}

function asksToSignIn(response: Response): boolean {
  const { status, type } = response;
  if (status === 401 || type === 'opaqueredirect' || (status >= 300 && status < 400)) return true;
  return (status === 200 || status === 403) && !isJson(response);
}

/** Accepts `application/json` and variants such as `application/graphql-response+json`. */
function isJson({ headers }: Response): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(headers.get('content-type') ?? '');
}
