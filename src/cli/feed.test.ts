import { expect, test } from 'vitest';
import type { TimelineEntry } from './contract.ts';
import { appendChunk, createFeed } from './feed.ts';
import { createStyle } from './style.ts';

function entry(id: string, type: string, content = '', status = 'STREAMING', metadata = {}): TimelineEntry {
  return { id, sequenceNumber: 1, type, status, content, metadata, execution: null };
}

function setup() {
  let written = '';
  const feed = createFeed(
    (text) => {
      written += text;
    },
    createStyle(false, {}),
  );
  return { feed, written: () => written };
}

test('writes two texts that grow in parallel one after the other', () => {
  const { feed, written } = setup();
  feed.open(entry('a', 'LLM_THINKING'), 'A');
  feed.open(entry('b', 'LLM_RESPONSE'), 'B');
  feed.chunk('b', 0, 'second ');
  feed.chunk('a', 0, 'first ');
  expect(written()).toBe('thinking · A\nfirst ');
  feed.line('── a line');
  feed.complete(entry('b', 'LLM_RESPONSE', 'second text', 'COMPLETED'), 'B');
  feed.complete(entry('a', 'LLM_THINKING', 'first text', 'COMPLETED'), 'A');
  expect(written()).toBe('thinking · A\nfirst text\n\nanswer · B\nsecond text\n\n── a line\n');
});

test('replaces a missing chunk by the complete text', () => {
  const { feed, written } = setup();
  feed.open(entry('a', 'LLM_RESPONSE'), null);
  feed.chunk('a', 0, 'one ');
  feed.chunk('a', 8, 'three');
  feed.complete(entry('a', 'LLM_RESPONSE', 'one two three', 'COMPLETED'), null);
  expect(written()).toBe('answer\none two three\n\n');
});

test('a tool call shows its name, arguments and the first lines of its result', () => {
  const { feed, written } = setup();
  const metadata = { server_name: 'host', tool_name: 'disk_usage', arguments: { path: '/' } };
  feed.open(entry('a', 'LLM_TOOL_CALL', '', 'STREAMING', metadata), null);
  expect(written()).toBe('→ host.disk_usage {"path":"/"}\n');
  const result = Array.from({ length: 20 }, (_, index) => `line ${index}\x1b[2J`).join('\n');
  feed.complete(entry('a', 'LLM_TOOL_CALL', result, 'COMPLETED', metadata), null);
  expect(written()).toContain('  line 7\n  … 12 more lines\n');
  expect(written()).not.toContain('\x1b');
});

test.each(['waiting', 'outage'])('says why the model is waited for while it lasts (%s)', (kind) => {
  const { feed, written } = setup();
  feed.open(entry('a', 'ERROR', '', 'STREAMING', { [kind]: true }), null);
  feed.chunk('a', 0, 'The rate limit is reached. Retrying in 20 s.\n');
  expect(written()).toBe('waiting for the model\nThe rate limit is reached. Retrying in 20 s.\n');
  const text = 'The rate limit is reached. Retrying in 20 s.\nIt answers again.';
  feed.complete(entry('a', 'ERROR', text, 'COMPLETED', { [kind]: true, waited_ms: 20_000 }), null);
  expect(written()).toBe(`waiting for the model\n${text}\n\n`);
});

test('marks an interrupted text, and writes incomplete texts at the end', () => {
  const { feed, written } = setup();
  feed.open(entry('a', 'LLM_RESPONSE'), null);
  feed.complete(entry('a', 'LLM_RESPONSE', 'half', 'CANCELLED'), null);
  expect(written()).toBe('answer\nhalf\ncancelled\n\n');
  feed.open(entry('b', 'LLM_THINKING'), null);
  feed.open(entry('c', 'LLM_RESPONSE', 'kept'), null);
  feed.flush();
  expect(written()).toContain('answer\nkept\n');
});

test('marks an answer that becomes the final analysis, without repeating it', () => {
  const { feed, written } = setup();
  feed.open(entry('a', 'LLM_RESPONSE'), null);
  feed.chunk('a', 0, 'All is ');
  feed.complete(entry('a', 'FINAL_ANALYSIS', 'All is well.', 'COMPLETED'), null);
  expect(written()).toBe('answer\nAll is well.\n── This is the final analysis.\n\n');
});

test.each([
  ['continues the text', 'ab', { offset: 2, delta: 'cd' }, 'abcd'],
  ['begins', '', { offset: 0, delta: 'ab' }, 'ab'],
  ['repeats the text and continues it', 'ab', { offset: 0, delta: 'abcd' }, 'abcd'],
  ['repeats known text', 'abcd', { offset: 1, delta: 'bc' }, 'abcd'],
  ['is empty', 'ab', { offset: 2, delta: '' }, 'ab'],
  ['begins beyond the end', 'ab', { offset: 3, delta: 'd' }, null],
])('a chunk that %s', (_, text, piece, expected) => {
  expect(appendChunk(text, piece)).toEqual(expected);
});

test('chunks of any size, some of them repeated, give the exact text', () => {
  const whole = 'Plan: ↯ 😀 fin\n'.repeat(3);
  for (let size = 1; size <= whole.length; size += 1) {
    let text = '';
    for (let offset = 0; offset < whole.length; offset += size) {
      for (const from of [offset, Math.max(0, offset - 2)]) {
        text = appendChunk(text, { offset: from, delta: whole.slice(from, offset + size) }) ?? 'gap';
      }
    }
    expect(text).toBe(whole);
  }
});
