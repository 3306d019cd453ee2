import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts the opaque data that providers expect back with an answer, because it contains unmasked text. */
export interface ProviderTurnCipher {
  seal(turn: Uint8Array): string;
  /** Returns `null` if the data was sealed with another key or is damaged. The conversation continues without it. */
  open(sealed: string): Uint8Array | null;
}

export const KEY_BYTES = 32;

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param key the installation's key, the same in all of its processes */
export function createProviderTurnCipher(key: Uint8Array): ProviderTurnCipher {
  return {
    seal(turn) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv);
      const text = Buffer.concat([cipher.update(turn), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < IV_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}
