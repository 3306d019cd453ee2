import { z } from 'zod';
import { DURATION_PATTERN, formatDuration, parseDuration } from '../durations.ts';
import { fromConfigSpelling, ITERATION_STRATEGIES, toConfigSpelling } from '../enums.ts';
import { mapping, markDuration } from './settings.ts';

/** Maximum duration (ms), because Node's timers overflow at 24.8 days. */
const MAX_DURATION_MS = 20 * 24 * 3_600_000;

/** Schema of a duration such as `30s`. The output is milliseconds, under a property name that ends in `Ms`. */
export function duration(description: string, minimum = '1ms') {
  const minMs = parseDuration(minimum) ?? 0;
  const expected = 'expected a duration such as 500ms, 30s, 5m or 1h30m';
  return markDuration(
    z
      .string(expected)
      .regex(DURATION_PATTERN, expected)
      .describe(description)
      .transform((text, context): number => {
        const ms = parseDuration(text) ?? 0;
        if (ms >= minMs && ms <= MAX_DURATION_MS) return ms;
        const limits = `must be between ${minimum} and ${formatDuration(MAX_DURATION_MS)}, got ${text}`;
        context.addIssue({ code: 'custom', message: limits, input: text });
        return z.NEVER;
      }),
  );
}

/** Schema of a non-empty text. */
export const text = (description: string) => z.string().min(1).describe(description);

/** Schema of the name of an entry in another section; references.ts checks that the entry exists. */
export const reference = (description: string) => text(description);

export const matching = (pattern: RegExp, message: string) => z.string().regex(pattern, message);

export const variableName = matching(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  'expected the name of an environment variable',
);

export const envVariable = (description: string) => variableName.describe(description);

export const headerName = matching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of an HTTP header');

export const count = (minimum: number, maximum: number) => z.int().min(minimum).max(maximum);

/** Adds a check to a schema. `problemOf` returns the problem of a value, or `null`. */
export const checked = <S extends z.ZodString>(schema: S, problemOf: (value: string) => string | null) =>
  schema.superRefine((value, context) => {
    const message = problemOf(value);
    if (message !== null) context.addIssue({ code: 'custom', message, input: value });
  });

export const list = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).describe(description);

export const flag = (description: string) => z.boolean().describe(description);

/** Schema of an http or https URL. Templates are replaced before the schema checks the value. */
export const httpUrl = (description: string) =>
  z
    .string()
    .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), 'expected an http or https URL')
    .describe(description);

export interface NameRule {
  readonly pattern: RegExp;
  readonly message: string;
}

/** Format of most names, which need no escaping in log lines, URLs and command lines. */
export const ENTRY_NAME: NameRule = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  message: 'a name has 1 to 63 letters, digits, ".", "_" or "-" and starts with a letter or digit',
};

/** Format of MCP server names: no "." and no "__", so that `server.tool` and `server__tool` are unambiguous. */
export const SERVER_NAME: NameRule = {
  pattern: /^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38}[A-Za-z0-9])?$/,
  message:
    'a server name has 1 to 40 letters, digits, "-" or "_", no "__", and starts and ends with a letter or digit',
};

/** Schema of entries by name. `rule` describes the names to editors; `checkEntryNames` of references.ts checks them. */
export function namedEntries<S extends z.ZodType>(rule: NameRule, entry: S, description: string) {
  return z
    .record(z.string(), entry)
    .describe(description)
    .meta({ propertyNames: { pattern: rule.pattern.source } })
    .prefault({});
}

/** Schema of an enum: one of `words` in its configuration spelling, such as `native-thinking`. */
export const configEnum = <Word extends string>(words: readonly Word[], description: string) =>
  z
    .enum(words.map(toConfigSpelling))
    .describe(description)
    .transform((spelling) => fromConfigSpelling(words, spelling)!);

export const agentToolPattern = matching(
  /^[A-Za-z0-9_*-]+\.[A-Za-z0-9_*-]+$/,
  'expected server.tool, in which * stands for any text: kubernetes.get_*',
);

export const maxIterations = count(1, 200);

/** Schema of a list of fallback providers. @param otherwise end of the description: the effect of a missing list */
export const fallbackProviders = (otherwise: string) =>
  list(
    mapping({ provider: reference('Name of an LLM provider') }).describe('Fallback provider'),
    `LLM providers that take over, in this order, when the previous one is unavailable; ${otherwise}`,
  ).max(10);

const workKeys = {
  llm_provider: reference('LLM provider of the agent').optional(),
  fallback_providers: fallbackProviders('instead of those of the level above; [] = none').optional(),
  iteration_strategy: configEnum(
    ITERATION_STRATEGIES,
    'Strategy of the agent: native-thinking (Google), langchain (any provider), react, single-call',
  ).optional(),
  max_iterations: maxIterations.describe('Iterations of the agent before it must conclude').optional(),
  iteration_timeout: duration(
    'Timeout of one iteration of the agent: LLM call and tool calls; default: defaults.timeouts.iteration',
  ).optional(),
  mcp_servers: list(
    reference('Name of an MCP server'),
    'MCP servers whose tools the agent may use, instead of those of the level above; [] = none',
  ).optional(),
};

const subAgent = mapping({ name: reference('Name of an agent'), ...workKeys });

/** The settings that agents, chains, stages, stage agents and chats share; each level overrides the one above. */
export const overrideKeys = {
  ...workKeys,
  sub_agents: list(
    z.union([text('Name of an agent').transform((name) => subAgent.parse({ name })), subAgent]),
    'Agents that the agent may delegate tasks to, instead of those of the level above; [] = none',
  ).optional(),
};
