import { expect, test } from 'vitest';
import { describeReport } from './report.ts';

const plain = (text: string) => text;
const STYLE = { bold: plain, dim: plain, red: plain, green: plain, cyan: plain };

test('shows the verdict first, then each claim with its verification', () => {
  const cited = (...sources: string[]) => sources.map((source) => ({ source, quote: 'q', status: 'HOLDS' }));
  const claim = { kind: 'OBSERVATION', problem: null, onlyUntrusted: false, citations: [], facts: [] };
  const fact = {
    ...{ subject: '/\x1b[2J', attribute: 'used', value: '91', unit: '%', negated: false },
    ...{ window: null, filter: null, status: 'SUPPORTED', problem: null },
  };
  const report = {
    ...{
      verdict: 'ACTION_REQUIRED',
      headline: 'The disk\x1b[2J is full',
      confidence: 0.9,
      evidenceScore: 0.5,
    },
    claims: [
      {
        ...{ ...claim, text: 'It is 91% full.', status: 'SUPPORTED', citations: cited('T3', 'T3', 'ALERT') },
        facts: [fact, { ...fact, attribute: 'size', value: '50', unit: 'GiB' }],
      },
      {
        ...{
          ...claim,
          text: 'It grew.',
          status: 'UNSUPPORTED',
          problem: 'It cites nothing. No call looked for /.',
        },
        facts: [
          {
            ...{ ...fact, attribute: 'absent', value: '', filter: 'home', status: 'UNSUPPORTED' },
            problem: 'No call looked for /.',
          },
        ],
      },
      {
        ...claim,
        text: 'It is old.',
        status: 'PARTLY_SUPPORTED',
        problem: 'No year.',
        citations: cited('T4'),
      },
      { ...claim, text: 'A page says why.', status: 'SUPPORTED', onlyUntrusted: true },
      { ...claim, kind: 'RECOMMENDATION', text: 'Clean up.', status: 'NOT_CHECKABLE' },
      { ...claim, kind: 'GAP', text: 'Who writes.', status: 'NOT_CHECKABLE' },
    ],
  };
  expect(
    describeReport(report, STYLE).join('\n'),
  ).toBe(`── Action required confidence 90 % · 1 of 4 claims proven
The disk is full
  ✓ It is 91% full. [T3, ALERT]
      ✓ / · used = 91 %
      ✓ / · size = 50 GiB
  ✗ It grew.
      ✗ no / found (home)
        No call looked for /.
      It cites nothing.
  ~ It is old. [T4]
      No year.
  ~ A page says why.
      Based on untrusted results only.
  · To do: Clean up.
  · Not known: Who writes.`);
});
