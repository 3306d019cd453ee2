import { z } from 'zod';
import { formatDuration } from '../durations.ts';
import { MASKING_GROUPS } from '../masking-names.ts';
import {
  count,
  duration,
  iterationStrategy,
  maxIterations,
  reference,
  successPolicy,
  withRules,
} from './common.ts';

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

const timeouts = withRules(
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
  .transform((written) => {
    const iterationMs = written.iteration;
    const llmCallMs = written.llm_call ?? Math.min(300_000, iterationMs);
    return {
      iterationMs,
      llmCallMs,
      llmFirstTokenMs: written.llm_first_token ?? Math.min(120_000, llmCallMs),
      llmStallMs: written.llm_stall ?? Math.min(60_000, llmCallMs),
      toolCallMs: written.tool_call ?? written.mcp_operation ?? Math.min(90_000, iterationMs),
      mcpInitMs: written.mcp_init,
      executiveSummaryMs: written.executive_summary,
      llmOutageMs: written.llm_outage,
    };
  });

const textMasking = (enabled: string) =>
  z
    .strictObject({
      enabled: z.boolean().describe(enabled).prefault(true),
      pattern_group: z
        .enum(MASKING_GROUPS)
        .describe('Group of masking patterns; Kubernetes Secrets are masked with every group')
        .prefault('security'),
    })
    .transform((masking) => ({ enabled: masking.enabled, patternGroup: masking.pattern_group }));

const summarization = z
  .strictObject({
    llm_provider: reference(
      'LLM provider for summaries of long tool results; default: the agent’s',
    ).optional(),
  })
  .transform((summarization) => ({ llmProvider: summarization.llm_provider ?? null }));

const toolResults = z
  .strictObject({
    trace_max_tokens: count(
      'Longest tool result that the trace keeps whole, by estimate; the timeline keeps 8000',
      8_000,
      2_500_000,
    ).prefault(250_000),
  })
  .transform((results) => ({ traceMaxTokens: results.trace_max_tokens }));

export const defaultsSchema = z
  .strictObject({
    llm_provider: reference('LLM provider; default: the first whose key is set, else offline').optional(),
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
    tool_results: toolResults.prefault({}),
    timeouts: timeouts.prefault({}),
  })
  .describe('What holds unless an agent, chain or stage says otherwise')
  .transform((defaults) => ({
    llmProvider: defaults.llm_provider ?? null,
    iterationStrategy: defaults.iteration_strategy ?? null,
    maxIterations: defaults.max_iterations,
    maxConsecutiveFailures: defaults.max_consecutive_failures,
    successPolicy: defaults.success_policy,
    alertType: defaults.alert_type ?? null,
    runbook: defaults.runbook ?? null,
    alertMasking: defaults.alert_masking,
    chatMasking: defaults.chat_masking,
    runbookMasking: defaults.runbook_masking,
    summarization: defaults.summarization,
    toolResults: defaults.tool_results,
    timeouts: defaults.timeouts,
  }));
