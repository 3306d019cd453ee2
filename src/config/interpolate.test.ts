import { describe, expect, test } from 'vitest';
import { interpolate, isTemplate, looksSecret } from './interpolate.ts';

const ENV = { HOST: 'db', PORT: '5432', EMPTY: '', API_TOKEN: 's3cret' };

describe('texts', () => {
  test.each([
    ['plain', 'plain'],
    ['{{.HOST}}', 'db'],
    ['{{ .HOST }}:{{.PORT}}', 'db:5432'],
    ['{{.NOPE | default "x"}}', 'x'],
    ['{{.NOPE|default ""}}', ''],
    ['{{.EMPTY | default "x"}}', 'x'],
    ['{{.HOST | default "x"}}', 'db'],
    [String.raw`{{.NOPE | default "a \"b\" \\ }}"}}`, String.raw`a "b" \ }}`],
    ['{{"{{.HOST}}"}}', '{{.HOST}}'],
    ['{{ $labels.job }} {{ range . }} {{job}}', '{{ $labels.job }} {{ range . }} {{job}}'],
    ['line\n{{.HOST}}\nline', 'line\ndb\nline'],
  ])('%j', (source, text) => {
    expect(interpolate(source, ENV)).toMatchObject({ text, problems: [] });
  });
});

test.each([
  ['{{.NOPE}}', 'environment variable NOPE is not set'],
  ['{{.EMPTY}}', 'environment variable EMPTY is not set'],
  ['{{.toString}}', 'environment variable toString is not set'],
  ['{{.A.B}}', '"{{.A.B}}" is not a template; write {{.NAME}} or {{.NAME | default "x"}}'],
  ['{{.HOST | upper}}', '"{{.HOST | upper}}" is not a template; write {{.NAME}} or {{.NAME | default "x"}}'],
  ['{{.HOST', '"{{.HOST" is not a template; write {{.NAME}} or {{.NAME | default "x"}}'],
])('%j is a problem', (source, problem) => {
  expect(interpolate(source, ENV).problems).toEqual([problem]);
});

test('a replaced value is not searched for templates again', () => {
  expect(interpolate('{{.A}}', { A: '{{.B}}', B: 'no' }).text).toBe('{{.B}}');
});

test('only a text of exactly one template is whole', () => {
  const whole = (source: string) => interpolate(source, ENV).isWhole;
  expect(whole('{{.PORT}}')).toBe(true);
  expect(whole('{{.NOPE | default "5"}}')).toBe(true);
  expect(whole(' {{.PORT}}')).toBe(false);
  expect(whole('{{.PORT}}{{.PORT}}')).toBe(false);
  expect(whole('{{"5"}}')).toBe(false);
  expect(isTemplate('{{.PORT}}')).toBe(true);
  expect(isTemplate('{{.PORT}}0')).toBe(false);
});

test('reports values of secret-looking variables, but not defaults', () => {
  expect(interpolate('{{.API_TOKEN}} {{.HOST}}', ENV).secrets).toEqual(['s3cret']);
  expect(interpolate('{{.OTHER_TOKEN | default "public"}}', ENV).secrets).toEqual([]);
  expect(['GITHUB_TOKEN', 'db_password', 'API_KEY', 'CLIENT_SECRET', 'DATABASE_URL'].every(looksSecret)).toBe(
    true,
  );
  expect(['HTTP_PORT', 'KUBECONFIG', 'METRICS_HOST'].some(looksSecret)).toBe(false);
});
