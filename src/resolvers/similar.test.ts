import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, globalId, insertRow, insertSession, openApi } from '../../test/helpers/http-api.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

interface Similar {
  session: { id: string };
  similarity: number;
  reason: string;
}

it('names completed sessions that are like another in title, objects and type, and says why', async () => {
  const disk = { title: 'Disk of db-1 is full', alert_type: 'disk', entities: ['db-1'], status: 'COMPLETED' };
  const asked = await insertSession(api.pool, disk);
  const twin = await insertSession(api.pool, disk);
  const ofOther = await insertSession(api.pool, {
    ...disk,
    title: 'Disk of db-2 is full',
    entities: ['db-2'],
  });
  // These are of the same type alone, not completed, hidden, and a replay.
  await insertSession(api.pool, { ...disk, title: 'No route to login', entities: ['login'] });
  await insertSession(api.pool, { ...disk, status: 'FAILED' });
  await insertSession(api.pool, { ...disk, deleted_at: new Date() });
  const replayed = await insertSession(api.pool, disk);
  const facts = { name: 'n', alert_type: 'x', document: '{}', hash: 'h', world: 'OPEN', expectation: '{}' };
  const counts = { max_unrecorded_calls: 0, recorded_calls: 0, created_by: 'ana' };
  const caseId = await insertRow(api.pool, 'cases', { ...facts, ...counts });
  const model = { provider: 'p', model: 'm', config_hash: 'h', created_by: 'ana' };
  await insertRow(api.pool, 'replays', { case_id: caseId, session_id: replayed, ...model });

  const { data } = await api.query<{ session: { similar: Similar[] } }>(
    'query ($id: ID!) { session(id: $id) { similar { session { id } similarity reason } } }',
    { id: asked },
  );
  expect(data.session.similar).toEqual([
    {
      session: { id: globalId('Session', twin) },
      similarity: 0.85,
      reason: 'both about db-1; the same title; the same alert type',
    },
    {
      session: { id: globalId('Session', ofOther) },
      similarity: 0.48,
      reason: 'a similar title; the same alert type',
    },
  ]);
});
