import { createClient } from 'graphql-ws';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { NO_AUTH, openApi } from '../../../test/helpers/http-api.ts';
import { mayApprove } from '../../access/approvers.ts';
import type { Engine, LiveListener } from '../../engine/api/engine.ts';

const ACCESS = {
  roles: null,
  teams: null,
  approvers: [
    { users: ['ana'], groups: [], tools: ['k8s.*'] },
    { users: [], groups: ['dba'], tools: ['k8s.restart'] },
  ],
};
const ROW = { id: '00000000-0000-7000-8000-0000000000a1', server: 'k8s', tool: 'restart', status: 'PENDING' };

it('tells each subscriber of approvals whether they may decide, by the configured names', async () => {
  const listeners: LiveListener<unknown>[] = [];
  const approvals = {
    topic: 'approvals',
    listen: (listener: LiveListener<unknown>) => {
      listeners.push(listener);
      return () => {};
    },
    // biome-ignore lint/correctness/useYield: nothing comes before what is live
    async *replay() {
      return 0;
    },
  };
  const engine = {
    mayApprove: (call, viewer) => mayApprove(viewer, call, ACCESS),
    subscribeApprovals: () => approvals as unknown as ReturnType<Engine['subscribeApprovals']>,
  } satisfies Partial<Engine>;
  const api = await openApi(engine, { auth: { ...NO_AUTH, mode: 'proxy' }, access: ACCESS });

  const told = async (headers: Record<string, string>): Promise<unknown> => {
    const client = createClient({
      url: api.wsUrl,
      retryAttempts: 0,
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocols: string) {
          super(url, protocols, { headers });
        }
      },
    });
    const results = client.iterate({ query: 'subscription { approvalsChanged { approval { mayDecide } } }' });
    const { value } = await results.next();
    await client.dispose();
    return value?.data;
  };
  const all = Promise.all([
    told({ 'x-forwarded-user': 'ana' }),
    told({ 'x-forwarded-user': 'bo', 'x-forwarded-groups': 'dba' }),
    told({ 'x-forwarded-user': 'cy' }),
    told({ 'x-forwarded-user': 'di' }),
  ]);
  await expect.poll(() => api.server.fanOut.subscribers).toBe(4);
  expect(api.server.fanOut.groups).toBe(3);
  for (const listener of listeners) listener(ROW, 1);
  const may = [true, true, false, false];
  expect(await all).toEqual(may.map((mayDecide) => ({ approvalsChanged: { approval: { mayDecide } } })));
  await api.close();
});
