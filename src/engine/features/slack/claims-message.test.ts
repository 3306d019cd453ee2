import { expect, it } from 'vitest';
import type { StoredClaim } from '../../../db/entities/index.ts';
import type { NewReport } from '../../store/reports.ts';
import { claimsMessage } from './claims-message.ts';

const claim = (kind: StoredClaim['kind'], text: string, more: Partial<StoredClaim> = {}): StoredClaim => ({
  ...{ kind, text, absence: false, status: 'SUPPORTED', problem: null, onlyUntrusted: false, citations: [] },
  ...more,
});

/** Returns the texts of the message about these claims, without the link at its end. */
function texts(...claims: StoredClaim[]): string[] {
  const mask = (text: string) => text.replaceAll('hunter2', '***');
  const link = 'https://tarsy.example/sessions/s';
  const { blocks } = claimsMessage({ claims } as unknown as NewReport, { mask, link });
  const all = blocks.flatMap((block) => ('text' in block ? [block.text.text] : []));
  expect(all.at(-1)).toBe('<https://tarsy.example/sessions/s|Open the report>');
  return all.slice(0, -1);
}

it('shows the claims that need proof, the causes first', () => {
  expect(
    texts(
      claim('RECOMMENDATION', 'Rotate.', { status: 'NOT_CHECKABLE' }),
      claim('OBSERVATION', 'It is full.'),
      claim('GAP', 'Since when.', { status: 'NOT_CHECKABLE' }),
      claim('RULED_OUT', 'No attack.', { status: 'UNSUPPORTED' }),
      claim('CAUSE', 'Logs.'),
    ),
  ).toEqual(['Proven: Logs.', 'Proven: It is full.', 'Not proven: No attack.']);
  expect(texts(claim('GAP', 'All.'))).toEqual(['The report has no claims to prove.']);
});

it('shows problems and the first two citations, masked', () => {
  const citation = {
    quote: 'pw hunter2',
    status: 'HOLDS',
    problem: null,
  } as StoredClaim['citations'][number];
  const citations = [
    { ...citation, source: 3 },
    { ...citation, source: 'ALERT', status: 'QUOTE_NOT_FOUND', problem: 'No hunter2.' },
    { ...citation, source: 4 },
  ] as StoredClaim['citations'];
  const shown = claim('CAUSE', 'It is hunter2.', { status: 'UNSUPPORTED', problem: 'hunter2?', citations });
  expect(texts(shown)).toEqual([
    'Not proven: It is ***.\nProblem: ***?\nT3: “pw ***”\nALERT: “pw ***” (No ***.)',
  ]);
});

it('shows eight claims, and says how many follow in the dashboard', () => {
  const many = (count: number) => texts(...Array.from({ length: count }, (_, n) => claim('CAUSE', `${n}`)));
  expect(many(8)).toHaveLength(8);
  expect(many(10)).toHaveLength(9);
  expect(many(10).at(-1)).toBe('… and 2 more in the dashboard');
});
