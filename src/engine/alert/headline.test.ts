import { expect, test } from 'vitest';
import { ALERTMANAGER } from '../../../test/fixtures/alert-kinds/alertmanager.ts';
import { CLOUDS } from '../../../test/fixtures/alert-kinds/clouds.ts';
import { ODD_JSON } from '../../../test/fixtures/alert-kinds/odd-json.ts';
import { PROGRAMS } from '../../../test/fixtures/alert-kinds/programs.ts';
import { TEXTS } from '../../../test/fixtures/alert-kinds/texts.ts';
import { WEBHOOKS } from '../../../test/fixtures/alert-kinds/webhooks.ts';
import { expectLinear } from '../../../test/helpers/cpu-time.ts';
import { headlineOf, readHeadline } from './headline.ts';
import { isJson } from './members.ts';

const KINDS = [...ALERTMANAGER, ...WEBHOOKS, ...CLOUDS, ...PROGRAMS, ...ODD_JSON, ...TEXTS];

test('the fixtures cover every alert kind of the field study', () => {
  expect(new Set(KINDS.map(({ kind }) => kind)).size).toBe(KINDS.length);
  expect(KINDS.length).toBeGreaterThanOrEqual(117);
});

test.each(KINDS)('$kind', ({ text, title, severity, entities }) => {
  const headline = readHeadline(text);
  expect(headline).toEqual({ title, severity, entities });
  expect(isJson(headline.title)).toBe(false);
  expect(headline.title.length).toBeLessThanOrEqual(200);
});

test.each([
  'a',
  ' ',
  '"a',
  '{"a":',
  '[',
  '<a ',
  '*',
  'a=',
  'a: ',
  '| ',
  '\\"',
  '- ',
  'host ',
  '{"a":"b",',
  ':a',
  '_',
])('the time is linear in the length of hostile text: %j', (unit) => {
  expectLinear((size) => unit.repeat(Math.ceil(size / unit.length)), headlineOf, 1_000_000);
});
