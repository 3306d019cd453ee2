import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Keeps what a model's provider wants back with an answer: it holds what the model wrote, unmasked, so it is encrypted. */
export interface TurnBox {
  seal(turn: Uint8Array): string;
  /** Null: it was sealed with another key, or is damaged. The conversation goes on without it. */
  open(sealed: string): Uint8Array | null;
}

/** Bytes of a key. */
export const KEY_BYTES = 32;

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param key of the installation: the same in all of its processes */
export function createTurnBox(key: Uint8Array): TurnBox {
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
