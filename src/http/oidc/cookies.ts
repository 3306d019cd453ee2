import type { IncomingMessage, ServerResponse } from 'node:http';

/** One cookie of ours, which no script and no other site can read or send. */
export interface Cookie {
  /** Null when there is none, or more than one: a page of a sibling host can add its own beside ours. */
  read(req: IncomingMessage): string | null;
  /** @param seconds for which the browser keeps it; 0 = takes it away */
  write(res: ServerResponse, value: string, seconds: number): void;
}

/** Bytes of a cookie with its name and attributes: browsers drop longer ones without a word. */
export const MAX_COOKIE_BYTES = 4096;

/** @param isSecure whether it goes over https only, as it must but on loopback */
export function createCookie(name: string, isSecure: boolean): Cookie {
  // With this prefix a browser takes it from this very host only, over https.
  const full = isSecure ? `__Host-${name}` : name;
  return {
    read({ headers }) {
      const all = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
      const own = all.filter((pair) => pair.startsWith(`${full}=`));
      return own.length === 1 ? own[0]!.slice(full.length + 1) : null;
    },
    write(res, value, seconds) {
      const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`];
      if (isSecure) attributes.push('Secure');
      res.appendHeader('Set-Cookie', [`${full}=${value}`, ...attributes].join('; '));
    },
  };
}
