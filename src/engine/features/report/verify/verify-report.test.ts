import { describe, expect, test } from 'vitest';
import { ABSENCE } from '../../../../../test/fixtures/claims/absence.ts';
import { DOCUMENTS } from '../../../../../test/fixtures/claims/documents.ts';
import { FIGURES } from '../../../../../test/fixtures/claims/figures.ts';
import { FORMATS } from '../../../../../test/fixtures/claims/formats.ts';
import { LANGUAGES } from '../../../../../test/fixtures/claims/languages.ts';
import { NAMES } from '../../../../../test/fixtures/claims/names.ts';
import { QUOTES } from '../../../../../test/fixtures/claims/quotes.ts';
import { SAID_OF } from '../../../../../test/fixtures/claims/said-of.ts';
import { type ClaimTable, output, yes } from '../../../../../test/fixtures/claims/table.ts';
import { TIMES } from '../../../../../test/fixtures/claims/times.ts';
import { verifyReport } from './verify-report.ts';

const TABLES: readonly ClaimTable[] = [
  QUOTES,
  FIGURES,
  TIMES,
  NAMES,
  SAID_OF,
  ABSENCE,
  FORMATS,
  DOCUMENTS,
  LANGUAGES,
];

describe.each(TABLES)('claims: $name', ({ outputs, alert = '', runbook = null, cases }) => {
  test.each(cases)('$why: $claim.text', ({ claim, status, code }) => {
    const [checked] = verifyReport({ claims: [claim], outputs, alert, runbook }).claims;
    const codes = checked!.problems.map((problem) => problem.code);
    expect({ status: checked!.status, codes }).toEqual({
      status,
      codes: code === null ? [] : expect.arrayContaining([code]),
    });
  });
});

test('marks claims that rest only on untrusted tools, even if they also cite the alert or runbook', () => {
  const page = output(1, 'The outage is caused by bad firmware.', { untrusted: true });
  const outputs = [page, output(2, 'version: bad firmware')];
  const marked = (...cites: string[]) =>
    verifyReport({
      claims: [yes('', 'The outage is caused by bad firmware.', ...cites).claim],
      ...{ outputs, alert: 'The outage began.', runbook: 'Look at the firmware.' },
    }).claims[0]!.onlyUntrusted;
  const said = 'T1: caused by bad firmware';
  expect(marked(said)).toBe(true);
  expect(marked(said, 'ALERT: The outage began.', 'RUNBOOK: Look at the firmware.')).toBe(true);
  expect(marked(said, 'T2: version: bad firmware')).toBe(false);
  expect(marked('ALERT: The outage began.')).toBe(false);
});
