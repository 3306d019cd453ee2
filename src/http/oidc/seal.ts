import { hkdfSync } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';

/** Texts that only who has the key can make and read, each for one purpose and for some time. */
export interface Seals<T extends object> {
  seal(value: T, lifetimeMs: number): Promise<string>;
  /** What was sealed, and until when it holds; null for what was not sealed here, or for too long ago. */
  open(text: string): Promise<{ value: T; until: Date } | null>;
}

/** @param purpose what is sealed for one purpose opens for no other */
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
