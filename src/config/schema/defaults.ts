import { z } from 'zod';
import { formatDuration } from '../durations.ts';
import { ITERATION_STRATEGIES, SUCCESS_POLICIES } from '../enums.ts';
import { MASKING_GROUPS } from '../masking-names.ts';
import { orchestratorDefaults } from './agents.ts';
import { configEnum, count, duration, fallbackProviders, flag, maxIterations, reference } from './common.ts';
import { mapping, settings } from './settings.ts';

const timeoutKeys = z.strictObject({
  iteration: duration('One iteration of an agent: LLM call and tool calls').prefault('6m'),
  llm_call: duration('One LLM call; default 5m, at most iteration').optional(),
  llm_first_token: duration(
    'Time until the first chunk of an answer; default 120s, at most llm_call',
  ).optional(),
  llm_outage: duration(
    'Time that an agent waits for an unavailable model; it does not count as iterations',
    '0s',
  ).prefault('15m'),
  llm_stall: duration('Time between two chunks of an answer; default 60s, at most llm_call').optional(),
  tool_call: duration(
    'One tool call, unless its server’s transport has a timeout; default 90s, at most iteration',
  ).optional(),
  mcp_operation: duration('Former name of tool_call, which takes precedence').optional(),
  mcp_init: duration('Start of an MCP server, handshake included').prefault('30s'),
  conclusion_reserve: duration(
    'Time kept for conclusions: an agent concludes from what it has when so much of its time is left; at most a quarter of the time limit',
  ).prefault('3m'),
  executive_summary: duration('Executive summary').prefault('2m'),
  report: duration('Report, repairs included').prefault('4m'),
  scoring: duration('Score, repairs included').prefault('10m'),
});
type Timeouts = z.output<typeof timeoutKeys>;

/** Pairs of time limits: `part` applies within `whole`, so that a longer `part` would have no effect. */
const PARTS: readonly (readonly [part: keyof Timeouts, whole: keyof Timeouts])[] = [
  ['llm_call', 'iteration'],
  ['tool_call', 'iteration'],
  ['mcp_operation', 'iteration'],
  ['llm_first_token', 'llm_call'],
  ['llm_stall', 'llm_call'],
];

const timeouts = settings(
  timeoutKeys,
  ...PARTS.map(
    ([part, whole]) =>
      [
        part,
        ({ [part]: partMs, [whole]: wholeMs }: Partial<Timeouts>) =>
          typeof partMs !== 'number' || typeof wholeMs !== 'number' || partMs <= wholeMs
            ? null
            : `must not be longer than ${whole} (${formatDuration(wholeMs)}), is ${formatDuration(partMs)}`,
      ] as const,
  ),
)
  .describe('Time limits')
  .transform(({ mcpOperationMs, ...written }) => {
    const { iterationMs } = written;
    const llmCallMs = written.llmCallMs ?? Math.min(300_000, iterationMs);
    return {
      ...written,
      llmCallMs,
      llmFirstTokenMs: written.llmFirstTokenMs ?? Math.min(120_000, llmCallMs),
      llmStallMs: written.llmStallMs ?? Math.min(60_000, llmCallMs),
      toolCallMs: written.toolCallMs ?? mcpOperationMs ?? Math.min(90_000, iterationMs),
    };
  });

const textMasking = (description: string) =>
  mapping({
    enabled: flag('Mask the text').prefault(true),
    pattern_group: z
      .enum(MASKING_GROUPS)
      .describe('Group of masking patterns; Kubernetes Secrets are masked with every group')
      .prefault('security'),
  }).describe(description);

const summarization = mapping({
  llm_provider: reference('LLM provider for summaries of long tool results; default: the agent’s').optional(),
}).describe('Summaries of long tool results');

const report = mapping({
  enabled: flag('Turn each analysis into claims that the server verifies').prefault(true),
  llm_provider: reference('LLM provider that writes reports; default: the chain’s').optional(),
}).describe('Reports whose claims cite their evidence');

const hypotheses = mapping({
  enabled: flag('Let agents keep a list of possible causes, whose proof the server verifies').prefault(true),
}).describe('Hypotheses of agents');

const scoring = mapping({
  enabled: flag('Score each completed investigation; users can always request a score').prefault(false),
  llm_provider: reference(
    'LLM provider that scores, preferably of another model family than the investigating one; default: the chain’s',
  ).optional(),
}).describe('Scoring of investigations by a model');

const toolResults = mapping({
  whole_max_tokens: count(1_000, 100_000)
    .describe(
      'Longest tool result that a model gets whole (estimated tokens; less for small context windows). Longer results are given as their beginning, their end, and tools to search and read them',
    )
    .prefault(5_000),
  trace_max_tokens: count(8_000, 2_500_000)
    .describe('Longest tool result that the trace stores whole (estimated tokens); the timeline stores 8000')
    .prefault(250_000),
}).describe('Limits on long tool results');

const memory = mapping({
  enabled: flag('Learn memories from investigations and give them to the agents of later ones').prefault(
    true,
  ),
  learn_from: z
    .enum(['reviewed', 'completed'])
    .describe('Sessions to learn from: reviewed: rated as correct by users; completed: all that complete')
    .prefault('reviewed'),
  max_inject: count(0, 20).describe('Maximum number of memories that an agent gets at its start').prefault(5),
  half_life_days: count(1, 3650)
    .describe(
      'Half-life of a memory (days): after this time it has lost half of the weight that age can take',
    )
    .prefault(90),
  llm_provider: reference(
    'LLM provider that extracts memories from a session; default: the chain’s, else the default one',
  ).optional(),
}).describe('Memories: lessons of earlier investigations');

export const defaultsSchema = mapping({
  llm_provider: reference(
    'Default LLM provider; default: the first whose key is set, else offline',
  ).optional(),
  fallback_providers: fallbackProviders('default: none, agents wait for the provider').prefault([]),
  iteration_strategy: configEnum(
    ITERATION_STRATEGIES,
    'Strategy of agents; default: native-thinking for Google, langchain for others',
  ).optional(),
  max_iterations: maxIterations.describe('Iterations of an agent before it must conclude').prefault(20),
  max_consecutive_failures: count(1, 20)
    .describe(
      'Consecutive failed model calls after which an agent gives up; calls to an unavailable model do not count',
    )
    .prefault(3),
  success_policy: configEnum(
    SUCCESS_POLICIES,
    'Success policy of stages with several agents: any: one success is enough; all: every agent must succeed',
  ).prefault('any'),
  alert_type: reference('Alert type of alerts that name none').optional(),
  runbook: z.string().describe('Runbook text (Markdown) for alerts without one').optional(),
  alert_masking: textMasking('Masking of alert text before it is stored').prefault({}),
  chat_masking: textMasking('Masking of questions before they are stored').prefault({}),
  runbook_masking: textMasking('Masking of the text of runbooks').prefault({}),
  summarization: summarization.prefault({}),
  report: report.prefault({}),
  hypotheses: hypotheses.prefault({}),
  scoring: scoring.prefault({}),
  tool_results: toolResults.prefault({}),
  memory: memory.prefault({}),
  orchestrator: orchestratorDefaults.prefault({}),
  timeouts: timeouts.prefault({}),
}).describe('Settings that apply unless an agent, chain or stage overrides them');
