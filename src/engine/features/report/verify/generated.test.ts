import { expect, test } from 'vitest';
import { output } from '../../../../../test/fixtures/claims/table.ts';
import { createRandom, type Random } from '../../../../../test/helpers/fuzz/random.ts';
import type { Claim } from './types.ts';
import { verifyReport } from './verify-report.ts';

const CLAIMS = Number(process.env.CLAIMS ?? 20_000);
const LINES = 200;

/** A line of an output with one name and one figure. */
interface Line {
  text: string;
  name: string;
  figure: string;
  unit: string;
}

const WORKLOADS = [
  'payments-api',
  'orders-db',
  'checkout-v2',
  'search-indexer',
  'mail-relay',
  'auth-proxy',
  'cart-svc',
];
const UNITS = ['Mi', 'ms', '%', '', 's', 'Gi', 'k', 'MB', 'm', 'h'];
const hex = (random: Random, length: number) =>
  Array.from({ length }, () => random.pick([...'bcdfghjklmnpqrstvwxz2456789'])).join('');

function subject(random: Random): string {
  const workload = random.pick(WORKLOADS);
  switch (random.int(4)) {
    case 0:
      return `${workload}-${hex(random, 9)}-${hex(random, 5)}`;
    case 1:
      return `${workload}-${random.int(90) + 10}`;
    case 2:
      return `node-${random.int(900) + 100}.dc-${random.int(9) + 1}.example.com`;
    default:
      return `10.${random.int(256)}.${random.int(256)}.${random.int(256)}:${random.int(60000) + 1024}`;
  }
}

/** Returns at least three digits, so that a changed digit is never a rounding. */
function figure(random: Random): string {
  const whole = String(random.int(899) + 101);
  return random.once(3) ? `${whole}.${random.int(9) + 1}` : whole;
}

function line(random: Random, number: number): Line {
  const [name, value, unit] = [subject(random), figure(random), random.pick(UNITS)];
  const texts = [
    `${name}   1/1   Running   ${value}${unit}   line${number}`,
    `2026-11-22T14:${String(random.int(60)).padStart(2, '0')}:07Z level=error target=${name} took=${value}${unit} id=line${number}`,
    JSON.stringify({ target: name, reading: `${value}${unit}`, id: `line${number}` }),
    `reading{target="${name}",id="line${number}"} ${value}${unit}`,
    `line${number},${name},${value}${unit},ok`,
    `| line${number} | ${name} | ${value}${unit} |`,
  ];
  return { text: random.pick(texts), name, figure: value, unit };
}

function changedDigit(random: Random, text: string): string {
  const digits = [...text.matchAll(/\d/g)].map(({ index }) => index);
  const at = random.pick(digits);
  const other = (Number(text[at]) + 1 + random.int(8)) % 10;
  return (
    text.slice(0, at) +
    String(at === 0 && other === 0 ? 1 + (Number(text[at]) % 9) : other) +
    text.slice(at + 1)
  );
}

function changedName(random: Random, name: string): string {
  const letters = [...name.matchAll(/[a-z0-9]/g)].map(({ index }) => index);
  const at = random.pick(letters);
  return `${name.slice(0, at)}${name[at] === 'y' ? 'u' : 'y'}${name.slice(at + 1)}`;
}

const SAYINGS = [
  (name: string, value: string) => `${name} shows ${value}`,
  (name: string, value: string) => `A reading of ${value} was taken from ${name}.`,
  (name: string, value: string) => `At last ${name} had ${value}, more than before`,
  (name: string, value: string) => `Bei ${name} wurden ${value} gemessen`,
];

/** Copies a text as models do: with other white space and quotation marks. */
function copied(random: Random, text: string): string {
  if (random.once(3)) return text.replaceAll(/ +/g, () => random.pick([' ', '  ', '\t', '\u00a0', '\n']));
  return random.once(3) ? text.replaceAll('"', random.pick(['“', '`', "'"])) : text;
}

test(`supports a claim of an output's own line, but not with a changed digit or name`, () => {
  const seed = Number(process.env.SEED ?? 20_261_123);
  process.stdout.write(`${CLAIMS} generated claims, SEED=${seed}\n`);
  const random = createRandom(seed);
  const lines = Array.from({ length: LINES }, (_, number) => line(random, number));
  const outputs = [output(1, lines.map(({ text }) => text).join('\n'))];
  const claims: Claim[] = [];
  const wanted: boolean[] = [];
  const add = (text: string, quote: string, isRight: boolean) => {
    claims.push({ kind: 'OBSERVATION', text, absence: false, citations: [{ source: 1, quote }] });
    wanted.push(isRight);
  };
  while (claims.length < CLAIMS) {
    const { text, name, figure: value, unit } = random.pick(lines);
    const say = random.pick(SAYINGS);
    const quote = copied(random, text);
    add(say(name, value + unit), quote, true);
    add(say(name, changedDigit(random, value) + unit), quote, false);
    add(say(changedName(random, name), value + unit), quote, false);
    // The quote may be false too.
    add(say(name, value + unit), quote.replace(value, changedDigit(random, value)), false);
  }
  const { claims: checked } = verifyReport({ claims, outputs, alert: '', runbook: null });
  const wrong = checked.flatMap(({ status, problems }, index) =>
    (status === 'SUPPORTED') === wanted[index]
      ? []
      : [{ claim: claims[index], wanted: wanted[index], problems }],
  );
  expect({ seed, wrong: wrong.slice(0, 3), count: wrong.length }).toEqual({ seed, wrong: [], count: 0 });
  for (const [index, { citations }] of checked.entries()) {
    const [{ status, start, end }] = citations as [(typeof citations)[0]];
    if (status !== 'HOLDS') continue;
    const shown = outputs[0]!.text.slice(start!, end!);
    const bare = (text: string) => text.replaceAll(/[\s"'`“]+/g, '');
    if (bare(shown) !== bare(claims[index]!.citations[0]!.quote)) expect.fail(`${seed}: ${shown}`);
  }
});
