import { formatDuration } from '../../../config/durations.ts';
import {
  type ExecutionStatus,
  isTerminalStatus,
  type SessionStatus,
  type StageStatus,
  type StageType,
} from '../../../db/enums.ts';
import { toOneLine } from '../../prompt-text/untrusted.ts';
import { statusLine } from './progress.ts';
import { type Block, blockText, type TaskBlock, type TaskStatus } from './text.ts';

/** Stages and agents of a running session. */
export interface PlanInput {
  sessionId: string;
  status: SessionStatus;
  /** Name of the current stage; `null` if there is none. */
  stage: string | null;
  stages: readonly StageProgress[];
  /** Tool calls of each agent. */
  calls: readonly { stageId: string; executionId: string; count: number }[];
}

interface StageProgress {
  id: string;
  /** Number in the session, from 1. */
  index: number;
  name: string;
  type: StageType;
  status: StageStatus;
  /** Duration (s); `null` while the stage runs. */
  seconds: number | null;
  agents: readonly { id: string; index: number; name: string; status: ExecutionStatus }[];
}

/** Content of a message about progress: a card per stage, and per agent of a stage with several. */
export interface Plan {
  title: string;
  tasks: readonly TaskCard[];
}

interface TaskCard {
  /** Equal in every state of the session, because Slack replaces the card with the same id. */
  id: string;
  title: string;
  status: TaskStatus;
  /** Short text about what has ended; `null` before. */
  details: string | null;
}

/** A part of a streaming message. */
export type StreamChunk =
  | { type: 'markdown_text'; text: string }
  | { type: 'plan_update'; title: string }
  | { type: 'task_update'; id: string; title: string; status: TaskStatus; details?: string };

/** Maximum cards of stages, and of agents. Slack accepts 50 cards, and about 10,000 bytes of text in a stream. */
const MAX_STAGES = 20;
const MAX_AGENTS = 20;

/** Maximum UTF-16 code units of a name. Slack accepts 256 characters in a title. */
const NAME_UNITS = 60;
const TITLE_UNITS = 250;

/** Maximum lines of a plan as text, so that it fits into a block of 3,000 characters. */
const MAX_LINES = 16;

/** Status of a card, and the words behind its title. */
const STATES: Readonly<Record<ExecutionStatus, { status: TaskStatus; words: string | null }>> = {
  PENDING: { status: 'pending', words: null },
  ACTIVE: { status: 'in_progress', words: null },
  WAITING_FOR_APPROVAL: { status: 'in_progress', words: 'waits for approval' },
  COMPLETED: { status: 'complete', words: null },
  FAILED: { status: 'error', words: 'failed' },
  CANCELLED: { status: 'error', words: 'cancelled' },
  TIMED_OUT: { status: 'error', words: 'timed out' },
};

