import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { expect, test } from 'vitest';
import { remarkCitations } from './citations.ts';

/** Renders Markdown with a citation mark for each passage. */
function rendered(text: string, ...passages: string[]): string {
  const citations = passages.map((passage) => {
    const start = text.indexOf(passage);
    const sources = [{ number: 1, title: 'T', uri: 'https://example.com/' }];
    return { start, end: start + passage.length, sources };
  });
  const plugins = [remarkGfm, () => remarkCitations(citations)];
  const html = renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: plugins }, text));
  return html.replace(
    /<sup><a href="https:\/\/example.com\/" title="T" class="citation">\[1\]<\/a><\/sup>/g,
    '¹',
  );
}

test.each<[what: string, text: string, passages: string[], html: string]>([
  ['in the middle of words', 'It is full. Grow it.', ['It is full.'], '<p>It is full.¹ Grow it.</p>'],
  ['at the end of the text', 'It is full.', ['full.'], '<p>It is full.¹</p>'],
  ['two in one piece', 'a b c d', ['a b', 'c'], '<p>a b¹ c¹ d</p>'],
  ['inside emphasis', 'It is **full** now', ['is **full**'], '<p>It is <strong>full¹</strong> now</p>'],
  [
    'behind a link, not in it',
    'See [the page](https://x.y/) there',
    ['See [the page'],
    '<p>See <a href="https://x.y/">the page</a>¹ there</p>',
  ],
  ['in a list and in a table', '- a\n- b\n\n| h |\n| - |\n| c |', ['a', 'c'], ''],
  ['behind escaped characters', 'a \\* b c', ['a \\* b'], '<p>a * b c¹</p>'],
  [
    'never in code',
    'Words\n\n```\ncode\n```\n\nMore `code` here',
    ['code'],
    '<p>Words</p>\n<pre><code>code\n</code></pre>\n<p>More <code>code</code> here</p>',
  ],
])('a mark stands behind its passage: %s', (_, text, passages, html) => {
  const found = rendered(text, ...passages);
  if (html === '') expect(found.match(/(?:a|c)¹/g)).toEqual(['a¹', 'c¹']);
  else expect(found).toBe(html);
});

test('without citations nothing changes', () => {
  expect(rendered('a *b*')).toBe('<p>a <em>b</em></p>');
});
