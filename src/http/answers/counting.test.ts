import { buildSchema, execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import type { Context } from '../../schema/context.ts';
import { countFields } from '../../schema/counted-fields.ts';
import { createLedger, type OpenAnswer } from './ledger.ts';

const LIMITS = {
  answerBytes: 1000,
  smallBytes: 500,
  allSmallBytes: 10_000,
  largeAtOnce: 1,
  maxWaiting: 5,
  waitMs: 60_000,
};

const schema = countFields(
  buildSchema(`
    scalar JSON
    type Item { name: String inner: Item }
    type Query { text: String json: JSON items: [Item] }`),
);

async function ask(query: string, root: object, answer: OpenAnswer = createLedger(LIMITS).open()) {
  const contextValue = { answer } as unknown as Context;
  const result = await execute({ schema, document: parse(query), rootValue: root, contextValue });
  return { ...result, written: answer.written, error: answer.error };
}

it('counts each text as it is written', async () => {
  const text = `${'plain '.repeat(60)}"quoted" \\ \n \u0001 é € 😀`;
  const { written } = await ask('{ text }', { text });
  const { written: empty } = await ask('{ text }', { text: '' });
  // A line break counts as six bytes, like every control character, although JSON needs two.
  expect(written - empty).toBe(
    Buffer.byteLength(JSON.stringify(text)) - '""'.length + '\\u000a'.length - '\\n'.length,
  );
});

it('stops measuring once an answer is too large', async () => {
  let measured = 0;
  const json = {
    toJSON: () => {
      measured += 1;
      return 'x'.repeat(400);
    },
  };
  const names = Array.from({ length: 50 }, (_, n) => `a${n}: json`).join(' ');
  const { error } = await ask(`{ ${names} }`, { json: async () => json });
  expect([error?.message, measured]).toEqual([expect.stringMatching(/more than/), 3]);
});

it('starts a long list only at its turn, so that its fields do not wait one by one', async () => {
  const ledger = createLedger(LIMITS);
  const first = ledger.open();
  await first.write(LIMITS.smallBytes + 1);
  let begun = 0;
  const item = {
    name: () => {
      begun += 1;
      return 'a';
    },
    inner: null,
  };
  const query = '{ items { ...names } } fragment names on Item { name other: name ... { inner { name } } }';
  const items = ask(query, { items: [item, item, item] }, ledger.open());
  const few = await ask(query, { items: [item] }, ledger.open());
  expect([few.errors, begun]).toEqual([undefined, 2]);
  first.close();
  await items;
  expect(begun).toBe(8);
});