/** Returns the cards of a session. @param planned names of the configured stages, in order */
export function planOf(input: PlanInput, planned: readonly string[]): Plan {
  const { sessionId, status, stage, stages, calls } = input;
  const count = (matches: (call: PlanInput['calls'][number]) => boolean) =>
    calls.filter(matches).reduce((sum, call) => sum + call.count, 0);
  const isEnded = isTerminalStatus(status);
  const open = planned.map((name, position) => ({ name, position }));
  const cards: TaskCard[] = [];
  const agents: TaskCard[] = [];
  for (const { id, index, name, type, seconds, ...rest } of stages) {
    const at = type === 'INVESTIGATION' ? open.findIndex((each) => each.name === name) : -1;
    const [config] = at === -1 ? [] : open.splice(at, 1);
    const waits = rest.agents.some((agent) => agent.status === 'WAITING_FOR_APPROVAL');
    const state = rest.status === 'ACTIVE' && waits ? 'WAITING_FOR_APPROVAL' : rest.status;
    const made = count(({ stageId }) => stageId === id);
    cards.push({
      id: config ? plannedId(sessionId, config.position) : `${sessionId}:stage:${index}`,
      ...cardOf(name, { state, made, isEnded }),
      details: seconds === null ? null : detailsOf(rest.agents.length, seconds),
    });
    if (rest.agents.length < 2) continue;
    for (const agent of rest.agents) {
      const own = count(({ executionId }) => executionId === agent.id);
      const card = cardOf(agent.name, { state: agent.status, made: own, isEnded });
      agents.push({ id: `${sessionId}:agent:${index}:${agent.index}`, ...card, details: null });
    }
  }
  for (const { name, position } of open) {
    // A completed session needed no further stage; after any other end, the stage is missing.
    const state = !isEnded ? 'PENDING' : status === 'COMPLETED' ? 'COMPLETED' : 'CANCELLED';
    const { status: shown } = STATES[state];
    const title = isEnded ? `${nameOf(name)} · not run` : nameOf(name);
    cards.push({ id: plannedId(sessionId, position), title, status: shown, details: null });
  }
  const title = statusLine({ status, stage, calls: count(() => true) });
  return {
    title: blockText(toOneLine(title, TITLE_UNITS), TITLE_UNITS, '…'),
    tasks: [...cards.slice(0, MAX_STAGES), ...agents.slice(0, MAX_AGENTS)],
  };
}

const plannedId = (sessionId: string, position: number) => `${sessionId}:planned:${position + 1}`;

/** Returns title and status of a card. Nothing runs any more after a session has ended. */
function cardOf(
  name: string,
  { state, made, isEnded }: { state: ExecutionStatus; made: number; isEnded: boolean },
): Pick<TaskCard, 'title' | 'status'> {
  const { status, words } = STATES[state];
  const isOpen = status === 'pending' || status === 'in_progress';
  const ended = isEnded && isOpen ? { status: 'error' as const, words: 'not finished' } : { status, words };
  const calls = made === 0 ? null : made === 1 ? '1 tool call' : `${made} tool calls`;
  const parts = [nameOf(name), calls, ended.words].filter((part) => part !== null);
  return { title: parts.join(' · '), status: ended.status };
}

/** Returns a name as plain text: names come from the configuration, in which anything may stand. */
function nameOf(name: string): string {
  return blockText(toOneLine(name, NAME_UNITS), 2 * NAME_UNITS, '…') || '-';
}

function detailsOf(agents: number, seconds: number): string {
  const time = formatDuration(Math.max(1, seconds) * 1000);
  return agents > 1 ? `${agents} agents, ${time}` : time;
}

/**
 * Returns the chunks that make a streaming message show the plan. Repeating them changes nothing, except for details,
 * which Slack appends to those of the card: they belong into the last chunks only.
 */
export function planChunks({ title, tasks }: Plan, { withDetails }: { withDetails: boolean }): StreamChunk[] {
  return [
    { type: 'plan_update', title },
    ...tasks.map(({ details, ...task }): StreamChunk => {
      const isShown = withDetails && details !== null;
      return { type: 'task_update', ...task, ...(isShown ? { details } : {}) };
    }),
  ];
}

const MARKS: Readonly<Record<TaskStatus, string>> = {
  pending: '○',
  in_progress: '◐',
  complete: '✓',
  error: '✗',
};

/** Returns the plan as text, a line per card, for workspaces that show plans in streams only. */
export function planText({ title, tasks }: Plan): string {
  const lines = tasks.slice(0, MAX_LINES).map((task) => `${MARKS[task.status]} ${task.title}`);
  return [title, ...lines].join('\n');
}

/** Returns the block that shows the plan in a message that is not streaming. */
export function planBlock({ title, tasks }: Plan): Block {
  return {
    type: 'plan',
    title,
    tasks: tasks.map(({ id, title, status, details }): TaskBlock => {
      const card = { type: 'task_card', task_id: id, title, status } as const;
      if (details === null) return card;
      const text = [{ type: 'text', text: details }] as [{ type: 'text'; text: string }];
      return {
        ...card,
        details: { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: text }] },
      };
    }),
  };
}
