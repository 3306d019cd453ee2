import { expect, it } from 'vitest';
import { createLedger } from './ledger.ts';

const LIMITS = {
  answerBytes: 1000,
  smallBytes: 100,
  allSmallBytes: 150,
  largeAtOnce: 1,
  maxWaiting: 5,
  waitMs: 60_000,
};
const tooLarge = expect.objectContaining({
  extensions: expect.objectContaining({ code: 'ANSWER_TOO_LARGE' }),
});
const busy = expect.objectContaining({ extensions: expect.objectContaining({ code: 'BUSY' }) });

it('admits small answers immediately and counts their bytes', () => {
  const answer = createLedger(LIMITS).open();
  expect(answer.write(60)).toBeUndefined();
  expect(answer.write(40)).toBeUndefined();
  expect([answer.written, answer.error]).toEqual([100, null]);
});

it('makes a limited number of large answers at once; the others wait until those are closed', async () => {
  const ledger = createLedger(LIMITS);
  const [first, second, third] = [ledger.open(), ledger.open(), ledger.open()];
  await first.write(101);
  expect(first.write(800)).toBeUndefined();
  const turn = second.write(101);
  expect(turn).toBeInstanceOf(Promise);
  for (let n = 1; n < LIMITS.maxWaiting; n += 1)
    ledger
      .open()
      .enlarge()
      .catch(() => {});
  await expect(third.write(101)).rejects.toEqual(busy);
  expect(third.error).toEqual(busy);
  first.close();
  await turn;
  expect(second.error).toBeNull();
});

it('fails an answer that writes or reads more than its limit, and accepts nothing more of it', () => {
  const ledger = createLedger(LIMITS);
  const said = ledger.open();
  void said.write(500)?.catch(() => {});
  expect(() => said.write(501)).toThrow(tooLarge);
  expect(() => said.write(1)).toThrow(tooLarge);
  expect(() => said.read(1)).toThrow(tooLarge);
  const read = ledger.open({ limit: 50 });
  expect(() => read.read(51)).toThrow(tooLarge);
});

it('makes small answers wait like large ones when their sum is too large', async () => {
  const ledger = createLedger(LIMITS);
  const [first, second] = [ledger.open(), ledger.open()];
  expect(first.write(90)).toBeUndefined();
  expect(second.read(70)).toBe(false);
  await second.enlarge();
  expect(second.read(70)).toBe(true);
  second.close();
  first.close();
  expect(ledger.open().write(100)).toBeUndefined();
  expect(ledger.open().write(50)).toBeUndefined(); // the closed answers no longer count
});

it('fails a wait that takes too long', async () => {
  const ledger = createLedger({ ...LIMITS, waitMs: 1 });
  await ledger.open().write(101);
  await expect(ledger.open().enlarge()).rejects.toEqual(busy);
});

it('releases a turn that comes after its answer was closed, and bytes that were read and not kept', async () => {
  const ledger = createLedger(LIMITS);
  const [first, second, third] = [ledger.open(), ledger.open(), ledger.open()];
  await first.enlarge();
  const late = second.enlarge();
  expect(second.read(60)).toBe(true);
  second.giveBack(60);
  expect(second.read(100)).toBe(true);
  second.close();
  second.giveBack(100);
  first.close();
  await late;
  await third.enlarge();
  expect(ledger.open().write(100)).toBeUndefined();
});
