import { expect, it, test } from 'vitest';
import { EXPORT_FORMATS, EXPORT_MAX_BYTES, exportSession } from '../../src/engine/features/export/export.ts';
import { formatDuration } from '../../src/engine/features/export/format.ts';
import type { ExportSource } from '../../src/engine/features/export/source.ts';
import { exportSource, SESSION_ID } from './source.ts';

const PAGE = 'https://tarsy.example';
const exported = (format: (typeof EXPORT_FORMATS)[number], text = 'words') =>
  exportSession(exportSource(text), format, PAGE);

/** Exports a session that differs from the usual one. */
function changed(format: 'MARKDOWN' | 'POSTMORTEM', change: (source: ExportSource) => void): string {
  const source = exportSource('words');
  change(source);
  return exportSession(source, format, PAGE);
}

test.each(EXPORT_FORMATS)('%s of the same session gives the same text', (format) => {
  expect(exported(format)).toBe(exported(format));
});

it('links each claim to its proving quote and shows how far it is proven', () => {
  const markdown = exported('MARKDOWN');
  const page = `${PAGE}/sessions/${SESSION_ID}`;
  const facts = [
    '  - ✓ words = words words (T12)',
    '  - ✗ words = not words words (T12) — words',
    '  - ✓ no words found (words; words)',
  ];
  const proof = [...facts, '  - T12: `words`', ''].join('\n');
  expect(markdown).toContain(`- _Cause_ ✓ words ([T12](${page}#claim-1-1))\n${proof}`);
  expect(exported('POSTMORTEM')).toContain(`- ✓ words ([T12](${page}#claim-1-1))\n${proof}`);
  expect(markdown).toContain(`- _Observation_ ✗ unsupported: words ([alert](${page}#claim-2-1)) — `);
  expect(markdown).toContain('  - alert (not found): `words`');
  expect(markdown).toContain('- _Ruled out_ ◐ partly supported: words — words');
});

it('includes hints with their authors and the agents that read them', () => {
  expect(exported('MARKDOWN')).toContain(
    '## Hints\n\n**words** at 2026-11-20 10:04:00 UTC, read by words:\n\n> words\n',
  );
});

it('includes the claims of answers', () => {
  const answer = `${PAGE}/sessions/${SESSION_ID}#answer-4-claim-1-1`;
  expect(exported('MARKDOWN')).toContain(
    `Answer:\n\n> words\n\n- _Observation_ ✓ words ([T12](${answer}))\n  - T12: \`words\`\n`,
  );
  expect(JSON.parse(exported('JSON')).timeline[3].claims[0].citations[0]).toMatchObject({ source: 'T12' });
});

it("presents the judging model's score as an opinion with its author", () => {
  expect(exported('MARKDOWN')).toContain(
    '## AI quality score\n\n- **Score:** 71 of 100 by words at 2026-11-20 10:10:00 UTC\n- **Problems:** incomplete evidence\n\n> words\n',
  );
  expect(JSON.parse(exported('JSON')).score).toMatchObject({ total: 71, modelName: 'words' });
  expect(exported('POSTMORTEM')).not.toContain('71');
});

