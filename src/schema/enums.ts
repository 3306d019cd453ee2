import type { ITERATION_STRATEGIES, PARALLEL_TYPES, ROLES, SUCCESS_POLICIES } from '../config/enums.ts';
import type {
  EXECUTION_STATUSES,
  LLM_INTERACTION_TYPES,
  MESSAGE_ROLES,
  SESSION_STATUSES,
  STAGE_STATUSES,
  STAGE_TYPES,
  TIMELINE_EVENT_STATUSES,
  TIMELINE_EVENT_TYPES,
  TOKEN_SCOPES,
} from '../db/enums.ts';
import { builder } from './builder.ts';
import type { SESSION_ORDER_FIELDS } from './context.ts';
import { described } from './described.ts';

export const Role = builder.enumType('Role', {
  description: 'What users may do, the least first; each may do what those before it may.',
  values: described<typeof ROLES>({
    VIEWER: 'Read.',
    RESPONDER: 'Submit alerts, cancel, ask, silence, investigate groups and review.',
    ADMIN: 'Everything that concerns access, and what is remembered.',
  }),
});

export const TokenScope = builder.enumType('TokenScope', {
  description: 'What a token may do.',
  values: described<typeof TOKEN_SCOPES>({
    READ: 'Whatever a viewer may read.',
    SUBMIT_ALERTS: 'Submit alerts, and send deliveries to sources that take tokens.',
    CHAT: 'Ask about investigations, and stop answers.',
    REVIEW: 'Cancel, silence, investigate groups, and review.',
    APPROVE: 'Decide on actions that wait for people.',
    ADMIN: 'Everything but APPROVE.',
  }),
});

export const SessionStatus = builder.enumType('SessionStatus', {
  description: 'How far an investigation is. The last four are final: a session never leaves them.',
  values: described<typeof SESSION_STATUSES>({
    PENDING: 'It waits for a free slot.',
    IN_PROGRESS: 'It runs.',
    WAITING_FOR_APPROVAL:
      'Nothing of it can go on until people decide on a call; it holds no slot, and its time does not run.',
    CANCELLING: 'It was cancelled, and what still runs is being stopped.',
    COMPLETED: 'It ended with an analysis.',
    FAILED: 'It ended without an analysis; errorMessage says why.',
    CANCELLED: 'Somebody cancelled it.',
    TIMED_OUT: 'Its time was up before it was done.',
  }),
});

const STAGE_MEANINGS = {
  PENDING: 'Not begun.',
  ACTIVE: 'It runs.',
  COMPLETED: 'Done.',
  FAILED: 'It failed; errorMessage says why.',
  CANCELLED: 'It was cancelled with its session, or its answer was.',
  TIMED_OUT: 'Its time was up before it was done.',
} as const;
export const StageStatus = builder.enumType('StageStatus', {
  description: 'How far a stage is. The last four are final.',
  values: described<typeof STAGE_STATUSES>(STAGE_MEANINGS),
});
export const ExecutionStatus = builder.enumType('ExecutionStatus', {
  description: 'How far the work of one agent is. COMPLETED, FAILED, CANCELLED and TIMED_OUT are final.',
  values: described<typeof EXECUTION_STATUSES>({
    ...STAGE_MEANINGS,
    WAITING_FOR_APPROVAL: 'It waits for people to decide on a call.',
  }),
});

export const StageType = builder.enumType('StageType', {
  description: 'What a stage is for.',
  values: described<typeof STAGE_TYPES>({
    INVESTIGATION: 'Agents look into the alert.',
    SYNTHESIS: 'One agent brings together what the agents of the stage before found.',
    CHAT: 'Answers one question about an investigation that has ended.',
    EXEC_SUMMARY: 'Sums the investigation up in a few sentences.',
    REPORT: 'Puts the investigation into claims, which the server checks.',
  }),
});

export const ParallelType = builder.enumType('ParallelType', {
  description: 'Why a stage has several agents.',
  values: described<typeof PARALLEL_TYPES>({
    MULTI_AGENT: 'Different agents, side by side.',
    REPLICA: 'Copies of one agent, side by side.',
  }),
});

export const SuccessPolicy = builder.enumType('SuccessPolicy', {
  description: 'When a stage of several agents counts as successful.',
  values: described<typeof SUCCESS_POLICIES>({
    ALL: 'When all of its agents complete.',
    ANY: 'When at least one of its agents completes.',
  }),
});

export const IterationStrategy = builder.enumType('IterationStrategy', {
  description: 'How an agent works with its model.',
  values: described<typeof ITERATION_STRATEGIES>({
    SINGLE_CALL: 'One call of the model, without tools.',
    REACT: 'Thought, action and observation as text: for models without function calls.',
    LANGCHAIN: 'Function calls, with any provider.',
    NATIVE_THINKING: 'Function calls and thinking, with the SDK of Google.',
    SYNTHESIS: 'One call that brings results together, with any provider.',
    SYNTHESIS_NATIVE_THINKING:
      'One call that brings results together, with thinking, with the SDK of Google.',
  }),
});

