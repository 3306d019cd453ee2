import { expect, test } from 'vitest';
import {
  failuresOf,
  filterStages,
  formatTraceFilter,
  parseTraceFilter,
  scopesOf,
  type TraceFilter,
} from './trace-filter.ts';
import type { TraceSession, TraceStage } from './trace-model.ts';

const call = (id: string, errorMessage: string | null = null) => ({
  ...{
    id,
    errorMessage,
    createdAt: '2026-11-21T03:00:00.000Z',
    durationMs: 1,
    serverName: 's',
    toolName: 't',
  },
  type: 'ITERATION',
});
const agent = (agentName: string, llm: object[], mcp: object[], own: object = {}) => ({
  execution: { id: agentName, parentId: null, startedBy: null, agentName, status: 'COMPLETED', ...own },
  llmInteractions: llm,
  mcpInteractions: mcp,
});
const STAGES = [
  {
    stage: { id: 'x', index: 1, name: 'look', status: 'COMPLETED' },
    executions: [agent('Disk', [call('a')], [call('b', 'broken')]), agent('Log', [call('c', 'refused')], [])],
  },
  {
    stage: { id: 'y', index: 2, name: 'advise', status: 'COMPLETED' },
    executions: [agent('Adviser', [call('d')], [])],
  },
] as unknown as TraceStage[];

const ALL: TraceFilter = { kind: 'all', failed: false, scopes: [] };
const shown = (part: Partial<TraceFilter>): string[] =>
  filterStages(STAGES, { ...ALL, ...part }).flatMap(({ executions }) =>
    executions.flatMap((own) => [...own.llmInteractions, ...own.mcpInteractions].map(({ id }) => id)),
  );

test('a filter narrows a trace to kinds, failures, stages and agents', () => {
  expect(filterStages(STAGES, ALL)).toBe(STAGES);
  expect(shown({ kind: 'llm' })).toEqual(['a', 'c', 'd']);
  expect(shown({ kind: 'mcp' })).toEqual(['b']);
  expect(shown({ failed: true })).toEqual(['b', 'c']);
  expect(shown({ failed: true, kind: 'llm' })).toEqual(['c']);
  expect(shown({ scopes: ['2'] })).toEqual(['d']);
  expect(shown({ scopes: ['1/Log', '2'] })).toEqual(['c', 'd']);
  expect(shown({ scopes: ['3'] })).toEqual([]);
});

test('failures keep the agents and calls that lead to them, failed agents and failed stages', () => {
  const started = { parentId: 'Lead', startedBy: { id: 'start' } };
  const stages = [
    {
      stage: { id: 'x', index: 1, name: 'look', status: 'COMPLETED' },
      executions: [
        agent('Lead', [call('think')], [call('start'), call('other')]),
        agent('Sub', [call('fine')], [call('bad', 'broken')], started),
        agent('Idle', [call('well')], []),
        agent('Late', [], [], { status: 'TIMED_OUT' }),
      ],
    },
    { stage: { id: 'y', index: 2, name: 'advise', status: 'FAILED' }, executions: [] },
    { stage: { id: 'z', index: 3, name: 'end', status: 'COMPLETED' }, executions: [] },
  ] as unknown as TraceStage[];
  const seen = (part: Partial<TraceFilter>) =>
    filterStages(stages, { ...ALL, failed: true, ...part }).map(({ stage, executions }) => [
      stage.id,
      ...executions.map(({ execution, llmInteractions, mcpInteractions }) =>
        [execution.id, ...[...llmInteractions, ...mcpInteractions].map(({ id }) => id)].join(' '),
      ),
    ]);
  expect(seen({})).toEqual([['x', 'Lead start', 'Sub bad', 'Late'], ['y']]);
  expect(seen({ kind: 'mcp' })).toEqual([['x', 'Lead start', 'Sub bad']]);
  expect(seen({ kind: 'llm' })).toEqual([]);
  expect(seen({ scopes: ['1/Sub'] })).toEqual([['x', 'Sub bad']]);
  expect(failuresOf({ trace: { stages, sessionInteractions: [] } } as unknown as TraceSession)).toBe(3);
});

test('the scopes are the stages, and the agents of stages with several', () => {
  const session = { trace: { stages: STAGES } } as unknown as TraceSession;
  expect(scopesOf(session).map(({ value }) => value)).toEqual(['1', '1/Disk', '1/Log', '2']);
});

test('a filter round-trips through the URL', () => {
  const filter: TraceFilter = { kind: 'mcp', failed: true, scopes: ['1', '1/A b'] };
  expect(parseTraceFilter(new URLSearchParams(formatTraceFilter(filter).toString()))).toEqual(filter);
  expect(formatTraceFilter(ALL).toString()).toBe('');
  expect(parseTraceFilter(new URLSearchParams('kind=toString&failed=yes'))).toEqual(ALL);
});
