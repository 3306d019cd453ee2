import { expect, it } from 'vitest';
import { createTurns, type Turns } from './turns.ts';

const TOO_MANY = new Error('too many wait');
const limits = { maxWaiting: 6, tooMany: () => TOO_MANY };

/** Requests turns. `had` lists the names that got one, in order; `leave` ends the oldest turn. */
function queue(turns: Turns) {
  const had: string[] = [];
  const leaving: (() => void)[] = [];
  const ask = (client: string, name = client) =>
    turns.take(client).then((leave) => {
      had.push(name);
      leaving.push(leave);
    });
  const leave = async () => {
    leaving.shift()!();
    await Promise.resolve().then(() => {}); // lets the next waiting request get its turn
  };
  return { had, ask, leave };
}

it('serves waiting clients in rotation, and the oldest request of each first', async () => {
  const { had, ask, leave } = queue(createTurns({ atOnce: 2 }));
  await Promise.all([ask('a', 'a1'), ask('a', 'a2')]);
  const rest = [
    ask('a', 'a3'),
    ask('a', 'a4'),
    ask('a', 'a5'),
    ask('b', 'b1'),
    ask('c', 'c1'),
    ask('b', 'b2'),
  ];
  for (let n = 0; n < 6; n += 1) await leave();
  await Promise.all(rest);
  expect(had).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
  await leave();
  await leave();
  await ask('d');
  expect(had.at(-1)).toBe('d');
});

it('refuses clients with many waiting requests if too many wait, but not the others', async () => {
  const { ask } = queue(createTurns({ ...limits, atOnce: 1 }));
  await ask('a');
  for (let n = 0; n < limits.maxWaiting; n += 1) void ask('a');
  await expect(ask('a')).rejects.toBe(TOO_MANY);
  const refused: unknown[] = [];
  const FEW = 5; // turns that each client may always have waiting
  for (let n = 0; n < FEW; n += 1) ask('b').catch((error: unknown) => void refused.push(error));
  await Promise.resolve();
  expect(refused).toEqual([]);
  await expect(ask('b')).rejects.toBe(TOO_MANY);
});

it('rejects a wait that takes too long, and serves the next one', async () => {
  const turns = createTurns({ ...limits, atOnce: 1, waitMs: 1 });
  const leave = await turns.take('a');
  await expect(turns.take('b')).rejects.toBe(TOO_MANY);
  leave();
  leave(); // the second call has no effect
  await turns.take('c');
  await expect(turns.take('d')).rejects.toBe(TOO_MANY);
});