it('shows only the tool results that the report cites', () => {
  const markdown = exported('MARKDOWN');
  expect(markdown).toMatch(
    /\*\*T12\*\* `words\.words` `words` at 2026-11-20 10:04:00 UTC\n\n {2}```\n {2}words\n/,
  );
  expect(markdown).toMatch(/\*\*T13\*\* `host\.disk` `\{\}` at 2026-11-20 10:05:00 UTC, failed\n/);
  const uncited = changed('MARKDOWN', ({ calls }) => {
    calls[1]!.result = { text: 'of no claim', length: 11 };
  });
  expect(uncited).not.toContain('of no claim');
});

it('drafts a postmortem from stored data and names unknown facts', () => {
  const draft = exported('POSTMORTEM');
  expect(draft).toContain('- **Duration:** 2026-11-20 10:00:00 UTC to 2026-11-20 10:42:00 UTC (42 min 0 s)');
  expect(draft).toContain('- **Users affected, and how:** _to be filled in_');
  expect(draft).toContain('Fired at 2026-11-20 10:00:00 UTC. Reported by words 1 min 0 s later.');
  expect(draft).toMatch(/## Root cause\n\n- ✓ words \(\[T12\]\(/);
  expect(draft).toContain('- [ ] words (owner: _to be filled in_, ticket: _to be filled in_)');
  expect(draft).toContain('- [ ] Investigate: words (owner:');
  const times = [...draft.matchAll(/^- (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC: /gm)].map(([, time]) => time);
  expect(times.length).toBeGreaterThan(8);
  expect(times).toEqual(times.toSorted());
});

it('drafts a postmortem of a session without a result', () => {
  const { session, ...rest } = exportSource('words');
  const bare = {
    ...session,
    executiveSummary: null,
    finalAnalysis: null,
    errorMessage: 'No model.',
    actionTaken: null,
  };
  const source = {
    ...rest,
    session: { ...bare, resolvedAt: null, entities: null },
    report: null,
    alerts: [],
  };
  const draft = exportSession(source, 'POSTMORTEM', PAGE);
  expect(draft).toContain('The investigation failed: No model.');
  expect(draft).toMatch(/## Root cause\n\n_unknown_\n/);
  expect(draft).toContain('not resolved yet');
});

it('gives programs a versioned format', () => {
  const json = JSON.parse(exported('JSON'));
  expect(json).toMatchObject({
    ...{ format: 'tarsy-session', version: 1 },
    session: { id: SESSION_ID, url: `${PAGE}/sessions/${SESSION_ID}` },
    alert: { text: 'words', length: 10, cut: true },
    toolCalls: [
      { number: 'T12', result: { text: 'words', cut: true } },
      { number: 'T13', result: null },
    ],
  });
  expect(json.report.claims[0].citations[0]).toMatchObject({
    source: 'T12',
    quote: 'words',
    start: 0,
    end: 4,
  });
  expect(json.report.claims[0].facts[1]).toMatchObject({ negated: true, citation: 0, status: 'UNSUPPORTED' });
  expect(json.report.claims[1].facts).toEqual([]); // a report that was stored before claims had facts
  expect(json.hypotheses).toMatchObject([
    { state: 'REFUTED', citations: [{ source: 'T12' }] },
    { state: 'PROPOSED' },
  ]);
});

it('is cut at the end of a line, and says so', () => {
  const line = '–'.repeat(500);
  const text = Array.from({ length: 100 }, () => line).join('\n');
  const long = changed('MARKDOWN', (source) => {
    source.events = Array.from({ length: 40 }, () => ({
      ...source.events.find(({ type }) => type === 'USER_QUESTION')!,
      text: { text, length: text.length },
    }));
  });
  expect(long).toMatch(new RegExp(`\\n> ${line}\\n\\n\\(Shortened: the export is too long\\.\\)\\n$`));
  for (const format of EXPORT_FORMATS) expect(exported(format)).not.toContain('Shortened');
});

test.each([
  [-5, '0 s'],
  [59, '59 s'],
  [60, '1 min 0 s'],
  [3_600, '1 h 0 min'],
  [86_399, '23 h 59 min'],
  [86_400, '1 d 0 h'],
])('writes %i seconds as %s', (seconds, words) => {
  expect(formatDuration(new Date(0), new Date(seconds * 1000))).toBe(words);
});

it('shows why a claim is doubtful, and the problem only of a claim that is not supported', () => {
  const doubtful = (claim: object) =>
    changed('MARKDOWN', ({ report }) => {
      Object.assign(report!.claims[0]!, { ...claim, facts: [] });
    });
  expect(doubtful({ onlyUntrusted: true })).toMatch(
    /_Cause_ .*\) — All evidence comes from untrusted tools\.\n/,
  );
  expect(doubtful({ problem: 'No order.' })).toMatch(/_Cause_ ✓ words \(\[T12\]\(\S+\)\)\n/);
  expect(doubtful({ problem: 'No order.', status: 'PARTLY_SUPPORTED' })).toMatch(
    /_Cause_ .*\) — No order\.\n/,
  );
});

it('shows a quote of several lines as a block', () => {
  const markdown = changed('MARKDOWN', ({ report }) => {
    report!.claims[0]!.citations[0]!.quote = 'one\ntwo';
  });
  expect(markdown).toContain('  - T12:\n\n    ```\n    one\n    two\n    ```\n');
});

it('says that the severity is unknown', () => {
  const draft = changed('POSTMORTEM', ({ session }) => Object.assign(session, { severity: 'UNKNOWN' }));
  expect(draft).toContain('- **Severity:** _unknown_\n');
});

it('gives the reason of a cancellation, which is no error', () => {
  const cancelled = { status: 'CANCELLED', executiveSummary: null, errorMessage: 'Cancelled by ana.' };
  const given = (cancelReason: string | null) =>
    (['MARKDOWN', 'POSTMORTEM'] as const).map((format) =>
      changed(format, (source) => {
        Object.assign(source.session, { ...cancelled, cancelReason });
        source.report = null;
      }),
    );
  const [markdown, draft] = given('A test');
  expect(markdown).toContain('- **Reason of the cancellation:** A test\n');
  expect(markdown).not.toContain('## Error');
  expect(draft).toContain('## Summary\n\nThe investigation was cancelled: A test\n');
  expect(given(null)[0]).toContain('- **Reason of the cancellation:** Cancelled by ana.\n');
});

it('names the agents that concluded early, but not those that answered questions', () => {
  const markdown = changed('MARKDOWN', ({ events }) => {
    const answer = events.find(({ type }) => type === 'FINAL_ANALYSIS')!;
    answer.metadata = { reason: 'BUDGET' };
    events.push({
      ...answer,
      stageType: 'INVESTIGATION',
      agent: 'Scout',
      metadata: { reason: 'TIME_LIMIT' },
    });
  });
  expect(markdown).toContain('- **Concluded early:** Scout (time limit)\n');
});

test.each([
  ['replicas', {}, {}, 'Confidence'],
  ['the model', { agreement: null }, {}, 'Model’s confidence'],
  [
    'the offline rules',
    { agreement: null },
    { verdict: 'NO_ACTION', confidence: null },
    'Confidence by rule',
  ],
])('names the confidence of %s', (_, report, session, label) => {
  const markdown = changed('MARKDOWN', (source) => {
    Object.assign(source.report!, report);
    Object.assign(source.session, session);
  });
  expect(markdown).toContain(`- **${label}:** 80 %\n`);
});

it('says that an analysis is shortened', () => {
  const ofLength = (length: number) =>
    changed('MARKDOWN', ({ session }) => {
      session.finalAnalysis = 'x'.repeat(length);
    });
  expect(ofLength(60_000)).not.toContain('_… shortened_');
  expect(ofLength(60_001)).toContain('_… shortened_');
});

it('drafts a postmortem with the report’s entities, the rating, and at most 200 moments', () => {
  const draft = changed('POSTMORTEM', (source) => {
    source.report!.entities = ['payments-api'];
    source.decisions = Array.from({ length: 250 }, () => source.decisions[0]!);
  });
  expect(draft).toContain('- **Affected:** payments-api\n');
  expect(draft).toMatch(/UTC: delivery investigated: words\n- … and \d+ more entries\n/);
  expect(exported('POSTMORTEM')).toContain(': review: words, complete, rated right\n');
});

it('drafts a summary from the report if there is none', () => {
  const draft = changed('POSTMORTEM', ({ session }) => Object.assign(session, { executiveSummary: null }));
  expect(draft).toContain('## Summary\n\n**Action required:** words\n\n## Impact');
});

test.each(EXPORT_FORMATS)('%s stays within its size limit', (format) => {
  const source = exportSource('words');
  const huge = '\u{1f4a5}\n"'.repeat(20_000);
  source.calls = Array.from({ length: 50 }, (_, n) => ({
    ...source.calls[0]!,
    number: n,
    result: { text: huge, length: huge.length },
  }));
  source.events = source.events.flatMap((event) =>
    Array.from({ length: 20 }, () => ({ ...event, text: { text: huge, length: huge.length } })),
  );
  const text = exportSession(source, format, PAGE);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(EXPORT_MAX_BYTES);
  if (format === 'JSON') expect(JSON.parse(text).toolCalls[0].result).toBeNull();
});

it('marks a text as truncated, however many code units its characters have', () => {
  const source = exportSource('words');
  const text = '🚨 disk '.repeat(1_000); // PostgreSQL counts 7 characters for each repetition
  const [call, ...calls] = source.calls;
  const result = { text: text.slice(0, 7_200), length: 7_000 };
  const shown = { ...source, calls: [{ ...call!, result }, ...calls], alert: { text, length: 7_000 } };
  expect(exportSession(shown, 'MARKDOWN', PAGE)).toContain('_… 3,500 more characters_');
  const { alert, toolCalls } = JSON.parse(exportSession(shown, 'JSON', PAGE));
  expect(toolCalls[0].number).toBe('T12');
  expect([alert.cut, toolCalls[0].result.cut]).toEqual([false, true]);
});
