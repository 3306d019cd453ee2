import { expect, it } from 'vitest';
import { readTimeSeries } from './time-series.ts';

const START = 1_700_000_000;
const points = [1, 5, 2].map((value, index) => ({ time: (START + index * 60) * 1000, value }));
const at = (index: number): string => new Date(points[index]!.time).toISOString();

it.each([
  [
    'Prometheus',
    {
      status: 'success',
      data: {
        resultType: 'matrix',
        result: [
          {
            metric: { __name__: 'up', job: 'api' },
            values: [
              [START, '1'],
              [START + 60, '5'],
              [START + 120, '2'],
            ],
          },
        ],
      },
    },
    'up{job="api"}',
  ],
  [
    'Graphite',
    [
      {
        target: 'cpu.user',
        datapoints: [
          [1, START],
          [5, START + 60],
          [null, START + 90],
          [2, START + 120],
        ],
      },
    ],
    'cpu.user',
  ],
  [
    'objects with an ISO 8601 time',
    { usage: [0, 1, 2].map((index) => ({ timestamp: at(index), value: points[index]!.value, unit: 'MiB' })) },
    'usage',
  ],
  [
    'objects with milliseconds',
    [0, 1, 2].map((index) => ({ ts: points[index]!.time, used: points[index]!.value })),
    'used',
  ],
])('%s', (_source, value, name) => {
  expect(readTimeSeries(JSON.stringify(value, null, 2))).toEqual([{ name, points }]);
});

it('returns one series per value of a time', () => {
  const rows = [0, 1, 2].map((index) => ({ time: at(index), rx: index, tx: 3 - index }));
  expect(readTimeSeries(JSON.stringify({ eth0: rows })).map(({ name }) => name)).toEqual([
    'eth0 rx',
    'eth0 tx',
  ]);
});

it.each([
  ['no JSON', `time 17:00 value 4 ${START}`],
  ['too few points', JSON.stringify([[START, 1]])],
  [
    'a single time',
    JSON.stringify([
      [START, 1],
      [START, 2],
      [START, 3],
    ]),
  ],
  [
    'time that goes back',
    JSON.stringify([
      [START, 1],
      [START - 60, 2],
      [START + 1, 3],
    ]),
  ],
  ['an invalid point', JSON.stringify([[START, 1], 'x', [START + 1, 3]])],
  [
    'pairs without a time',
    JSON.stringify([
      [1, 2],
      [3, 4],
      [5, START],
    ]),
  ],
  ['events', JSON.stringify([0, 1, 2].map((index) => ({ time: at(index), message: 'up' })))],
  ['broken JSON', `[[${START}, 1], [${START + 1}, 2]`],
])('finds no time series in %s', (_what, text) => {
  expect(readTimeSeries(text)).toEqual([]);
});

it('gives up on deeply nested JSON and on very many lists', () => {
  const lists = Array.from({ length: 30_000 }, () => [[START, 1]]);
  expect(readTimeSeries(JSON.stringify(lists))).toEqual([]);
  expect(readTimeSeries(`${'['.repeat(50_000)}${START}${']'.repeat(50_000)}`)).toEqual([]);
});
