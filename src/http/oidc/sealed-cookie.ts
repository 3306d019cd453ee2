import { hkdfSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';

/** Largest sealed value (bytes). Browsers silently drop cookies of more than 4096 bytes with name and attributes. */
const MAX_VALUE_BYTES = 4096 - 200;

export interface SealedCookieOptions {
  name: string;
  /** True if the cookie is sent over https only. False is meant for a dashboard on loopback. */
  isSecure: boolean;
  key: Buffer;
  /** Part of the encryption key: a cookie sealed for one purpose cannot be read for another. */
  purpose: string;
}

/** Returns the name of a cookie, different for each sub-path, because the prefix `__Host-` requires the path `/`. */
export function cookieName(name: string, subPath: string): string {
  return `${name}${subPath.replace(/[^\w-]/g, '.')}`;
}

/** Returns the name with a prefix with which browsers accept the cookie only from this host and over https. */
export function fullName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** Creates an encrypted cookie. Scripts cannot read it; requests from other sites contain it only for links. */
export function createSealedCookie<T extends object>({ name, isSecure, key, purpose }: SealedCookieOptions) {
  const full = fullName(name, isSecure);
  const own = new Uint8Array(hkdfSync('sha256', key, '', `tarsy ${purpose}`, 32));

  function send(res: ServerResponse, value: string, seconds: number): void {
    const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`];
    if (isSecure) attributes.push('Secure');
    res.appendHeader('Set-Cookie', [`${full}=${value}`, ...attributes].join('; '));
  }

  return {
    /**
     * Returns value, time of sealing and expiry. `null` if the cookie is invalid, or sent twice, because a sibling host can set a
     * second.
     */
    async read({ headers }: IncomingMessage): Promise<{ value: T; since: Date; until: Date } | null> {
      const all = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
      const [pair, ...more] = all.filter((each) => each.startsWith(`${full}=`));
      if (pair === undefined || more.length > 0) return null;
      try {
        const { payload } = await jwtDecrypt<{ value: T }>(pair.slice(full.length + 1), own, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          requiredClaims: ['iat', 'exp'],
        });
        return {
          value: payload.value,
          since: new Date(payload.iat! * 1000),
          until: new Date(payload.exp! * 1000),
        };
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
    /** Sets the cookie. Returns false and sets nothing if the value is too large. */
    async write(res: ServerResponse, value: T, lifetimeMs: number): Promise<boolean> {
      const sealed = await new EncryptJWT({ value })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        // With milliseconds, so that a sign-in right after the user was signed out is not taken for an earlier one.
        .setIssuedAt(Date.now() / 1000)
        .setExpirationTime(new Date(Date.now() + lifetimeMs))
        .encrypt(own);
      if (sealed.length > MAX_VALUE_BYTES) return false;
      send(res, sealed, Math.floor(lifetimeMs / 1000));
      return true;
    },
    remove: (res: ServerResponse) => send(res, '', 0),
  };
}
