import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { describe, expect, it, test, vi } from 'vitest';
import { exportSession } from '../../src/engine/features/export/export.ts';
import { block, code, inline, quotation } from '../../src/engine/features/export/markdown-text.ts';
import { exportSource } from './source.ts';

vi.setConfig({ testTimeout: 120_000 });

/**
 * Tests exports with hostile text. Other systems render exports, so a real renderer's output may link to
 * TARSy's own page only.
 */
const PAGE = 'https://tarsy.example';

interface Node {
  type: string;
  url?: string;
  value?: string;
  depth?: number;
  children?: Node[];
}

/** Parses a text with the renderer of GitHub's Markdown. */
function treeOf(markdown: string): Node {
  let tree: Node = { type: 'root' };
  const keep = () => (root: unknown) => {
    tree = structuredClone(root) as Node;
  };
  renderToStaticMarkup(createElement(Markdown, { remarkPlugins: [remarkGfm, keep] }, markdown));
  return tree;
}

function all(node: Node): Node[] {
  return [node, ...(node.children ?? []).flatMap(all)];
}

const LEADS = new Set([
  ...['link', 'image', 'html', 'linkReference', 'imageReference', 'definition'],
  ...['footnoteReference', 'footnoteDefinition'],
]);

function leadsAway(markdown: string): Node[] {
  return all(treeOf(markdown)).filter(
    ({ type, url }) => LEADS.has(type) && !(type === 'link' && url?.startsWith(`${PAGE}/sessions/`)),
  );
}

/** Returns the text of all code nodes, which renderers leave unchanged. */
const codeIn = (markdown: string) =>
  all(treeOf(markdown)).flatMap(({ type, value }) => (/code/i.test(type) ? [value] : []));

const HOSTILE = [
  '[click](https://evil.example)',
  '![x](https://evil.example/p.png)',
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '<https://evil.example>',
  'https://evil.example/?q=1',
  'www.evil.example',
  'a@evil.example',
  '@everyone',
  '[ref]: https://evil.example',
  '[ref]',
  '[^1]: note',
  '[^1]',
  '# Report',
  'Report\n===',
  '`',
  '``',
  '```',
  '~~~',
  '- ~~~',
  '> ```',
  '    indented',
  '\\',
  '\\`',
  '&lt;img&gt;',
  '&#60;img src=x&#62;',
  '| a | b |\n|---|---|\n| `x | [y](https://evil.example)` |',
  '<!-- ',
  '-->',
  '<![CDATA[',
  '\u202ehttps://evil.example\u202c',
  'ht\u200btps://evil.example',
  '\u0000\u001b[31m',
  '\ud800',
  '***',
  '__',
  '1. one\n   ```',
  '\r[x](https://evil.example)',
  '\u2028# heading',
  'HTTPS://EVIL.example',
  '(https://evil.example)',
  '$\\href{https://evil.example}{x}$',
];

test.each(HOSTILE)('%j is plain text in every position', (text) => {
  for (const markdown of [
    inline(text),
    `- ${inline(text)}`,
    code(text),
    block(text).join('\n'),
    quotation(text).join('\n'),
    exportSession(exportSource(text), 'MARKDOWN', PAGE),
    exportSession(exportSource(text), 'POSTMORTEM', PAGE),
  ])
    expect(leadsAway(markdown), markdown).toEqual([]);
});

it('stays plain text when pieces are joined', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const joints = ['', ' ', '\n', '\n\n', '|', '`', '  \n', '\n    '];
  for (let n = 0; n < 250; n++) {
    let text = '';
    for (let piece = 0; piece < 2 + random(6); piece++)
      text += HOSTILE[random(HOSTILE.length)]! + joints[random(joints.length)]!;
    for (const markdown of [`- ${inline(text)}`, quotation(text).join('\n'), `x ${code(text)} y`])
      expect(leadsAway(markdown), JSON.stringify(text)).toEqual([]);
  }
});

it('shows no invisible text, and keeps what emoji and scripts need', () => {
  for (const hidden of ['\u200b', '\u202e', '\u2063', '\u3164', '\u{e0041}\u{e0062}', '\u{e0101}', '\u034f'])
    for (const written of [inline(`a${hidden}b`), code(`a${hidden}b`), quotation(`a${hidden}b`).join(' ')])
      expect(written.replace(/[`> ]/g, ''), JSON.stringify(hidden)).toBe('ab');
  for (const kept of ['👩\u200d🚒', '❤\ufe0f', 'می\u200cخواهم']) expect(inline(kept)).toBe(kept);
});

it('lets no foreign text create headings', () => {
  const hostile = exportSource('# Report\n\nReport\n===\n\n- ## Report\n\nReport\n---\n');
  for (const format of ['MARKDOWN', 'POSTMORTEM'] as const) {
    const outside = treeOf(exportSession(hostile, format, PAGE)).children!.filter(
      ({ type }) => type === 'heading',
    );
    const plain = treeOf(exportSession(exportSource('words'), format, PAGE)).children!;
    expect(outside.map(({ depth }) => depth)).toEqual(
      plain.filter(({ type }) => type === 'heading').map(({ depth }) => depth),
    );
  }
});

describe('keeps intended formatting', () => {
  it('keeps names literal, without italics', () => {
    expect(inline('disk_usage of /var/lib/_data_ is 91 % *now*')).toBe(
      'disk_usage of /var/lib/\\_data\\_ is 91 % \\*now\\*',
    );
  });

  it('code that contains backticks', () => {
    expect(code('a ``b`` `c')).toBe('```a ``b`` `c```');
    expect(codeIn(code('`x`'))).toEqual(['`x`']);
    expect(codeIn(block('a\n```\nb').join('\n'))).toEqual(['a\n```\nb']);
    expect(codeIn(quotation('````\n```\na\n````').join('\n'))).toEqual(['```\na']);
  });

  it('lists, tables, emphasis and code of an analysis', () => {
    const analysis =
      '## Cause\n\n- **full** disk: `df -h`\n\n```sh\ncurl http://localhost/[a](b)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |';
    const types = new Set(all(treeOf(quotation(analysis).join('\n'))).map(({ type }) => type));
    expect([...types].sort()).toEqual([
      ...['blockquote', 'code', 'heading', 'inlineCode', 'list', 'listItem', 'paragraph', 'root', 'strong'],
      ...['table', 'tableCell', 'tableRow', 'text'],
    ]);
    expect(codeIn(quotation(analysis).join('\n'))).toEqual(['df -h', 'curl http://localhost/[a](b)']);
  });

  it('escapes in linear time', () => {
    for (const piece of ['a', '`', '` ``', '[', '@', 'www.', '~~~\n', '| ', '> ', '\\'])
      expect(quotation(piece.repeat(200_000 / piece.length)).length).toBeGreaterThan(0);
  });
});
