import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { NATS_SERVER, type NatsServer, startNatsServer } from '../../../test/helpers/nats-server.ts';
import { chunk, isUp, LONG, openSide } from '../../../test/helpers/nats-sides.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';

let database: TestDatabase;
let server: NatsServer;
const releasers: (() => Promise<unknown>)[] = [];

const USERS = `authorization { users = [
  { user: good, password: secret }
  { user: mute, password: secret, permissions: { publish: { deny: ">" } } }
  { user: deaf, password: secret, permissions: { subscribe: { deny: ">" } } }
] }`;

describe.skipIf(NATS_SERVER === null)('a login to NATS (skipped without nats-server)', () => {
  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startNatsServer(USERS);
  });
  afterEach(async () => {
    for (const release of releasers.splice(0).reverse()) await release();
  });
  afterAll(async () => {
    await server?.stop();
    await database?.drop();
  });

  const openAs = (username: string, password = 'secret') =>
    openSide({ nats: server.url, database: database.url }, releasers, {
      config: { username, passwordEnv: 'NATS_PASSWORD' },
      env: { NATS_PASSWORD: password },
    });

  test('works with the password of its variable', async () => isUp(await openAs('good')));

  test.each([
    ['a wrong password', 'good', 'wrong', /Authorization/i],
    ['no right to publish', 'mute', 'secret', /permissions violation.*publish/i],
    ['no right to subscribe', 'deaf', 'secret', /permissions violation.*subscription/i],
  ])('with %s, NOTIFY carries the notices and the reason is told', async (_, user, password, reason) => {
    const side = await openAs(user, password);
    await expect.poll(() => side.carrier.problem(), LONG).toMatch(reason);
    expect(side.carrier.problem()).not.toContain(password);
    expect(side.log).not.toContain('NATS connected, it carries notices');
    await side.publish(chunk(1));
    await expect.poll(() => side.heard, LONG).toEqual([1]);
  });
});
