import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, globalId, insertSession, openApi } from '../../test/helpers/http-api.ts';
import { insertInvestigation, secondsAfterNoon } from '../../test/helpers/investigation.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

describe('session', () => {
  it('returns the session with stages, executions, timeline and messages by UUID and by global id', async () => {
    const made = await insertInvestigation(api.pool);
    const document = `query ($id: ID!) { session(id: $id) {
      id alertData status durationMs createdAt mcpSelection queuePosition
      tokenUsage { totalTokens inputTokens }
      currentStage { name referencedStage { name session { status } } }
      stages { name durationMs executions { agentName stage { index } timeline { content } messages { role } } }
      timeline { sequenceNumber type metadata stage { name } execution { agentName } }
      chat { createdBy session { id } messages { content stage { name } } }
    } }`;
    const answer = await api.query(document, { id: made.session });
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({
      session: {
        id: globalId('Session', made.session),
        alertData: 'disk at 91%',
        status: 'COMPLETED',
        durationMs: 3000,
        createdAt: '2026-01-01T12:00:00.000Z',
        mcpSelection: { servers: [{ name: 'host', tools: null }], nativeTools: null },
        queuePosition: null,
        tokenUsage: { totalTokens: 4_000_000_000, inputTokens: 0 },
        currentStage: { name: 'sum up', referencedStage: { name: 'look', session: { status: 'COMPLETED' } } },
        stages: [
          {
            name: 'look',
            durationMs: null,
            executions: [
              {
                agentName: 'HostAgent',
                stage: { index: 1 },
                timeline: [{ content: 'hm' }],
                messages: ['SYSTEM', 'USER', 'ASSISTANT', 'TOOL', 'ASSISTANT'].map((role) => ({ role })),
              },
            ],
          },
          { name: 'sum up', durationMs: null, executions: [] },
          { name: 'chat', durationMs: null, executions: [] },
        ],
        timeline: [
          {
            sequenceNumber: 1,
            type: 'LLM_THINKING',
            metadata: { iteration: 1 },
            stage: { name: 'look' },
            execution: { agentName: 'HostAgent' },
          },
          { sequenceNumber: 2, type: 'FINAL_ANALYSIS', metadata: null, stage: null, execution: null },
        ],
        chat: {
          createdBy: 'ana',
          session: { id: globalId('Session', made.session) },
          messages: [{ content: 'why?', stage: { name: 'chat' } }],
        },
      },
    });
    const again = await api.query(document, { id: globalId('Session', made.session) });
    expect(again.data).toEqual(answer.data);
  });

  it('returns ids of stages and executions without reading them, and a cursor for later events', async () => {
    const { session } = await insertInvestigation(api.pool);
    await api.pool.query('update alert_sessions set last_event_seq = 7 where id = $1', [session]);
    api.statements.length = 0;
    const answer = await api.query<{ session: Record<string, never> }>(
      `query ($id: ID!) { session(id: $id) { eventCursor timeline { stageId executionId } } }`,
      { id: session },
    );
    const read = api.statements.filter(({ sql }) => /from "(stages|agent_executions)"/.test(sql));
    expect(read).toEqual([]);
    const same = await api.query<{ session: Record<string, never> }>(
      `query ($id: ID!) { session(id: $id) { timeline { stage { id } execution { id stageId stage { id } } } } }`,
      { id: session },
    );
    const [first, second] = same.data.session.timeline as unknown as {
      stage: { id: string };
      execution: { id: string; stageId: string; stage: { id: string } };
    }[];
    expect(first!.execution.stageId).toBe(first!.execution.stage.id);
    expect(second).toEqual({ stage: null, execution: null });
    expect(answer.data.session).toEqual({
      eventCursor: Buffer.from('v1:7').toString('base64url'),
      timeline: [
        { stageId: first!.stage.id, executionId: first!.execution.id },
        { stageId: null, executionId: null },
      ],
    });
  });

  it('filters the timeline by sequence number and type', async () => {
    const { session } = await insertInvestigation(api.pool);
    const answer = await api.query(
      `query ($id: ID!) { session(id: $id) {
        later: timeline(afterSequence: 1) { sequenceNumber }
        thoughts: timeline(types: [LLM_THINKING]) { sequenceNumber }
        none: timeline(afterSequence: 1, types: [LLM_THINKING]) { sequenceNumber }
      } }`,
      { id: session },
    );
    expect(answer.data).toEqual({
      session: { later: [{ sequenceNumber: 2 }], thoughts: [{ sequenceNumber: 1 }], none: [] },
    });
  });

  it.each([
    '',
    'nonsense',
    '00000000-0000-7000-8000-000000000000',
    globalId('Stage', 'x'),
    'a\u0000b',
    '\ud800',
  ])('is null for the id %j', async (id) => {
    expect(await api.query('query ($id: ID!) { session(id: $id) { id } }', { id })).toMatchObject({
      status: 200,
      data: { session: null },
    });
  });

  it('hides sessions deleted by retention, and everything that belongs to them', async () => {
    const made = await insertInvestigation(api.pool);
    await api.pool.query('update alert_sessions set deleted_at = now() where id = $1', [made.session]);
    const answer = await api.query(
      `query ($id: ID!, $ids: [ID!]!, $llm: ID!) {
        session(id: $id) { id } nodes(ids: $ids) { id } llmInteraction(id: $llm) { id }
      }`,
      {
        id: made.session,
        ids: [
          globalId('Session', made.session),
          globalId('Stage', made.stage),
          globalId('ChatMessage', made.question),
        ],
        llm: made.llm,
      },
    );
    expect(answer.data).toEqual({ session: null, nodes: [null, null, null], llmInteraction: null });
  });

  it('lists running sessions newest first, and waiting ones by the order of the queue, then id', async () => {
    await api.pool.query('delete from alert_sessions');
    const queue_at = secondsAfterNoon(10);
    const ids = ['00000000-0000-7000-8000-00000000000b', '00000000-0000-7000-8000-00000000000a'];
    for (const id of ids) await insertSession(api.pool, { id, queue_at });
    const first = await insertSession(api.pool, { queue_at: secondsAfterNoon(9) });
    const runs = [8, 9].map((n) => ({ queue_at: secondsAfterNoon(n), created_at: secondsAfterNoon(n) }));
    const older = await insertSession(api.pool, { ...runs[0], status: 'IN_PROGRESS' });
    const newer = await insertSession(api.pool, { ...runs[1], status: 'CANCELLING' });
    const answer = await api.query(
      '{ activeSessions { active { id queuePosition } queued { id queuePosition } } }',
    );
    expect(answer.data).toEqual({
      activeSessions: {
        active: [newer, older].map((id) => ({ id: globalId('Session', id), queuePosition: null })),
        queued: [first, ids[1]!, ids[0]!].map((id, index) => ({
          id: globalId('Session', id),
          queuePosition: index + 1,
        })),
      },
    });
  });

  it('has a session that starts in exactly one list', async () => {
    await api.pool.query('delete from alert_sessions');
    const id = await insertSession(api.pool, {});
    let isOver = false;
    const moves = async () => {
      while (!isOver) {
        await api.pool.query(`update alert_sessions set status = 'IN_PROGRESS' where id = $1`, [id]);
        await api.pool.query(`update alert_sessions set status = 'PENDING' where id = $1`, [id]);
      }
    };
    const moved = moves();
    const lists = [];
    try {
      for (let n = 0; n < 100; n += 1) {
        const { data } = await api.query<{ activeSessions: Record<string, { id: string }[]> }>(
          '{ activeSessions { active { id } queued { id } } }',
        );
        lists.push(Object.values(data.activeSessions).flat().length);
      }
    } finally {
      isOver = true;
      await moved;
    }
    expect(new Set(lists)).toEqual(new Set([1]));
  });

  it('returns only the first 500 queue positions', async () => {
    await api.pool.query('delete from alert_sessions');
    await api.pool.query(
      `insert into alert_sessions (id, alert_type, alert_data, chain_id, author, queue_at)
       select gen_random_uuid(), 'host', 'x', 'c', 'a', now() + n * interval '1 second' from generate_series(1, 502) n`,
    );
    const { rows } = await api.pool.query<{ id: string }>(
      'select id from alert_sessions order by queue_at offset 498',
    );
    const answer = await api.query<{ nodes: { queuePosition: number | null }[] }>(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Session { queuePosition } } }',
      { ids: rows.map(({ id }) => globalId('Session', id)) },
    );
    expect(answer.data.nodes.map(({ queuePosition }) => queuePosition)).toEqual([499, 500, null, null]);
  });
});
