import { expect, test } from 'vitest';
import { partAround, widened } from './passage.ts';
import { hashOf, placeInReport } from './place-in-report.ts';
import { prettyJson } from './pretty-json.ts';
import { evidenceWords, recordWords } from './record-words.ts';

test('what is shown of a text is whole lines around a passage, and more on demand', () => {
  const text = Array.from({ length: 100_000 }, (_, n) => `line ${n}`).join('\n');
  const start = text.indexOf('line 50000');
  const part = partAround(text, { start, end: start + 10 });
  const shown = text.slice(part.start, part.end).split('\n');
  expect([shown[0], shown.at(-1)].every((line) => /^line \d{5}$/.test(line!))).toBe(true);
  expect(shown).toContain('line 50000');
  expect(part.end - part.start).toBeLessThan(20_100);
  const before = widened(text, part, 40_000, -1);
  expect([before.end, part.start - before.start > 39_000]).toEqual([part.end, true]);
  expect(widened(text, part, 1e9)).toEqual({ start: 0, end: text.length });
  expect(partAround('short', null)).toEqual({ start: 0, end: 5 });
});

test('in a line without an end no character is torn apart', () => {
  const text = '\u{1f4a5}'.repeat(50_000);
  for (const start of [50_000, 50_002]) {
    const { start: from, end: to } = partAround(text, { start, end: start + 2 });
    expect(text.slice(from, to)).toMatch(/^(\u{1f4a5})+$/u);
  }
});

test('JSON is indented with its words as they came, and a passage moves along', () => {
  const text = '{"pods":[{"name":"a, \\"b\\": {c}","id":12345678901234567890},{}],"none":[ ],"ok":true}';
  const { text: pretty } = prettyJson(text, null);
  expect(pretty).toBe(
    [
      '{',
      '  "pods": [',
      '    {',
      '      "name": "a, \\"b\\": {c}",',
      '      "id": 12345678901234567890',
      '    },',
      '    {}',
      '  ],',
      '  "none": [],',
      '  "ok": true',
      '}',
    ].join('\n'),
  );
  const squeezed = (words: string): string => words.replace(/\s+/g, '');
  for (let start = 0; start < text.length; start += 1)
    for (let end = start + 1; end <= text.length; end += 1) {
      const passage = prettyJson(text, { start, end }).passage;
      const shown = passage === null ? '' : pretty.slice(passage.start, passage.end);
      expect(squeezed(shown), `${start} to ${end}`).toBe(squeezed(text.slice(start, end)));
    }
});

test('what is no JSON stays as it is', () => {
  for (const text of ['{"a":', 'plain', '12'])
    expect(prettyJson(text, { start: 0, end: 1 })).toEqual({ text, passage: { start: 0, end: 1 } });
});

test('an address names a claim, or a citation of it', () => {
  for (const place of [
    { answer: null, claim: 3, citation: null },
    { answer: null, claim: 12, citation: 1 },
    { answer: 4, claim: 3, citation: null },
    { answer: 4, claim: 3, citation: 2 },
  ])
    expect(placeInReport(hashOf(place))).toEqual(place);
  for (const hash of ['', '#event-3', '#claim-', '#claim-3-', '#claim-3-1-2', '#answer-claim-1', '#claim-x'])
    expect(placeInReport(hash)).toBeNull();
});

test('a record and the evidence are said in figures', () => {
  const record = { reviewed: 27, accurate: 24, partiallyAccurate: 2, inaccurate: 1 };
  expect(recordWords(record)).toBe(
    'Of 27 of this verdict that were reviewed: 24 right, 2 partly right, 1 wrong.',
  );
  expect(recordWords({ reviewed: 0, accurate: 0, partiallyAccurate: 0, inaccurate: 0 })).toBe(
    'No report of this verdict was reviewed yet.',
  );
  const claims = [
    { kind: 'CAUSE', status: 'SUPPORTED' },
    { kind: 'OBSERVATION', status: 'UNSUPPORTED' },
    { kind: 'GAP', status: 'NOT_CHECKABLE' },
    { kind: 'RULED_OUT', status: 'SUPPORTED' },
  ] as never;
  expect(evidenceWords({ claims, evidenceScore: 0.5 })).toMatch(
    /^1 of 2 causes and observations .* \(50 %\)\.$/,
  );
  expect(evidenceWords({ claims, evidenceScore: null })).toBeNull();
});
