import {
  AlertIcon,
  AnswerIcon,
  CodeIcon,
  FlagIcon,
  LinkIcon,
  SearchIcon,
  ThoughtIcon,
  ToolIcon,
  UserIcon,
  WaitIcon,
} from '../../components/icons.tsx';
import type { TimelineEventType, TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { isModelWait } from './model-wait.ts';
import { toolCallFacts } from './tool-call.ts';

interface Look {
  readonly label: string;
  readonly Icon: typeof ToolIcon;
  readonly color: string;
}

const LOOKS: Record<TimelineEventType, Look> = {
  LLM_THINKING: { label: 'Thinking', Icon: ThoughtIcon, color: 'text.secondary' },
  LLM_RESPONSE: { label: 'Response', Icon: AnswerIcon, color: 'primary.main' },
  LLM_TOOL_CALL: { label: 'Tool call', Icon: ToolIcon, color: 'text.secondary' },
  MCP_TOOL_SUMMARY: { label: 'Result summary', Icon: ToolIcon, color: 'text.secondary' },
  ERROR: { label: 'Error', Icon: AlertIcon, color: 'status.failed' },
  USER_QUESTION: { label: 'Question', Icon: UserIcon, color: 'primary.main' },
  EXECUTIVE_SUMMARY: { label: 'Executive summary', Icon: FlagIcon, color: 'status.done' },
  FINAL_ANALYSIS: { label: 'Final analysis', Icon: FlagIcon, color: 'status.done' },
  CODE_EXECUTION: { label: 'Code execution', Icon: CodeIcon, color: 'text.secondary' },
  GOOGLE_SEARCH_RESULT: { label: 'Google search', Icon: SearchIcon, color: 'text.secondary' },
  URL_CONTEXT_RESULT: { label: 'Web pages read', Icon: LinkIcon, color: 'text.secondary' },
  SUBAGENT_TASK: { label: 'Task', Icon: FlagIcon, color: 'primary.main' },
  BUDGET_REACHED: { label: 'Budget', Icon: AlertIcon, color: 'status.late' },
  APPROVAL_REQUESTED: { label: 'Approval requested', Icon: AlertIcon, color: 'status.late' },
  APPROVAL_DECIDED: { label: 'Approval decision', Icon: FlagIcon, color: 'primary.main' },
  PROVIDER_FALLBACK: { label: 'Provider fallback', Icon: AlertIcon, color: 'status.late' },
  ALERT_JOINED: { label: 'Alerts joined', Icon: AlertIcon, color: 'status.late' },
  ALERT_RESOLVED: { label: 'Alerts resolved', Icon: FlagIcon, color: 'status.done' },
  HINT: { label: 'Hint', Icon: UserIcon, color: 'primary.main' },
  HINT_READ: { label: 'Hint read', Icon: UserIcon, color: 'text.secondary' },
  CONCLUSION_REQUESTED: { label: 'Conclusion requested', Icon: FlagIcon, color: 'primary.main' },
  SKILL_LOADED: { label: 'Skills', Icon: FlagIcon, color: 'text.secondary' },
  MEMORY_RECALLED: {
    label: 'Recalled memories',
    Icon: ThoughtIcon,
    color: 'text.secondary',
  },
};

/** Types of items that carry the AI mark, because a model wrote their text. */
export const WRITTEN_BY_MODEL: ReadonlySet<TimelineEventType> = new Set([
  'LLM_THINKING',
  'LLM_RESPONSE',
  'MCP_TOOL_SUMMARY',
  'EXECUTIVE_SUMMARY',
  'FINAL_ANALYSIS',
  'CODE_EXECUTION',
]);

/** Returns the label, icon and color of an item. */
export function lookOf(item: TimelineItemFragment): Look {
  const { type, status, metadata } = item;
  if (type === 'MCP_TOOL_SUMMARY')
    return { ...LOOKS[type], label: `Result summary of ${toolCallFacts(metadata).name}` };
  if (!isModelWait(item)) return LOOKS[type];
  const label = status === 'STREAMING' ? 'Waiting for the model' : 'Waited for the model';
  return { label, Icon: WaitIcon, color: 'status.late' };
}

export const labelOf = (type: TimelineEventType): string => LOOKS[type].label;
