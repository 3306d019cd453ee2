import type { SystemStateQuery, WaitingFragment, WaitReason } from '../graphql/gen/documents.ts';

export type WaitingWork = SystemStateQuery['systemState']['waiting'][number];

/** Reasons to wait, as texts that follow "Waiting for". */
export const WAITS_FOR: Readonly<Record<WaitReason, string>> = {
  SLOT: 'a slot',
  BUDGET: 'a budget',
  APPROVAL: 'an approval',
  MODEL_UNAVAILABLE: 'the model',
  GROUP_WAIT: 'more alerts',
  TOOLS: 'tools',
  DEPENDENCY: 'another worker',
};

/** Reasons that viewers need not act on: a wait of seconds, a normal queue, and approvals, which have a badge. */
const EXPECTED: ReadonlySet<WaitReason> = new Set(['GROUP_WAIT', 'SLOT', 'APPROVAL']);

/** Returns the causes of waiting that viewers may have to act on. */
export function standstills(waiting: readonly WaitingWork[]): readonly WaitingWork[] {
  return waiting.filter(({ reason }) => !EXPECTED.has(reason));
}

/** Returns the number of waiting sessions and alert groups as text, such as `3 sessions and 1 alert group`. */
export function countText({ sessions, alertGroups }: Pick<WaitingWork, 'sessions' | 'alertGroups'>): string {
  const counted = (count: number, name: string): string[] =>
    count === 0 ? [] : [`${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`];
  return [...counted(sessions, 'session'), ...counted(alertGroups, 'alert group')].join(' and ');
}

/** Returns the queue position or the reason that follows a waiting session's status; undefined if there is none. */
export function waitLabel(waiting: WaitingFragment | null, queuePosition: number | null): string | undefined {
  if (queuePosition !== null) return `#${queuePosition}`;
  return waiting === null || waiting.reason === 'SLOT' ? undefined : `for ${WAITS_FOR[waiting.reason]}`;
}
