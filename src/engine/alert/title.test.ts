import { expect, test } from 'vitest';
import { entitiesFromLabels } from './entities.ts';
import { headlineOf } from './headline.ts';
import { titleAbout } from './title.ts';

const NAMED: [title: string, entities: string[], expected: string][] = [
  ['Pod is crash looping.', ['Pod shop/api-7d4f'], 'Pod is crash looping: Pod shop/api-7d4f'],
  [
    'Pod is crash looping.',
    ['Pod shop/a', 'Pod shop/b', 'Pod shop/c'],
    'Pod is crash looping: Pod shop/a and 2 more',
  ],
  ['Disk of db-03 is full', ['host db-03'], 'Disk of db-03 is full'],
  ['Disk of DB-03 is full', ['host db-03', 'host db-04'], 'Disk of DB-03 is full'],
  ['Disk of db-031 is full', ['host db-03'], 'Disk of db-031 is full: host db-03'],
  ['Disks of db-031 and db-03 are full', ['host db-03'], 'Disks of db-031 and db-03 are full'],
  [
    'checkout-api does not answer',
    ['Deployment shop/api'],
    'checkout-api does not answer: Deployment shop/api',
  ],
  ['Errors of api', ['Deployment shop/api'], 'Errors of api'],
  ['Scrape failed', ['instance 10.0.0.7:9100'], 'Scrape failed: instance 10.0.0.7:9100'],
  ['Nothing known', [], 'Nothing known'],
];

test.each(NAMED)('%s about %j', (title, entities, expected) => {
  expect(titleAbout(title, entities)).toBe(expected);
});

test('a long title keeps its entity and its maximum length', () => {
  const title = titleAbout('a'.repeat(200), [`host ${'b'.repeat(190)}`]);
  expect(title).toMatch(/^a+…: host b+…$/);
  expect(title).toHaveLength(200);
  const many = Array.from({ length: 10 }, (_, index) => `Pod p-${index}`);
  expect(titleAbout('Pods crash', many)).toBe('Pods crash: Pod p-0 and more');
});

test('the labels of one alert name ten entities at most', () => {
  const entities = Array.from({ length: 12 }, (_, index) => `Pod p-${index}`);
  expect(entitiesFromLabels([{ entities: entities.join(', ') }])).toEqual(entities.slice(0, 10));
});

test('eight alerts with the same summary have eight different titles', () => {
  const titles = Array.from({ length: 8 }, (_, index) => {
    const labels = { alertname: 'KubePodCrashLooping', namespace: 'shop', pod: `api-${index}` };
    return headlineOf(JSON.stringify({ labels, annotations: { summary: 'Pod is crash looping.' } })).title;
  });
  expect(titles[0]).toBe('Pod is crash looping: Pod shop/api-0');
  expect(new Set(titles).size).toBe(8);
});
