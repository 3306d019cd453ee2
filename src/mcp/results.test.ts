import { expect, it } from 'vitest';
import { readToolResult, resultText } from './results.ts';

it.each([
  [
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    'a\nb',
  ],
  [{ content: [], structuredContent: { a: 1 } }, '{\n  "a": 1\n}'],
  [
    { content: [{ type: 'text', text: 'a' }], structuredContent: { a: 1 } },
    'a\nStructured content:\n{\n  "a": 1\n}',
  ],
  [
    { content: [{ type: 'text', text: '{"b":[2],\n"a":1}' }], structuredContent: { a: 1, b: [2] } },
    '{"b":[2],\n"a":1}',
  ],
  [{ content: [{ type: 'text', text: 'ok' }], structuredContent: { result: 'ok' } }, 'ok'],
  [{ content: [{ type: 'text', text: '7' }], structuredContent: { result: 7 } }, '7'],
  [
    {
      content: [
        { type: 'text', text: '{"a":1}' },
        { type: 'text', text: 'b' },
      ],
      structuredContent: { result: [{ a: 1 }, 'b'] },
    },
    '{"a":1}\nb',
  ],
  [{ content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] }, '[image image/png, 3 bytes]'],
  [{ content: [{ type: 'audio', data: 'AA==' }] }, '[audio of unknown type, 1 bytes]'],
  [{ content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'x' } }] }, '[resource file:///a]\nx'],
  [
    { content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'a/b', blob: 'AA' } }] },
    '[resource file:///a a/b 1 bytes]',
  ],
  [{ content: [{ type: 'resource_link', uri: 'file:///b', name: 'b' }] }, '[resource b file:///b]'],
  [{ content: [{ type: 'new' }, 7] }, '[content of type new]\n7'],
  [{}, '(the tool returned nothing)'],
  [{ content: [{ type: 'text', text: 'x\0y\uD800' }] }, 'x\u{FFFD}y\u{FFFD}'],
])('%j', (result, text) => {
  expect(resultText(readToolResult(result))).toBe(text);
});
