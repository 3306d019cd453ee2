import { z } from 'zod';
import { formatDuration } from '../durations.ts';
import { MASKING_GROUPS } from '../masking-names.ts';
import {
  count,
  duration,
  fallbackProviders,
  iterationStrategy,
  maxIterations,
  reference,
  successPolicy,
  withRules,
} from './common.ts';
import { orchestratorDefaults } from './orchestrator.ts';
import { settings } from './settings.ts';

const timeoutKeys = z.strictObject({
  iteration: duration('One turn of an agent: LLM call and tool calls').prefault('6m'),
  llm_call: duration('One LLM call; default 5m, at most iteration').optional(),
  llm_first_token: duration('Until the first piece of an answer; default 120s, at most llm_call').optional(),
  llm_outage: duration(
    'How long an agent waits for a model that is unreachable, busy or broken; does not count as iterations',
    '0s',
  ).prefault('15m'),
  llm_stall: duration('Between two pieces of an answer; default 60s, at most llm_call').optional(),
  tool_call: duration(
    'One tool call, unless its server’s transport has a timeout; default 90s, at most iteration',
  ).optional(),
  mcp_operation: duration('Older name of tool_call, which goes before it').optional(),
  mcp_init: duration('To start an MCP server and shake hands').prefault('30s'),
  executive_summary: duration('The executive summary').prefault('2m'),
  report: duration('The report, with what is mended of it').prefault('4m'),
  scoring: duration('A score, with what is mended of it').prefault('10m'),
});
type Timeouts = z.output<typeof timeoutKeys>;

/** A part must not be allowed longer than the whole it belongs to: its own limit would never act. */
const PARTS: readonly (readonly [part: keyof Timeouts, whole: keyof Timeouts])[] = [
  ['llm_call', 'iteration'],
  ['tool_call', 'iteration'],
  ['mcp_operation', 'iteration'],
  ['llm_first_token', 'llm_call'],
  ['llm_stall', 'llm_call'],
];

const timeouts = settings(
  withRules(
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

const textMasking = (enabled: string) =>
  settings(
    z.strictObject({
      enabled: z.boolean().describe(enabled).prefault(true),
      pattern_group: z
        .enum(MASKING_GROUPS)
        .describe('Group of masking patterns; Kubernetes Secrets are masked with every group')
        .prefault('security'),
    }),
  );

const summarization = settings(
  z.strictObject({
    llm_provider: reference(
      'LLM provider for summaries of long tool results; default: the agent’s',
    ).optional(),
  }),
);

const report = settings(
  z
    .strictObject({
      enabled: z
        .boolean()
        .describe('Whether an analysis is put into claims that the server checks')
        .prefault(true),
      llm_provider: reference('LLM provider that makes reports; default: the chain’s').optional(),
    })
    .describe('Reports whose claims cite what proves them'),
);

const scoring = settings(
  z
    .strictObject({
      enabled: z
        .boolean()
        .describe('Whether each investigation that completes is scored; people may ask for it in any case')
        .prefault(false),
      llm_provider: reference(
        'LLM provider that judges, best of another family than the one that investigates; default: the chain’s',
      ).optional(),
    })
    .describe('What a judging model thinks of investigations'),
);

const toolResults = settings(
  z.strictObject({
    whole_max_tokens: count(
      'Longest tool result that a model is given whole, by estimate, and less where its window is small; of a longer one it gets beginning, end, and tools to search and read it',
      1_000,
      100_000,
    ).prefault(5_000),
    trace_max_tokens: count(
      'Longest tool result that the trace keeps whole, by estimate; the timeline keeps 8000',
      8_000,
      2_500_000,
    ).prefault(250_000),
  }),
);

const memory = settings(
  z.strictObject({
    enabled: z
      .boolean()
      .describe('Whether investigations teach anything, and agents are told what earlier ones taught')
      .prefault(true),
    learn_from: z
      .enum(['reviewed', 'completed'])
      .describe('Which sessions teach: those that people rated right, or all that complete')
      .prefault('reviewed'),
    max_inject: count('Memories that an agent is given at its start', 0, 20).prefault(5),
    half_life_days: count(
      'Days after which a memory has lost half of what age can take from it',
      1,
      3650,
    ).prefault(90),
    llm_provider: reference(
      'LLM provider that reads what a session teaches; default: the chain’s, else the default one',
    ).optional(),
  }),
);

export const defaultsSchema = settings(
  z
    .strictObject({
      llm_provider: reference('LLM provider; default: the first whose key is set, else offline').optional(),
      fallback_providers: fallbackProviders('default: none, it is waited for').prefault([]),
      iteration_strategy: iterationStrategy(
        'How agents work; default: native-thinking for Google, langchain for others',
      ).optional(),
      max_iterations: maxIterations('Turns of an agent before it must conclude').prefault(20),
      max_consecutive_failures: count(
        'Failed calls of the model in a row after which an agent gives up, besides those that it waits for',
        1,
        20,
      ).prefault(3),
      success_policy: successPolicy(
        'Stages of several agents: any = one success is enough, all = each must succeed',
      ).prefault('any'),
      alert_type: reference('Type of alerts that name none').optional(),
      runbook: z.string().describe('Runbook text (Markdown) for alerts without one').optional(),
      alert_masking: textMasking('Whether alert text is masked before it is stored').prefault({}),
      chat_masking: textMasking('Whether questions are masked before they are stored').prefault({}),
      runbook_masking: textMasking('Whether the text of runbooks is masked').prefault({}),
      summarization: summarization.prefault({}),
      report: report.prefault({}),
      scoring: scoring.prefault({}),
      tool_results: toolResults.prefault({}),
      memory: memory.prefault({}),
      orchestrator: orchestratorDefaults.prefault({}),
      timeouts: timeouts.prefault({}),
    })
    .describe('What holds unless an agent, chain or stage says otherwise'),
);
