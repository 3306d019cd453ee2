/** What stands in front of the API answered instead of it: nobody is signed in, or no longer. */
export class SignedOutError extends Error {
  constructor() {
    super('You are no longer signed in.');
  }
}

/** Whether the user is signed in, as the answers to the page's requests tell. */
export interface SignIn {
  /** `fetch` for the API. @throws SignedOutError when something asks to sign in in place of an answer */
  readonly fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
  readonly isSignedOut: () => boolean;
  /** Calls back when that changes; returns the way to stop. */
  readonly onChange: (listener: () => void) => () => void;
  /** Asks the API: a browser does not tell a page why a WebSocket was refused. Never rejects. */
  readonly look: () => Promise<void>;
}

/** `url` is the API's. Any proxy will do: 401, a redirect or a page where there should be an answer count. */
export function createSignIn(url: string): SignIn {
  const listeners = new Set<() => void>();
  let signedOut = false;
  const become = (next: boolean): void => {
    if (next === signedOut) return;
    signedOut = next;
    for (const listener of listeners) listener();
  };
  const request: SignIn['fetch'] = async (input, init) => {
    // Followed, it would end at a foreign login page, which the browser does not let us read.
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (asksToSignIn(response)) {
      become(true);
      throw new SignedOutError();
    }
    // While the server is away a proxy answers for it, signed in or not.
    if (isJson(response)) become(false);
    return response;
  };
  return {
    fetch: request,
    isSignedOut: () => signedOut,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    look: async () => {
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

/** `application/json`, or of its kind: `application/graphql-response+json`. */
function isJson({ headers }: Response): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(headers.get('content-type') ?? '');
}
