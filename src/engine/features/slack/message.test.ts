import { describe, expect, it } from 'vitest';
import type { AlertSessionRow } from '../../../db/entities/index.ts';
import type { NewReport } from '../../store/reports.ts';
import { hasFingerprint } from './deliver.ts';
import { isMessageOf, sessionMessage } from './message.ts';
import { blockText } from './text.ts';

const ID = '019a0000-0000-7000-8000-000000000001';

function session(more: Partial<Record<keyof AlertSessionRow, unknown>>): AlertSessionRow {
  return {
    id: ID,
    alertType: 'host',
    status: 'COMPLETED',
    executiveSummary: null,
    finalAnalysis: null,
    errorMessage: null,
    ...more,
  } as AlertSessionRow;
}

const message = (
  more: Partial<Record<keyof AlertSessionRow, unknown>>,
  mask = (text: string) => text,
  report: NewReport | null = null,
) =>
  sessionMessage('TERMINAL', {
    session: session(more),
    report,
    dashboardUrl: 'https://tarsy.example',
    mask,
    isInteractive: false,
  });

const texts = ({ blocks }: ReturnType<typeof message>) =>
  blocks.flatMap((block) => {
    if ('elements' in block || 'tasks' in block) return [];
    return 'fields' in block ? block.fields.map(({ text }) => text) : [block.text.text];
  });

describe('the message', () => {
  it.each([
    ['COMPLETED', ':white_check_mark: *Analysis Complete*'],
    ['FAILED', ':x: *Analysis Failed*'],
    ['TIMED_OUT', ':hourglass: *Analysis Timed Out*'],
    ['CANCELLED', ':no_entry_sign: *Analysis Cancelled*'],
  ])('of a %s session has a heading, the result and a link', (status, heading) => {
    expect(texts(message({ status, executiveSummary: 'Short.', errorMessage: 'Why.' }))).toEqual([
      `${heading}\nAlert type: host`,
      status === 'COMPLETED' ? 'Short.' : 'Why.',
      `<https://tarsy.example/sessions/${ID}|Open the investigation>`,
    ]);
  });

  it('shows bold text and headings of Markdown without their marks, and other characters as they are', () => {
    const written = '## Result\n**5** of *50* in __init__, 2 ** 3 ** 4\n- `df` is # 1';
    expect(texts(message({ executiveSummary: written }))[1]).toBe(
      'Result\n5 of *50* in __init__, 2 ** 3 ** 4\n- `df` is # 1',
    );
  });

  it('of a cancelled session has the reason that the canceller gave', () => {
    const cancelled = { status: 'CANCELLED', errorMessage: 'Cancelled.', cancelReason: 'A test of <db-1>.' };
    expect(texts(message(cancelled)).slice(0, 2)).toEqual([
      ':no_entry_sign: *Analysis Cancelled*\nAlert type: host',
      'Reason: A test of &lt;db-1&gt;.',
    ]);
  });

  it('shows the analysis if there is no summary, and no content without both', () => {
    expect(texts(message({ finalAnalysis: 'Long.' }))[1]).toBe('Long.');
    expect(message({}).blocks).toHaveLength(2);
    expect(message({ finalAnalysis: ' \n ' }).blocks).toHaveLength(2);
  });

  it('about a start has no content', () => {
    const input = {
      session: session({ status: 'IN_PROGRESS', finalAnalysis: 'x', slackMessageFingerprint: 'fp' }),
      report: null,
      dashboardUrl: 'https://t',
      mask: String,
      isInteractive: false,
    };
    expect(texts(sessionMessage('STARTED', input))).toEqual([
      ':hourglass_flowing_sand: *Investigation Started*\nAlert type: host',
      `<https://t/sessions/${ID}|Open the investigation>`,
    ]);
  });

  it('shows text from a model as plain text without mentions and links', () => {
    const hostile =
      '<!channel> <@U1> <#C1> <https://evil.example|click> *bold* `code` & &lt;!here&gt; @here\u202e\u0007';
    const sent = message({ executiveSummary: hostile });
    expect(sent.blocks[1]).toMatchObject({
      text: {
        type: 'plain_text',
        emoji: false,
        text: '&lt;!channel&gt; &lt;@U1&gt; &lt;#C1&gt; &lt;https://evil.example|click&gt; *bold* `code` &amp; &amp;lt;!here&amp;gt; @here',
      },
    });
    // Slack interprets formatting only in TARSy's own text.
    expect(sent.text).toBe(':white_check_mark: Analysis Complete: host');
    for (const block of [sent.blocks[0]!, sent.blocks[2]!])
      expect(block).toMatchObject({ text: { type: 'mrkdwn', verbatim: true } });
    expect(texts(message({ alertType: '<!here>' }))[0]).toContain('Alert type: &lt;!here&gt;');
  });

  it('is masked, and has no content if masking fails', () => {
    expect(
      texts(message({ finalAnalysis: 'a secret' }, (text) => text.replace('secret', '[MASKED]')))[1],
    ).toBe('a [MASKED]');
    const failing = () => {
      throw new Error('no');
    };
    expect(message({ finalAnalysis: 'a secret' }, failing).blocks).toHaveLength(2);
  });

  it('is recognized by its metadata or its block id only', () => {
    const { metadata, blocks } = message({});
    const none = { text: 'x', blocks: [{ type: 'divider' }] };
    for (const found of [{ metadata }, { blocks }]) {
      expect(isMessageOf(found, ID, 'TERMINAL')).toBe(true);
      expect(isMessageOf(found, ID, 'STARTED')).toBe(false);
      expect(isMessageOf(found, ID.replace('1', '2'), 'TERMINAL')).toBe(false);
    }
    expect(isMessageOf(none, ID, 'TERMINAL')).toBe(false);
  });
});

