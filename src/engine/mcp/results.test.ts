import { expect, it } from 'vitest';
import { resultText } from './results.ts';

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
  [{ content: [{ type: 'text', text: 'a' }], structuredContent: { a: 1 } }, 'a'],
  [{ content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] }, '[image image/png, 3 bytes]'],
  [{ content: [{ type: 'audio', data: 'AA==' }] }, '[audio of unknown type, 1 bytes]'],
  [{ content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'x' } }] }, '[resource file:///a]\nx'],
  [
    { content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'a/b', blob: 'AA' } }] },
    '[resource file:///a a/b]',
  ],
  [{ content: [{ type: 'resource_link', uri: 'file:///b', name: 'b' }] }, '[resource b file:///b]'],
  [{ content: [{ type: 'new' }, 7] }, '[content of type new]\n[content of an unknown form]'],
  [{}, '(the tool returned nothing)'],
  [{ content: [{ type: 'text', text: 'x\0y\uD800' }] }, 'x\u{FFFD}y\u{FFFD}'],
])('%j', (result, text) => {
  expect(resultText(result)).toBe(text);
});
