import { describe, expect, test } from 'vitest';
import { ABSENCE } from '../../../test/fixtures/claims/absence.ts';
import { DOCUMENTS } from '../../../test/fixtures/claims/documents.ts';
import { FIGURES } from '../../../test/fixtures/claims/figures.ts';
import { FORMATS } from '../../../test/fixtures/claims/formats.ts';
import { LANGUAGES } from '../../../test/fixtures/claims/languages.ts';
import { NAMES } from '../../../test/fixtures/claims/names.ts';
import { QUOTES } from '../../../test/fixtures/claims/quotes.ts';
import { SAID_OF } from '../../../test/fixtures/claims/said-of.ts';
import type { ClaimTable } from '../../../test/fixtures/claims/table.ts';
import { TIMES } from '../../../test/fixtures/claims/times.ts';
import { checkReport } from './check.ts';

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
    const [checked] = checkReport({ claims: [claim], outputs, alert, runbook }).claims;
    const codes = checked!.problems.map((problem) => problem.code);
    expect({ status: checked!.status, codes }).toEqual({
      status,
      codes: code === null ? [] : expect.arrayContaining([code]),
    });
  });
});
