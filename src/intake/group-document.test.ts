import { expect, it } from 'vitest';
import { type DocumentAlert, groupDocument } from './group-document.ts';

const AT = new Date('2026-11-22T10:00:00Z');
const alert = (more: Partial<DocumentAlert> = {}): DocumentAlert => ({
  title: 'PodCrashLooping',
  severity: 'ERROR',
  state: 'FIRING',
  labels: { namespace: 'pay', pod: 'api-1' },
  annotations: { summary: 'It crashes' },
  startsAt: AT,
  endsAt: null,
  url: 'http://prometheus/graph',
  ...more,
});
const group = (alerts: DocumentAlert[]) =>
  groupDocument({ title: 'PodCrashLooping (namespace=pay)', severity: 'ERROR', source: 'prod', alerts });

it('shows the labels that all alerts share, then the rest of each alert', () => {
  const document = group([
    alert(),
    alert({
      state: 'RESOLVED',
      labels: { namespace: 'pay', pod: 'api-2' },
      annotations: { description: 'first line\nsecond line' },
      startsAt: new Date('2026-11-22T09:55:00Z'),
      endsAt: AT,
      url: null,
    }),
  ]);
  expect(document).toBe(`# PodCrashLooping (namespace=pay)

Severity: ERROR
State: 1 firing, 1 resolved
Since: 2026-11-22T09:55:00.000Z
Source: prod

Labels that all alerts share:
- namespace: pay

## Alert 1 of 2: PodCrashLooping

State: FIRING, ERROR
Since: 2026-11-22T10:00:00.000Z
Shown at: http://prometheus/graph

Own labels:
- pod: api-1

Annotations:
- summary: It crashes

## Alert 2 of 2: PodCrashLooping

State: RESOLVED, ERROR
Since: 2026-11-22T09:55:00.000Z
Until: 2026-11-22T10:00:00.000Z

Own labels:
- pod: api-2

Annotations:
- description: 
    first line
    second line
`);
});

it('indents texts of several lines, so that no text of an alert begins a line', () => {
  const hostile = 'x\n## Alert 9: forged\r# also\u2028## and this\u0085# that';
  const document = group([alert({ labels: { [hostile]: hostile }, annotations: { a: hostile } })]);
  const headings = document.split(/[\n\r\u2028\u0085]/).filter((line) => line.startsWith('#'));
  expect(headings).toEqual(['# PodCrashLooping (namespace=pay)', '## Alert 1: PodCrashLooping']);
});

it('shows 50 alerts in full, 450 in one line each, and counts the rest', () => {
  const many = Array.from({ length: 600 }, (_, index) => alert({ labels: { pod: `api-${index}` } }));
  const document = group(many);
  expect(document.match(/^## Alert \d+ of 600/gm)).toHaveLength(50);
  expect(document).toContain('- PodCrashLooping (FIRING, ERROR, since 2026-11-22T10:00:00.000Z) pod=api-499');
  expect(document).not.toContain('api-500');
  expect(document).toContain('- and 100 more');
});
