import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SignInSecrets } from './provider.ts';
import { cookieName, createSealedCookie, fullName, type SealedCookieOptions } from './sealed-cookie.ts';

/** Time (ms) within which a begun sign-in must end. */
const SIGN_IN_MS = 10 * 60_000;

/** Size of all these cookies in a request. With other cookies, common proxies take 8 KiB. */
const MAX_BYTES = 3000;

/** Beginning of a state that names its cookie. */
const STATE_START = /^[\w-]{16}/;

interface Begun extends SignInSecrets {
  /** Page to show after the sign-in. */
  to: string;
}

/**
 * Creates the cookies of begun sign-ins: one for each, because several tabs of a browser begin at once when their common
 * sign-in ends.
 */
export function createBegunCookies(options: Omit<SealedCookieOptions, 'name'> & { subPath: string }) {
  const nameFor = (start: string) => cookieName(`tarsy-sign-in-${start}`, options.subPath);
  const [before, after] = fullName(nameFor('*'), options.isSecure).split('*').map(RegExp.escape);
  const own = new RegExp(`^${before}([\\w-]{16})${after}=`);
  const cookieOf = (start: string) => createSealedCookie<Begun>({ ...options, name: nameFor(start) });

  return {
    /** Sets the cookie of a sign-in, and removes the oldest others if they take too much room. */
    async write(req: IncomingMessage, res: ServerResponse, begun: Begun): Promise<void> {
      let bytes = 0;
      // Browsers send older cookies first.
      for (const pair of (req.headers.cookie ?? '').split(/;\s*/).reverse()) {
        const start = own.exec(pair)?.[1];
        if (start === undefined) continue;
        bytes += pair.length;
        if (bytes > MAX_BYTES) cookieOf(start).remove(res);
      }
      await cookieOf(begun.state.slice(0, 16)).write(res, begun, SIGN_IN_MS);
    },
    /** Returns the sign-in of a state, and removes its cookie, so that each ends at most once. `null` if there is none. */
    async take(req: IncomingMessage, res: ServerResponse, state: string): Promise<Begun | null> {
      const start = STATE_START.exec(state)?.[0];
      if (start === undefined) return null;
      const cookie = cookieOf(start);
      cookie.remove(res);
      return (await cookie.read(req))?.value ?? null;
    },
  };
}
