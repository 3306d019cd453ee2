import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES = 16;

/** Random bytes are asked for many keys at once: one by one, that is nine tenths of making a key. */
const random = new Uint8Array(BYTES * 256);
let used = random.length;
let msecs = 0;
let seq = 0;

/** A new key (UUIDv7). Keys of this process sort in the order in which they were made. */
export function uuidv7(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const own = random.subarray(used, used + BYTES);
  used += BYTES;
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    seq = new DataView(own.buffer, own.byteOffset).getUint32(0) >>> 2; // 30 of its 32 bits: room to count on from it
  } else seq += 1;
  return v7({ random: own, msecs, seq });
}
