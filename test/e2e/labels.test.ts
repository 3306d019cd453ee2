import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Labels of the operator's vocabulary: the report sets them, and lists filter by them. */
let app: TestApp;
let api: ApiClient;
const ids = { capacity: '', both: '', none: '' };

const gap = [{ kind: 'GAP', text: 'The cause is not known.', citations: [], facts: [] }];
const report = (labels: string[]) => ({
  ...{ verdict: 'INCONCLUSIVE', headline: 'Not known.', confidence: 0, entities: [], claims: gap },
  labels,
});

async function investigate(labels: string[]): Promise<string> {
  app.llm.script({ text: 'It is full.' }, toolCall('submit_report', report(labels)), { text: 'Full.' });
  const id = await api.submit('Disk trouble');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  return id;
}

beforeAll(async () => {
  app = await startTestApp({
    defaults: { report: { enabled: true } },
    labels: {
      capacity: { description: 'Something is full.' },
      noise: { description: 'Nobody needs to act.' },
    },
  });
  api = apiClient(app.url);
  ids.capacity = await investigate(['capacity']);
  ids.both = await investigate(['noise', 'capacity', 'noise', 'invented']);
  ids.none = await investigate([]);
});
afterAll(() => app.stop());

test('the report sets labels of the vocabulary and no others', async () => {
  const { requests } = app.llm;
  const offered = requests.find(({ purpose }) => purpose === 'report')!.tools[0]!.parametersSchema;
  expect(JSON.stringify(offered)).toContain('capacity: Something is full.; noise: Nobody needs to act.');
  const labels = async (id: string) => {
    const query = 'query ($id: ID!) { session(id: $id) { labels } }';
    return (await api.query<{ session: { labels: string[] } }>(query, { id })).session.labels;
  };
  expect(await labels(ids.capacity)).toEqual(['capacity']);
  expect(await labels(ids.both)).toEqual(['capacity', 'noise']);
  expect(await labels(ids.none)).toEqual([]);
});

test('sessions are filtered and counted by label', async () => {
  const list = async (labels: string[]) => {
    const query = 'query ($labels: [String!]) { sessions(filter: { labels: $labels }) { nodes { id } } }';
    const { sessions } = await api.query<{ sessions: { nodes: { id: string }[] } }>(query, { labels });
    return sessions.nodes.map(({ id }) => id).sort();
  };
  expect(await list(['noise'])).toEqual([ids.both]);
  expect(await list(['noise', 'capacity'])).toEqual([ids.both, ids.capacity].sort());
  expect(await list(['invented'])).toEqual([]);
  expect(await list([])).toHaveLength(3);
  expect(await api.query('{ sessionCounts(by: LABEL) { values { value count } counted whole } }')).toEqual({
    sessionCounts: {
      values: [
        { value: 'capacity', count: 2 },
        { value: 'noise', count: 1 },
      ],
      ...{ counted: 3, whole: true },
    },
  });
  expect(await api.query('{ sessionFilterOptions { labels } }')).toEqual({
    sessionFilterOptions: { labels: ['capacity', 'noise'] },
  });
});

test('exports have the labels', async () => {
  const query = 'query ($id: ID!) { session(id: $id) { export(format: MARKDOWN) } }';
  const { session } = await api.query<{ session: { export: string } }>(query, { id: ids.both });
  expect(session.export).toContain('- **Labels:** capacity, noise');
});
