import { describe, expect, it } from 'vitest';
import { BLOCK_LIMITS, controlsIn, problemOfBlocks } from '../../../../test/helpers/slack/blocks.ts';
import type { AlertSessionRow, StoredClaim } from '../../../db/entities/index.ts';
import type { ClaimKind, ClaimStatus } from '../../../db/enums.ts';
import type { NewReport } from '../../store/reports.ts';
import { sessionMessage } from './message.ts';

const ID = '019a0000-0000-7000-8000-000000000001';
const LINK = `<https://tarsy.example/sessions/${ID}|Open the investigation>`;

function claim(kind: ClaimKind, status: ClaimStatus, text: string, onlyUntrusted = false): StoredClaim {
  return { kind, status, text, onlyUntrusted, absence: false, problem: null, citations: [] };
}

function report(more: Partial<NewReport> = {}): NewReport {
  return {
    ...{ verdict: 'ACTION_REQUIRED', headline: 'The disk of db-1 is full.', confidence: 0.9 },
    ...{ entities: ['host db-1'], labels: [], evidenceScore: 0.5, agreement: null },
    claims: [
      claim('RECOMMENDATION', 'NOT_CHECKABLE', 'Remove old WAL files.'),
      claim('CAUSE', 'SUPPORTED', 'The archiver failed.'),
      claim('CAUSE', 'PARTLY_SUPPORTED', 'It failed on Monday.'),
      claim('CAUSE', 'UNSUPPORTED', 'A network fault came first.'),
      claim('CAUSE', 'SUPPORTED', 'A ticket says so.', true),
      claim('GAP', 'NOT_CHECKABLE', 'Nobody knows who changed it.'),
    ],
    ...more,
  };
}

function card(
  of: NewReport,
  session: Partial<Record<keyof AlertSessionRow, unknown>> = {},
  mask: (text: string) => string = String,
) {
  const row = {
    ...{ id: ID, alertType: 'host', status: 'COMPLETED', executiveSummary: 'Short.', finalAnalysis: null },
    ...{ errorMessage: null, costUsd: 0.123, unpricedCalls: 0, ...session },
  } as AlertSessionRow;
  return sessionMessage('TERMINAL', {
    session: row,
    report: of,
    dashboardUrl: 'https://tarsy.example',
    mask,
    isInteractive: false,
  });
}

const texts = ({ blocks }: ReturnType<typeof card>) =>
  blocks.flatMap((block) => {
    if ('elements' in block || 'tasks' in block) return [];
    return 'fields' in block ? block.fields.map(({ text }) => text) : [block.text.text];
  });

describe('the card of a verdict', () => {
  it('shows headline, object, cost, to do, causes with their proof, and gaps', () => {
    expect(texts(card(report()))).toEqual([
      ':red_circle: *Action Required*\nAlert type: host',
      'The disk of db-1 is full.',
      'Affected\nhost db-1',
      'Confidence\n90 %',
      'Claims\n1 of 4 proven',
      'Cost\n$0.12',
      '*To do*',
      '• Remove old WAL files.',
      '*Cause*',
      [
        '• Proven: The archiver failed.',
        '• Partly proven: It failed on Monday.',
        '• Not proven: A network fault came first.',
        '• Proven by untrusted sources only: A ticket says so.',
      ].join('\n'),
      '*Not known*',
      '• Nobody knows who changed it.',
      '*Summary*',
      'Short.',
      LINK,
    ]);
  });

  it('hides a cost that is not known completely, and says how many claims it leaves out', () => {
    const claims = Array.from({ length: 8 }, (_, at) => claim('CAUSE', 'SUPPORTED', `Cause ${at}.`));
    const shown = texts(card(report({ claims }), { unpricedCalls: 1 })).join('\n');
    expect(shown).not.toContain('Cost');
    expect(shown).toContain('• Proven: Cause 4.\n… and 3 more in the dashboard');
  });

  it('belongs to a completed session only', () => {
    const late = card(report(), { status: 'TIMED_OUT', errorMessage: 'Late.' });
    expect(texts(late)).toEqual([':hourglass: *Analysis Timed Out*\nAlert type: host', 'Late.', LINK]);
  });

  it('is masked, and has no content if masking fails', () => {
    const masked = card(report({ headline: 'key s3cret' }), {}, (text) => text.replace('s3cret', '[MASKED]'));
    expect(texts(masked)[1]).toBe('key [MASKED]');
    const failing = () => {
      throw new Error('no');
    };
    expect(card(report(), {}, failing).blocks).toHaveLength(2);
  });
});

const HOSTILE = [
  [
    'mentions and links',
    '<!channel> <@U1> <#C1> <https://evil.example|Approve> <!date^1^{date}^https://evil.example|x>',
  ],
  ['text that looks like entities', '&lt;!here&gt; &amp;lt; & <&>'],
  ['formatting and fences', '*bold* _it_ ~s~ `c` ```fence``` > quote\n• Proven: faked\r\n---'],
  ['right-to-left overrides', '\u202e\u2066gnp.exe\u2069 \u200f\u061c'],
  ['emoji and halves of pairs', '🚨👩‍👩‍👧 :rotating_light: \ud83d\udea8\ud83d'],
  ['control characters', 'a\u0000b\u0007c\u001b[31m\u0085'],
  ['text that grows when escaped', '&<>'.repeat(20_000)],
  ['60,000 characters', 'word '.repeat(12_000)],
] as const;

describe('a hostile report', () => {
  it.each(HOSTILE)('of %s is accepted by Slack, with no link but TARSy’s own', (_, text) => {
    const kinds: ClaimKind[] = ['CAUSE', 'RECOMMENDATION', 'GAP', 'OBSERVATION'];
    const claims = Array.from({ length: 40 }, (__, at) => claim(kinds[at % 4]!, 'UNSUPPORTED', text));
    const entities = Array.from({ length: 20 }, () => text);
    const sent = card(report({ headline: text, entities, claims }), {
      ...{ executiveSummary: text, alertType: text.slice(0, 200) },
    });
    expect(problemOfBlocks(sent.blocks)).toBeNull();
    expect(controlsIn(sent)).toEqual([LINK]);
    // A claim stays on its line, so that it cannot add a line that looks like another claim.
    const lines = texts(sent)
      .slice(0, -2)
      .flatMap((part) => part.split('\n'));
    expect(lines.filter((line) => line.startsWith('• Proven'))).toEqual([]);
    expect(JSON.stringify(sent)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });
});

describe('the limits of Slack in the test', () => {
  const block = (text: string) => ({ type: 'section', text: { type: 'plain_text', text } });
  it.each([
    ['a text', [block('x'.repeat(3000))], [block('x'.repeat(3001))]],
    ['blocks', Array(50).fill({ type: 'divider' }), Array(51).fill({ type: 'divider' })],
    ['all texts', Array(4).fill(block('x'.repeat(3000))), Array(5).fill(block('x'.repeat(3000)))],
    ['a known type', [{ type: 'divider' }], [{ type: 'marquee' }]],
    ['a known property', [block('x')], [{ ...block('x'), colour: 'red' }]],
  ])('refuse more than the limit of %s', (_, fits, exceeds) => {
    expect(problemOfBlocks(fits)).toBeNull();
    expect(problemOfBlocks(exceeds)).not.toBeNull();
    expect(BLOCK_LIMITS.blocks).toBe(50);
  });
});
