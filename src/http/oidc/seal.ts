import { hkdfSync } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';

/** Encrypts and opens texts for one purpose and a limited time. Only processes with the key can do either. */
export interface Seals<T extends object> {
  seal(value: T, lifetimeMs: number): Promise<string>;
  /** Returns the sealed value and its expiry; `null` if the text was not sealed here or has expired. */
  open(text: string): Promise<{ value: T; until: Date } | null>;
}

export function createSeals<T extends object>(key: Buffer, purpose: string): Seals<T> {
  const own = new Uint8Array(hkdfSync('sha256', key, '', `tarsy ${purpose}`, 32));
  return {
    seal: (value, lifetimeMs) =>
      new EncryptJWT({ value })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setIssuedAt()
        .setExpirationTime(new Date(Date.now() + lifetimeMs))
        .encrypt(own),
    async open(text) {
      try {
        const { payload } = await jwtDecrypt<{ value: T }>(text, own, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          requiredClaims: ['exp'],
        });
        return { value: payload.value, until: new Date(payload.exp! * 1000) };
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}
