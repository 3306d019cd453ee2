import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createProviderTurnCipher, KEY_BYTES } from './provider-turn-cipher.ts';

const TURN = Buffer.from('{"signature":"secret-of-the-model"}');
const key = randomBytes(KEY_BYTES);

test('opens what another instance sealed with the same key', () => {
  const sealed = createProviderTurnCipher(key).seal(TURN);
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('secret-of-the-model');
  expect(Buffer.from(createProviderTurnCipher(key).open(sealed)!)).toEqual(TURN);
});

test('never seals the same turn the same way', () => {
  const cipher = createProviderTurnCipher(key);
  expect(cipher.seal(TURN)).not.toBe(cipher.seal(TURN));
});

test.each([
  ['another key', () => createProviderTurnCipher(randomBytes(KEY_BYTES)).seal(TURN)],
  [
    'a changed byte',
    () => {
      const bytes = Buffer.from(createProviderTurnCipher(key).seal(TURN), 'base64');
      bytes[bytes.length - 1]! ^= 1;
      return bytes.toString('base64');
    },
  ],
  ['too little', () => 'AAAA'],
  ['nothing', () => ''],
])('%s opens nothing', (_, sealed) => {
  expect(createProviderTurnCipher(key).open(sealed())).toBeNull();
});
