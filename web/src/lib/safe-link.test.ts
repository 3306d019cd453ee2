import { describe, expect, it } from 'vitest';
import { safeLink } from './safe-link.ts';

describe('safeLink', () => {
  it.each([
    ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d', 'example.com'],
    ['HTTP://Example.com:8080', 'http://example.com:8080/', 'example.com:8080'],
    ['mailto:ana@example.com', 'mailto:ana@example.com', 'ana@example.com'],
    ['https://good.example@evil.example/', 'https://good.example@evil.example/', 'evil.example'],
    ['https://аpple.com/', 'https://xn--pple-43d.com/', 'xn--pple-43d.com'],
  ])('allows %s as %s', (href, url, target) => {
    expect(safeLink(href)).toEqual({ href: url, target });
  });

  it.each([
    undefined,
    '',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    'intent://x',
    '//evil.example/x',
    '/graphql?query={a}',
    '#top',
    'https://',
  ])('rejects %j', (href) => {
    expect(safeLink(href)).toBeNull();
  });
});
