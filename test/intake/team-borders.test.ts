import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { readEvents } from '../helpers/sse.ts';
import { teamIntake } from '../helpers/team-intake.ts';

const api = teamIntake();
const { ask, submit, deliver, silenceBy } = api;

const REASON = /^A silence covers (?:its alert|the alert|all \d+ alerts) for another [^:]+\.$/;

interface News {
  alertGroupsChanged: { group: { decisions: { nodes: { reason: string; silence: object | null }[] } } };
}

/** Returns the first result of a user's subscription over graphql-ws. */
async function firstOverWebSocket(who: string, query: string): Promise<News> {
  class NamedWebSocket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers: { 'x-forwarded-user': who } });
    }
  }
  const url = `${api.app.url.replace('http', 'ws')}/graphql`;
  const client = createClient({ url, webSocketImpl: NamedWebSocket, retryAttempts: 0 });
  const { value } = await client.iterate<News>({ query }).next();
  await client.dispose();
  return value.data;
}

/** Returns the first result of a user's subscription over server-sent events. */
async function firstOverEventStream(who: string, query: string): Promise<News> {
  const response = await fetch(`${api.app.url}/graphql?${new URLSearchParams({ query })}`, {
    headers: { accept: 'text/event-stream', 'x-forwarded-user': who },
  });
  for await (const { event, data } of readEvents(response))
    if (event === 'next') return JSON.parse(data).data;
  throw new Error('the stream ended');
}

it('the silence of another team stands in the decision, without its comment and author', async () => {
  await silenceBy('rex');
  const { body } = await deliver('null', { labels: { of: 'none', host: 'db-03' } });
  expect(body.decisions![0]!.reason).toMatch(REASON);
  await api.pool.query(`insert into intake_decisions (id, source, outcome, reason, group_id, silence_id, count)
      select gen_random_uuid(), source, outcome, 'A silence covers its alert for another 9 min: as rex: wants', group_id, silence_id, 1
      from intake_decisions`); // as stored by the version before
  const DECISIONS = '{ intakeDecisions { nodes { outcome reason silence { comment } } } }';
  const decisionsOf = async (who: string) => (await ask(who, DECISIONS)).intakeDecisions.nodes;
  for (const [who, silence] of [
    ['rex', { comment: 'as rex wants' }],
    ['bea', null],
  ] as const) {
    const seen = await decisionsOf(who);
    expect(seen).toEqual(Array(2).fill({ outcome: 'SILENCED', reason: expect.any(String), silence }));
    for (const { reason } of seen) expect(reason).toMatch(REASON);
  }
  for (const key of ['k', 'l'])
    expect(JSON.stringify(await submit('bea', { dedupKey: key, labels: { host: 'db-03' } }))).not.toContain(
      'wants',
    );
});

it('the comment of a silence reaches only those who see it in live news, too', async () => {
  const query =
    'subscription { alertGroupsChanged { group { decisions { nodes { reason silence { comment } } } } } }';
  await silenceBy('rex');
  let areTold = false;
  const all = Promise.all([
    firstOverWebSocket('bea', query),
    firstOverEventStream('bea', query),
    firstOverWebSocket('rex', query),
    firstOverEventStream('rex', query),
  ]).finally(() => {
    areTold = true;
  });
  // Repeated, because nothing tells when all subscriptions have begun.
  const again = async () => {
    await deliver('null', { labels: { of: 'none', host: 'db-03' } });
    return areTold;
  };
  await expect.poll(again, { timeout: 20_000, interval: 200 }).toBe(true);
  for (const [index, told] of (await all).entries()) {
    const silence = index < 2 ? null : { comment: 'as rex wants' };
    const { nodes } = told.alertGroupsChanged.group.decisions;
    expect(nodes.length).toBeGreaterThan(0);
    for (const node of nodes) expect(node).toEqual({ reason: expect.stringMatching(REASON), silence });
  }
});

describe('a dedupKey', () => {
  /** Returns the submitted texts of each session's group, and of groups without a session. */
  const texts = async () => {
    const { rows } = await api.pool.query<{ texts: string[] }>(
      `select array_agg(a.annotations ->> 'text' order by a.first_received_at) as texts from alerts a
       group by a.group_id order by min(a.first_received_at)`,
    );
    return rows.map((row) => row.texts);
  };

  it.each([
    ['by a rule', { labels: { of: 'beta' } }],
    ['by its chain', { alertType: 'betas' }],
    ['by its submitter', { team: 'beta' }],
  ])('reaches nothing of a team %s that its submitter does not see', async (_how, teamed) => {
    expect(await submit('bea', { dedupKey: 'k', data: 'of beta', ...teamed })).toMatchObject({
      session: { team: 'beta' },
    });
    for (const who of ['rex', 'tom', 'null', 'alpha']) {
      // The same key in no team, and in the team where a rule or the chain puts it.
      for (const more of [{}, 'team' in teamed ? { labels: { of: 'beta' } } : teamed]) {
        const answer = await submit(who, { dedupKey: 'k', data: `of ${who}`, ...more });
        expect(answer.decision ?? { silence: null }).toMatchObject({ silence: null });
      }
    }
    expect((await texts())[0]).toEqual(['of beta']);
    const { rows } = await api.pool.query(
      `select count(*)::int as news from timeline_events where content like '%of %'`,
    );
    expect(rows).toEqual([{ news: 0 }]);
  });

  it('of a team whose alerts the submitter does not see is the submitter’s own', async () => {
    const forBeta = (who: string) => submit(who, { dedupKey: 'k', data: who, labels: { of: 'beta' } });
    for (const who of ['ada', 'rex', 'tom'])
      expect(await forBeta(who)).toMatchObject({ __typename: 'SubmitAlertSuccess' });
    for (const who of ['ada', 'bea', 'zoe']) // they see the first
      expect(await forBeta(who)).toMatchObject({ __typename: 'AlertNotInvestigatedError' });
    expect(await forBeta('rex')).toMatchObject({
      __typename: 'AlertNotInvestigatedError',
      decision: { outcome: 'DUPLICATE', session: null, group: null, silence: null },
    });
    expect(await texts()).toEqual([['ada', 'bea', 'zoe'].slice(-1), ['rex'], ['tom']]);
  });

  it('is shared by all who submit it for no team', async () => {
    expect(await submit('rex', { dedupKey: 'k' })).toMatchObject({ __typename: 'SubmitAlertSuccess' });
    for (const who of ['bea', 'tom', 'ada'])
      expect(await submit(who, { dedupKey: 'k' })).toMatchObject({ decision: { outcome: 'DUPLICATE' } });
  });
});
