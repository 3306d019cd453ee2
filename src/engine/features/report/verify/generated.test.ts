import { expect, test } from 'vitest';
import type { FactCase } from '../../../../../test/fixtures/claims/facts/types.ts';
import { claimOf, output } from '../../../../../test/fixtures/claims/output.ts';
import { leastCpuMs } from '../../../../../test/helpers/cpu-time.ts';
import { createRandom, type Random } from '../../../../../test/helpers/fuzz/random.ts';
import type { Claim, ToolOutput } from './types.ts';
import { verifyReport } from './verify-report.ts';

const CLAIMS = Number(process.env.CLAIMS ?? 4000);
const ROWS = 12;

/** A row of an output. All names and values of an output differ, so that a swapped one is never true. */
interface Row {
  name: string;
  zone: string;
  state: string;
  load: string;
  ready: boolean;
}

const STATES =
  'draining starting stalled warming pending orphaned degraded retired syncing blocked paused locked'.split(
    ' ',
  );
const hex = (random: Random, length: number) =>
  Array.from({ length }, () => random.pick([...'bcdfghjklmnpqrstvwxz2456789'])).join('');

function rowsOf(random: Random): Row[] {
  return Array.from({ length: ROWS }, (_, at) => ({
    name: `${random.pick(['pay-api', 'cart', 'mail-relay', 'db'])}-${hex(random, 4)}${at + 10}`,
    zone: `zone-${hex(random, 3)}${at + 10}`,
    state: STATES[at]!,
    load: `${random.int(80) + 10}${at + 10}`,
    ready: random.once(2),
  }));
}

const cells = ({ name, zone, state, load, ready }: Row) => [name, zone, state, load, String(ready)];
const spaced = (row: Row) => cells(row).join('   ');
const piped = (row: Row) => ` ${cells(row).join(' | ')}`;
const numbered = (row: Row) => ({ ...row, load: Number(row.load) });
const logfmt = ({ name, zone, state, load, ready }: Row) =>
  `2026-05-07T09:30:00Z target=${name} zone=${zone} state=${state} load=${load} ready=${ready}`;
const yaml = ({ name, zone, state, load, ready }: Row) =>
  `- name: ${name}\n  zone: ${zone}\n  state: ${state}\n  load: ${load}\n  ready: ${ready}`;
const described = ({ name, zone, state, load, ready }: Row) =>
  `Name:    ${name}\nZone:    ${zone}\nState:   ${state}\nLoad:    ${load}\nReady:   ${ready}`;

/** Output formats of tools. `write` formats rows; `passage` returns the passage that shows one row. */
const FORMATS: readonly { write: (rows: readonly Row[]) => string; passage: (row: Row) => string }[] = [
  {
    write: (rows) => `NAME   ZONE   STATE   LOAD   READY\n${rows.map(spaced).join('\n')}`,
    passage: spaced,
  },
  {
    write: (rows) => `name,zone,state,load,ready\n${rows.map((row) => cells(row).join(',')).join('\n')}`,
    passage: (row) => cells(row).join(','),
  },
  {
    write: (rows) =>
      ` name | zone | state | load | ready\n------+------+-------+------+-------\n${rows.map(piped).join('\n')}\n(${ROWS} rows)`,
    passage: piped,
  },
  {
    write: (rows) => JSON.stringify({ items: rows.map(numbered) }),
    passage: (row) => JSON.stringify(numbered(row)),
  },
  {
    write: (rows) => rows.map((row) => JSON.stringify(numbered(row))).join('\n'),
    passage: (row) => JSON.stringify(numbered(row)),
  },
  {
    write: (rows) => JSON.stringify(rows.map(numbered), null, 2),
    passage: (row) => JSON.stringify(numbered(row), null, 2),
  },
  { write: (rows) => `items:\n${rows.map(yaml).join('\n')}`, passage: yaml },
  { write: (rows) => rows.map(logfmt).join('\n'), passage: logfmt },
  { write: (rows) => rows.map(described).join('\n\n'), passage: described },
  {
    write: (rows) =>
      JSON.stringify({ text: `NAME   ZONE   STATE   LOAD   READY\n${rows.map(spaced).join('\n')}` }),
    passage: spaced,
  },
];

const ATTRIBUTES = ['zone', 'state', 'load', 'ready'] as const;

