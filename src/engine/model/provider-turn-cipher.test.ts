import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTurnBox, KEY_BYTES } from './provider-turn-cipher.ts';

const TURN = Buffer.from('{"signature":"secret-of-the-model"}');
const key = randomBytes(KEY_BYTES);

test('what is sealed can be opened with the same key, by any process', () => {
  const sealed = createTurnBox(key).seal(TURN);
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('secret-of-the-model');
  expect(Buffer.from(createTurnBox(key).open(sealed)!)).toEqual(TURN);
});

test('the same turn is never sealed the same way', () => {
  const box = createTurnBox(key);
  expect(box.seal(TURN)).not.toBe(box.seal(TURN));
});

test.each([
  ['another key', () => createTurnBox(randomBytes(KEY_BYTES)).seal(TURN)],
  [
    'a changed byte',
    () => {
      const bytes = Buffer.from(createTurnBox(key).seal(TURN), 'base64');
      bytes[bytes.length - 1]! ^= 1;
      return bytes.toString('base64');
    },
  ],
  ['too little', () => 'AAAA'],
  ['nothing', () => ''],
])('%s opens nothing', (_, sealed) => {
  expect(createTurnBox(key).open(sealed())).toBeNull();
});