export const TimelineEventType = builder.enumType('TimelineEventType', {
  description: 'What a timeline event shows.',
  values: described<typeof TIMELINE_EVENT_TYPES>({
    LLM_THINKING: 'What the model thought before it answered or called a tool.',
    LLM_RESPONSE: 'Text of the model on its way to the analysis.',
    LLM_TOOL_CALL:
      'A call of a tool; the content is the (masked) result, metadata has server, tool and arguments.',
    MCP_TOOL_SUMMARY: 'A summary of a tool result that was too long for the model.',
    ERROR: 'Something that failed on the way; the investigation may have gone on.',
    USER_QUESTION: 'A question that somebody asked about the investigation.',
    EXECUTIVE_SUMMARY: 'The executive summary.',
    FINAL_ANALYSIS: 'What an agent concludes, or its answer to a question.',
    CODE_EXECUTION: 'Code that the provider ran for the model, with its output.',
    GOOGLE_SEARCH_RESULT: 'Queries and sources of a web search that the provider made for the model.',
    URL_CONTEXT_RESULT: 'Sources of pages that the provider read for the model.',
    ALERT_JOINED: 'Alerts of the same group that came, or got worse, while it ran.',
    ALERT_RESOLVED: 'Alerts that the source said are over while it ran: some of them, or all.',
    SKILL_LOADED: 'Instructions for a kind of work that an agent was given, or loaded: their names.',
    MEMORY_RECALLED:
      'What past investigations taught, given to an agent at its start; metadata.memories has their ids.',
    SUBAGENT_TASK: 'The task that a sub-agent was given, first in its own timeline.',
    BUDGET_REACHED: 'A budget is nearly or wholly used, and what was done about it.',
    PROVIDER_FALLBACK:
      'The model could not be had, and that of another provider goes on; metadata: reason, error_code, from, to, native_tools_dropped, skipped.',
    APPROVAL_REQUESTED:
      'A call waits for people; metadata has approval_id, server, tool and the (masked) arguments.',
    APPROVAL_DECIDED: 'What was decided about a call, and by whom; metadata has approval_id and status.',
  }),
});

export const TimelineEventStatus = builder.enumType('TimelineEventStatus', {
  description: 'How far a timeline event is. All but STREAMING are final.',
  values: described<typeof TIMELINE_EVENT_STATUSES>({
    STREAMING: 'Its content still grows.',
    COMPLETED: 'Its content is whole.',
    FAILED: 'What it shows failed; the content is what there was until then.',
    CANCELLED: 'It was broken off with its session, or with its answer.',
    TIMED_OUT: 'Its time was up before it was whole.',
  }),
});

export const MessageRole = builder.enumType('MessageRole', {
  description: 'Who speaks in a conversation with a model.',
  values: described<typeof MESSAGE_ROLES>({
    SYSTEM: 'The instructions of the agent.',
    USER: 'What the agent is asked: the alert, a question, what a tool said where the model calls none itself.',
    ASSISTANT: 'The model.',
    TOOL: 'The result of a tool call.',
  }),
});

export const LlmInteractionType = builder.enumType('LlmInteractionType', {
  description: 'What a call of a model was for.',
  values: described<typeof LLM_INTERACTION_TYPES>({
    ITERATION: 'One turn of an agent that investigates.',
    FORCED_CONCLUSION: 'The conclusion asked for when the turns of an agent were used up.',
    SYNTHESIS: 'Bringing together what several agents found.',
    SUMMARIZATION: 'Summarizing a tool result that was too long.',
    EXECUTIVE_SUMMARY: 'The executive summary.',
    CHAT_RESPONSE: 'One turn of the answer to a question.',
    MEMORY: 'Reading what the investigation teaches.',
    REPORT: 'Putting the investigation into claims.',
    SCORING: 'Judging the investigation.',
  }),
});

export const SessionOrderField = builder.enumType('SessionOrderField', {
  description: 'What a list of sessions may be ordered by.',
  values: described<typeof SESSION_ORDER_FIELDS>({
    CREATED_AT: 'When they were submitted.',
    STATUS: 'Their status, by its name.',
    ALERT_TYPE: 'Their alert type, by its name.',
    AUTHOR: 'Who submitted them, by name.',
    DURATION: 'How long they took; those that have not ended count as shortest.',
  }),
});

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which end of an order comes first.',
  values: described<readonly ['ASC', 'DESC']>({
    ASC: 'The smallest, or oldest, first.',
    DESC: 'The largest, or newest, first.',
  }),
});
