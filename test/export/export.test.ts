import { expect, it, test } from 'vitest';
import { EXPORT_FORMATS, EXPORT_MAX_BYTES, exportSession } from '../../src/engine/features/export/export.ts';
import { exportSource, SESSION_ID } from './source.ts';

const PAGE = 'https://tarsy.example';
const exported = (format: (typeof EXPORT_FORMATS)[number], text = 'words') =>
  exportSession(exportSource(text), format, PAGE);

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
