import { describe, expect, test } from 'vitest';
import { FACT_TABLES } from '../../../../../test/fixtures/claims/facts/index.ts';
import type { FactClaim, FactTable } from '../../../../../test/fixtures/claims/facts/types.ts';
import { NEIGHBOURS } from '../../../../../test/fixtures/claims/neighbours/index.ts';
import { claimOf } from '../../../../../test/fixtures/claims/output.ts';
import { verifyReport } from './verify-report.ts';

const TABLES = [...FACT_TABLES, ...NEIGHBOURS].map((table) => [table.name, table] as const);

/**
 * Smallest share of honest claims that must be SUPPORTED. The other honest claims omit a name that the output
 * uses.
 */
const HONEST_SHARE = 0.93;

function textOf({ outputs, alert, runbook }: FactTable, source: string): string | undefined {
  if (source === 'ALERT') return alert;
  return source === 'RUNBOOK' ? runbook : outputs.find(({ number }) => `T${number}` === source)?.text;
}

const withoutBreaks = (text: string) => text.replace(/\s+/g, ' ');

/** Returns the quotes that do not stand in the source that they name. */
function misquoted(table: FactTable, { cites }: FactClaim): string[] {
  return cites.filter((cite) => {
    const [, source = '', quote = ''] = /^(T\d+|ALERT|RUNBOOK): ([\s\S]*)$/.exec(cite) ?? [];
    return quote === '' || !withoutBreaks(textOf(table, source) ?? '').includes(withoutBreaks(quote));
  });
}

test.each(TABLES)('quotes word for word, unless a wrong source is the point: %s', (_, table) => {
  for (const claim of [...table.honest, ...table.wrong]) {
    if (!claim.why.startsWith('source')) expect(misquoted(table, claim), claim.why).toEqual([]);
    for (const { cite } of claim.facts) expect(claim.cites[cite], claim.why).toBeDefined();
  }
});

function supported(
  { outputs, alert = '', runbook = null }: Pick<FactTable, 'outputs' | 'alert'> & { runbook?: string | null },
  claims: readonly FactClaim[],
): FactClaim[] {
  const checked = verifyReport({ claims: claims.map(claimOf), outputs, alert, runbook }).claims;
  return claims.filter((_, index) => checked[index]!.status === 'SUPPORTED');
}

describe('claims about outputs of all kinds', () => {
  test.each(TABLES)('supports no wrong claim: %s', (_, table) => {
    expect(supported(table, table.wrong).map(({ why, text }) => `${why}: ${text}`)).toEqual([]);
  });

  test('supports honest claims', () => {
    const honest = FACT_TABLES.flatMap((table) => table.honest).length;
    const kept = FACT_TABLES.flatMap((table) => supported(table, table.honest)).length;
    expect(kept / honest).toBeGreaterThanOrEqual(HONEST_SHARE);
  });

  test.each(NEIGHBOURS.map((table) => [table.name, table] as const))(
    'supports honest claims: %s',
    (_, table) => {
      expect(
        table.honest
          .filter((claim) => !supported(table, table.honest).includes(claim))
          .map(({ text }) => text),
      ).toEqual([]);
    },
  );
});

test('holds enough claims of each kind', () => {
  const count = (pick: (table: FactTable) => readonly FactClaim[]) =>
    TABLES.flatMap(([, table]) => pick(table)).length;
  expect(count(({ wrong }) => wrong)).toBeGreaterThanOrEqual(650);
  expect(count(({ honest }) => honest)).toBeGreaterThanOrEqual(285);
});
