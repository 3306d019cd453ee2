import { expect, test } from 'vitest';
import { untilAborted } from './until-aborted.ts';

const endless = new Promise<never>(() => {});

test.each([
  ['before the call', () => AbortSignal.abort(new Error('the process stops'))],
  [
    'during the work',
    () => {
      const stopping = new AbortController();
      setImmediate(() => stopping.abort(new Error('the process stops')));
      return stopping.signal;
    },
  ],
])('rejects with the reason of a signal that aborts %s', async (_when, signalOf) => {
  await expect(untilAborted(endless, signalOf())).rejects.toThrow('the process stops');
});

test('returns the result of the work', async () => {
  expect(await untilAborted(Promise.resolve('done'), new AbortController().signal)).toBe('done');
});
