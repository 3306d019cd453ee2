import { expect, it } from 'vitest';
import type {
  TimelineExecutionFragment,
  TimelineItemFragment,
  TimelineStageFragment,
} from '../../graphql/gen/documents.ts';
import { filterGroups } from './timeline-filter.ts';
import type { StageGroup } from './timeline-groups.ts';

type Given = Partial<TimelineItemFragment> & Pick<TimelineItemFragment, 'id'>;

const item = (given: Given) => ({ type: 'LLM_RESPONSE', status: 'COMPLETED', metadata: null, ...given });

function stage(key: string, agents: Record<string, { status: string; items: readonly Given[] }>): StageGroup {
  return {
    key,
    stage: { id: key } as TimelineStageFragment,
    executions: Object.entries(agents).map(([id, { status, items }]) => ({
      key: id,
      execution: { id, status } as TimelineExecutionFragment,
      items: items.map((given) => item(given) as TimelineItemFragment),
    })),
  };
}

const groups = [
  stage('look', {
    fine: { status: 'COMPLETED', items: [{ id: 'said' }, { id: 'called', type: 'LLM_TOOL_CALL' }] },
    broken: {
      status: 'FAILED',
      items: [
        { id: 'refused', type: 'LLM_TOOL_CALL', metadata: { is_error: true } },
        { id: 'waited', type: 'ERROR', metadata: { outage: true } },
        { id: 'error', type: 'ERROR' },
      ],
    },
    silent: { status: 'TIMED_OUT', items: [] },
  }),
  stage('advise', { writer: { status: 'COMPLETED', items: [{ id: 'advice' }] } }),
];

const shown = (only: 'calls' | 'failures' | null) =>
  filterGroups(groups, only).map(({ key, executions }) => [
    key,
    ...executions.map((own) => [own.key, ...own.items.map(({ id }) => id)]),
  ]);

it('keeps only calls', () => {
  expect(shown('calls')).toEqual([['look', ['fine', 'called'], ['broken', 'refused']]]);
});

it('keeps only failures, and failed agents without items', () => {
  expect(shown('failures')).toEqual([['look', ['broken', 'refused', 'error'], ['silent']]]);
});

it('returns the same groups without a filter', () => {
  expect(filterGroups(groups, null)).toBe(groups);
});
