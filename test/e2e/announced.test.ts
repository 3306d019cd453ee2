import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHANNELS } from '../../src/engine/live/event-log.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

let app: TestApp;
let api: ApiClient;
let listener: pg.Client;
const heard: { channel: string; payload: string }[] = [];
beforeAll(async () => {
  app = await startTestApp({ events: { bus: 'postgres' } }); // the listener hears nothing of another bus
  api = apiClient(app.url);
  listener = new pg.Client({ connectionString: app.database.url });
  await listener.connect();
  listener.on('notification', ({ channel, payload }) => void heard.push({ channel, payload: payload ?? '' }));
  await listener.query(`listen ${CHANNELS.event}; listen ${CHANNELS.chunk}`);
});
afterAll(async () => {
  await listener.end();
  await app.stop();
});

test('announces every event of an alert from submission to end, and every streamed piece', async () => {
  app.llm.script(
    [{ text: 'Looking.' }, toolCall('tools.echo', { text: 'x' })],
    { text: 'Found it.' },
    { text: 'In short.' },
  );
  const id = await api.submit('Trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const { rows } = await listener.query<{ announced: string }>(
    `select session_id || ':' || seq || ':' || type as announced from session_events order by seq`,
  );
  const events = () =>
    heard.filter(({ channel }) => channel === CHANNELS.event).map(({ payload }) => payload);
  await expect.poll(() => events().toSorted()).toEqual(rows.map(({ announced }) => announced).toSorted());
  const chunks = () =>
    heard.filter(({ channel }) => channel === CHANNELS.chunk).map(({ payload }) => payload);
  await expect.poll(chunks).toContainEqual(expect.stringContaining('Found it.'));
});
