import type { IncomingMessage, ServerResponse } from 'node:http';

/** A cookie that scripts and other sites can neither read nor send. */
export interface Cookie {
  /** Returns `null` if there is no such cookie, or several: a page of a sibling host can add one. */
  read(req: IncomingMessage): string | null;
  /** @param seconds how long the browser keeps the cookie; 0 removes it */
  write(res: ServerResponse, value: string, seconds: number): void;
}

/** The largest size (bytes) of a cookie with its name and attributes; browsers silently drop larger ones. */
export const MAX_COOKIE_BYTES = 4096;

export function createCookie(name: string, isSecure: boolean): Cookie {
  // With the `__Host-` prefix, browsers accept the cookie only from this host and over https.
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