describe('a long text', () => {
  it.each([
    ['words', 'word '.repeat(2000)],
    ['one word', 'x'.repeat(10_000)],
    ['text that grows when escaped', '&<>'.repeat(1500)],
    ['surrogate pairs', '🚨'.repeat(2000)],
  ])('of %s is cut below the limit, between characters', (_, text) => {
    const cut = blockText(text);
    expect(cut.length).toBeLessThanOrEqual(2900);
    expect(cut.length).toBeGreaterThan(2600);
    expect(cut.isWellFormed()).toBe(true);
    expect(cut).not.toMatch(/&(?!amp;|lt;|gt;)/);
    expect(cut).toContain('… (shortened; full text in the dashboard)');
  });

  it('of exactly the limit is not cut', () => {
    expect(blockText('x'.repeat(2900))).toBe('x'.repeat(2900));
  });

  it('is cut at the end of a line', () => {
    expect(blockText(`${'a'.repeat(40)}\n${'b'.repeat(90)}`, 120)).toBe(
      `${'a'.repeat(40)}\n… (shortened; full text in the dashboard)`,
    );
  });
});

describe('the fingerprint', () => {
  it.each([
    [{ text: 'ALERT:  disk\n full &lt;abc&gt;' }, 'disk full <ABC>'],
    [{ text: '', attachments: [{ fields: [{ value: 'fp-123' }] }] }, 'FP-123'],
    [{ text: '', blocks: [{ text: { text: 'id: fp-123' } }] }, ' fp-123 '],
  ])('is found in %j', (found, fingerprint) => {
    expect(hasFingerprint(found, fingerprint)).toBe(true);
  });

  it('is not found in other messages or in messages of TARSy', () => {
    expect(hasFingerprint({ text: 'fp-12' }, 'fp-123')).toBe(false);
    expect(hasFingerprint({ text: 'anything' }, '  ')).toBe(false);
    const { text, blocks } = message({ finalAnalysis: 'fp-123' });
    expect(hasFingerprint({ text, blocks }, 'fp-123')).toBe(false);
  });
});