/** Copies a text as models do: with other white space and quotation marks. */
function copied(random: Random, text: string): string {
  if (random.once(3)) return text.replaceAll(/ {2,}/g, () => random.pick([' ', '\t', '\u00a0 ', '   ']));
  return random.once(3) ? text.replaceAll('"', random.pick(['“', '`', "'"])) : text;
}

test('supports facts of a row, but none with a swapped subject, value, polarity, attribute or row', () => {
  const seed = Number(process.env.SEED ?? 20_261_127);
  process.stdout.write(`${CLAIMS} generated claims, SEED=${seed}\n`);
  const random = createRandom(seed);
  const outputs: ToolOutput[] = [];
  const claims: Claim[] = [];
  const wanted: { kind: string; isRight: boolean }[] = [];
  while (claims.length < CLAIMS) {
    const { write, passage } = random.pick(FORMATS);
    const rows = rowsOf(random);
    const number = outputs.length + 1;
    outputs.push(output(number, write(rows), { arguments: { namespace: 'pay', limit: 77777 } }));
    for (const row of rows) {
      const other = random.pick(rows.filter((one) => one !== row));
      const attribute = random.pick(ATTRIBUTES);
      const right: FactCase = { subject: row.name, attribute, value: String(row[attribute]), cite: 0 };
      const add = (kind: string, fact: Partial<FactCase>, isRight = false, shown = row) => {
        const cites = [`T${number}: ${copied(random, passage(shown))}`];
        claims.push(claimOf({ text: 'It is so', facts: [{ ...right, ...fact }], cites }));
        wanted.push({ kind, isRight });
      };
      add('right', {}, true);
      add('other row beside', { subject: other.name });
      add('row', {}, false, other);
      add('polarity', { negated: true });
      add('figure of the call', { value: '77777', attribute: 'load' });
      add('attribute', { attribute: attribute === 'zone' ? 'state' : 'zone' });
      if (attribute === 'ready') {
        add('switch', { value: String(!row.ready) });
        add('denied', { value: String(!row.ready), negated: true }, true);
      } else {
        add('value', { value: String(other[attribute]) });
        add('denied', { value: String(other[attribute]), negated: true }, true);
      }
      if (attribute === 'load')
        add('digit', { value: row.load.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)) });
      if (attribute === 'zone') add('cut name', { value: row.zone.slice(0, -1) });
    }
  }
  const { claims: checked } = verifyReport({ claims, outputs, alert: '', runbook: null });
  const failed = checked.flatMap(({ status, problems }, index) =>
    (status === 'SUPPORTED') === wanted[index]!.isRight
      ? []
      : [{ ...wanted[index], claim: claims[index], problems }],
  );
  const samples = failed.slice(0, 3).map((one) => JSON.stringify(one));
  expect({ seed, samples, count: failed.length }).toEqual({ seed, samples: [], count: 0 });
});

test('takes linear time in hostile outputs', () => {
  const shapes = [
    'a=b ',
    'a: b, ',
    '{"a":[\n',
    '{\n',
    '[',
    '- a: b\n',
    ' a | b\n---+---\n',
    'NAME   STATE\n',
    'k: could not connect\n',
    '{"name":"web-1","m":"could not connect"}\n',
    '(((',
    '1 of 2 ',
    '12:30 ',
    '"\\',
    'web-1 ',
  ];
  const facts = [
    { subject: 'web-1', attribute: 'state', value: 'could', cite: 0 },
    { subject: 'web-1', attribute: 'restarts', value: '17', cite: 0 },
    { subject: 'web-1', attribute: 'absent' as const, value: '' as const, window: '1h', cite: 0 },
  ];
  const timed = (shape: string, units: number) => {
    const outputs = [output(1, shape.repeat(units / shape.length))];
    const quotes = [shape.repeat(400 / shape.length), 'could not connect'];
    const claims = quotes.map((quote) =>
      claimOf({ text: 'web-1 restarted 17 times', facts, cites: [`T1: ${quote}`] }),
    );
    return leastCpuMs(() => verifyReport({ claims, outputs, alert: '', runbook: null }), 2);
  };
  const slow = shapes.filter((shape) => {
    timed(shape, 20_000);
    return timed(shape, 400_000) > Math.max(2000, 40 * timed(shape, 50_000));
  });
  expect(slow).toEqual([]);
});
