import { expect, test } from 'vitest';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { findCitations, groundingOf, readGrounding } from './grounding.ts';

const SOURCES = [
  { title: 'Disks', uri: 'https://example.com/disks' },
  { title: 7, uri: 'https://example.com/logs' },
];
const support = (text: unknown, ...sourceIndices: unknown[]) => ({ text, sourceIndices, startIndex: 0 });

test('malformed grounding is skipped, and sources keep their numbers', () => {
  const supports = [support('a', 1, 'x'), support('', 0), support(3, 0), support('b'), null];
  const sources = [{ title: 'no address' }, ...SOURCES, 'x'];
  expect(readGrounding({ queries: ['q', 1], sources, supports })).toEqual({
    queries: ['q'],
    sources: [
      { number: 2, title: 'Disks', uri: 'https://example.com/disks' },
      { number: 3, title: '', uri: 'https://example.com/logs' },
    ],
    supports: [{ text: 'a', numbers: [2] }],
  });
  for (const nothing of [null, undefined, 'x', [], { queries: {}, sources: 1, supports: 'x' }])
    expect(readGrounding(nothing)).toEqual({ queries: [], sources: [], supports: [] });
});

test('passages are found by their text, a repeated one at its next occurrence', () => {
  const answer = 'Größe: full. Then full. Masked.';
  const found = findCitations(answer, {
    sources: SOURCES,
    supports: [
      support('Größe: full.', 0),
      support('full. ', 1, 0),
      support('gone', 0),
      support('Masked.', 9),
    ],
  });
  expect(found.map(({ start, end, sources }) => [answer.slice(start, end), sources.length])).toEqual([
    ['Größe: full.', 1],
    ['full.', 2],
  ]);
});

function item(type: TimelineItemFragment['type'], metadata: unknown = null): TimelineItemFragment {
  return { type, metadata } as TimelineItemFragment;
}

test('the sources of an answer follow it and precede the next answer', () => {
  const grounded = { sources: SOURCES, supports: [support('a', 0)] };
  const items = [
    item('LLM_RESPONSE'),
    item('LLM_TOOL_CALL'),
    item('FINAL_ANALYSIS'),
    item('GOOGLE_SEARCH_RESULT', { sources: SOURCES }),
    item('URL_CONTEXT_RESULT', grounded),
  ];
  expect(items.map((_, index) => groundingOf(items, index))).toEqual([null, null, items[4], null, null]);
  expect(groundingOf(items, -1)).toBeNull();
});
