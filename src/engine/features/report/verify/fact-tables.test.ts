import { expect, test } from 'vitest';
import { FACT_TABLES } from '../../../../../test/fixtures/claims/facts/index.ts';
import type { FactClaim, FactTable } from '../../../../../test/fixtures/claims/facts/types.ts';

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

test.each(FACT_TABLES.map((table) => [table.name, table] as const))(
  'quotes word for word, unless a wrong source is the point: %s',
  (_, table) => {
    for (const claim of [...table.honest, ...table.wrong]) {
      if (!claim.why.startsWith('source')) expect(misquoted(table, claim), claim.why).toEqual([]);
      for (const { cite } of claim.facts) expect(claim.cites[cite], claim.why).toBeDefined();
    }
  },
);

test('holds enough claims of each kind', () => {
  const count = (pick: (table: FactTable) => readonly FactClaim[]) => FACT_TABLES.flatMap(pick).length;
  expect(count(({ wrong }) => wrong)).toBeGreaterThanOrEqual(200);
  expect(count(({ honest }) => honest)).toBeGreaterThanOrEqual(120);
});
