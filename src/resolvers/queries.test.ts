import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, globalId, insertSession, openApi } from '../../test/helpers/http-api.ts';
import { insertInvestigation, secondsAfterNoon } from '../../test/helpers/investigation.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

describe('node and nodes', () => {
  it('return objects of every type by global id, and null for invalid ids', async () => {
    const made = await insertInvestigation(api.pool);
    const ids: [string, string][] = [
      ['Session', made.session],
      ['Stage', made.stage],
      ['AgentExecution', made.execution],
      ['TimelineEvent', made.thought],
      ['Message', made.messages[0]!],
      ['Message', `${made.summary}.1`],
      ['LlmInteraction', made.llm],
      ['McpInteraction', made.mcp],
      ['Chat', made.chat],
      ['ChatMessage', made.question],
    ];
    const known = ids.map(([type, id]) => ({ __typename: type, id: globalId(type, id) }));
    const unknown = [
      'x',
      globalId('Session', made.stage),
      globalId('Nothing', made.stage),
      globalId('Message', `${made.summary}.2`),
      globalId('constructor', made.stage),
    ];
    const answer = await api.query('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', {
      ids: [...known.map((node) => node.id), ...unknown],
    });
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({ nodes: [...known, ...unknown.map(() => null)] });
    const one = await api.query('query ($id: ID!) { node(id: $id) { id ... on Message { content } } }', {
      id: globalId('Message', `${made.summary}.1`),
    });
    expect(one.data).toEqual({ node: { id: globalId('Message', `${made.summary}.1`), content: 'sum up' } });
  });

  it('limit the number of ids', async () => {
    const ids = Array.from({ length: 101 }, () => 'x');
    const answer = await api.query('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(answer.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });
});

describe('trace', () => {
  const document = `query ($id: ID!) { session(id: $id) { trace {
    stages { stage { name } executions { execution { agentName }
      llmInteractions { type iteration request response thinking conversation { sequenceNumber toolCalls { name } } }
      mcpInteractions { serverName toolName arguments result availableTools }
    } }
    sessionInteractions { type conversation { role content createdAt } }
  } } }`;

  it('contains every exchange, each with the conversation at that time', async () => {
    const { session } = await insertInvestigation(api.pool);
    const answer = await api.query(document, { id: session });
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toMatchObject({
      session: {
        trace: {
          stages: [
            {
              stage: { name: 'look' },
              executions: [
                {
                  execution: { agentName: 'HostAgent' },
                  llmInteractions: [
                    {
                      type: 'ITERATION',
                      iteration: 1,
                      request: { model: 'm' },
                      response: { text: 'x' },
                      thinking: 'hm',
                      conversation: [
                        { sequenceNumber: 1, toolCalls: [] },
                        { sequenceNumber: 2, toolCalls: [] },
                        { sequenceNumber: 3, toolCalls: [{ name: 'host__disk' }] },
                      ],
                    },
                  ],
                  mcpInteractions: [
                    {
                      serverName: 'host',
                      toolName: 'disk',
                      arguments: { path: '/' },
                      result: { used: '91%' },
                      availableTools: null,
                    },
                  ],
                },
              ],
            },
            { stage: { name: 'sum up' }, executions: [] },
            { stage: { name: 'chat' }, executions: [] },
          ],
          sessionInteractions: [
            { type: 'EXECUTIVE_SUMMARY', conversation: [{ role: 'USER', content: 'sum up' }] },
          ],
        },
      },
    });
  });

  it('returns one interaction by UUID or global id', async () => {
    const { llm, mcp } = await insertInvestigation(api.pool);
    const answer = await api.query(
      'query ($llm: ID!, $mcp: ID!) { llmInteraction(id: $llm) { id } mcpInteraction(id: $mcp) { id } wrong: llmInteraction(id: $mcp) { id } }',
      { llm, mcp: globalId('McpInteraction', mcp) },
    );
    expect(answer.data).toEqual({
      llmInteraction: { id: globalId('LlmInteraction', llm) },
      mcpInteraction: { id: globalId('McpInteraction', mcp) },
      wrong: null,
    });
  });
});

describe('relations', () => {
  it('need the same number of statements for one session as for many', async () => {
    const document = `{ sessions(first: 4) { nodes {
      alertData queuePosition currentStage { name }
      stages { executions { timeline { stage { name } } messages { content } } }
      timeline { execution { agentName } }
      trace { stages { executions { llmInteractions { request conversation { id } } mcpInteractions { result } } } }
      chat { messages { stage { name } } }
    } } }`;
    const cost = async () => {
      api.statements.length = 0;
      const { errors } = await api.query(document);
      expect(errors).toBeUndefined();
      return api.statements.length;
    };
    await api.pool.query('delete from alert_sessions');
    await insertInvestigation(api.pool);
    const one = await cost();
    for (let n = 0; n < 3; n++) await insertInvestigation(api.pool);
    expect(await cost()).toBe(one);
    expect(one).toBeLessThan(25);
  });
});

describe('filter options', () => {
  it('are the configured alert types and the existing values', async () => {
    await api.pool.query('delete from alert_sessions');
    const empty = await api.query('{ sessionFilterOptions { alertTypes } }');
    expect(empty.data).toEqual({ sessionFilterOptions: { alertTypes: [] } });
    await insertSession(api.pool, { alert_type: 'b', author: 'zoe' });
    await insertSession(api.pool, { alert_type: 'a', status: 'FAILED' });
    await insertSession(api.pool, { alert_type: 'b', chain_id: 'other' });
    await insertSession(api.pool, { alert_type: 'gone', deleted_at: secondsAfterNoon(0) });
    const answer = await api.query(
      '{ alertTypes { name chainId isDefault description stageCount } sessionFilterOptions { alertTypes chainIds authors statuses } }',
    );
    expect(answer.data).toEqual({
      alertTypes: [
        {
          name: 'kubernetes',
          chainId: 'kubernetes-chain',
          isDefault: true,
          description: 'Pods',
          stageCount: 3,
        },
        { name: 'host', chainId: 'host-chain', isDefault: false, description: '', stageCount: 1 },
      ],
      sessionFilterOptions: {
        alertTypes: ['a', 'b'],
        chainIds: ['host-chain', 'other'],
        authors: ['ana', 'zoe'],
        statuses: ['FAILED', 'PENDING'],
      },
    });
  });
});

describe('a filter with NUL is refused as bad input', () => {
  it.each([
    'auditEvents(actor: ["a\\u0000"]) { totalCount }',
    'auditEvents(action: ["a\\u0000"]) { totalCount }',
    'alertGroups(filter: { team: ["a\\u0000"] }) { totalCount }',
    'alertGroups(filter: { source: ["a\\u0000"] }) { totalCount }',
    'alertGroups(filter: { search: "abc\\u0000" }) { totalCount }',
    'intakeDecisions(source: ["a\\u0000"]) { totalCount }',
  ])('%s', async (field) => {
    const { errors } = await api.query(`{ ${field} }`);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
