import { z } from 'zod';
import { DURATION_PATTERN, formatDuration, parseDuration } from '../durations.ts';
import {
  type ConfigSpelling,
  fromConfigSpelling,
  ITERATION_STRATEGIES,
  type IterationStrategy,
  SUCCESS_POLICIES,
  type SuccessPolicy,
  toConfigSpelling,
} from '../enums.ts';
import { markDuration, settings } from './settings.ts';

/** Maximum duration (ms), because Node's timers overflow at 24.8 days. */
const MAX_DURATION_MS = 20 * 24 * 3_600_000;

/** A duration such as `30s`; its output is milliseconds, under a property name that ends in `Ms`. */
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

/** A non-empty text. */
export const text = (description: string) => z.string().min(1).describe(description);

/** The name of an entry in another section; references.ts checks that it exists. */
export const reference = (description: string) => text(description);

export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable');

export const envVariable = (description: string) => variableName.describe(description);

export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of an HTTP header');

export const count = (description: string, minimum: number, maximum: number) =>
  z.int().min(minimum).max(maximum).describe(description);

/** An http or https URL. Templates are replaced before this check runs. */
export const httpUrl = (description: string) =>
  z
    .string()
    .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), 'expected an http or https URL')
    .describe(description);

/** The format of the entry names in a section. */
export interface NameRule {
  readonly pattern: RegExp;
  readonly message: string;
}

/** The format of most names; it fits a log line, a URL and a command line. */
export const ENTRY_NAME: NameRule = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  message: 'a name has 1 to 63 letters, digits, ".", "_" or "-" and starts with a letter or digit',
};

/** The format of MCP server names, which keeps `server.tool` and `server__tool` unambiguous. */
export const SERVER_NAME: NameRule = {
  pattern: /^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38}[A-Za-z0-9])?$/,
  message:
    'a server name has 1 to 40 letters, digits, "-" or "_", no "__", and starts and ends with a letter or digit',
};

/**
 * A mapping from names to entries. The name rule here only informs editors. The check is in references.ts, because a
 * record schema does not validate an entry whose name is invalid.
 */
export function namedEntries<S extends z.ZodType>(rule: NameRule, entry: S, description: string) {
  return z
    .record(z.string(), entry)
    .describe(description)
    .meta({ propertyNames: { pattern: rule.pattern.source } })
    .prefault({});
}

function words<Word extends string>(all: readonly Word[]) {
  const spellings = all.map(toConfigSpelling) as [ConfigSpelling<Word>, ...ConfigSpelling<Word>[]];
  return z.enum(spellings);
}

export const iterationStrategy = (
  description: string,
  allowed: readonly IterationStrategy[] = ITERATION_STRATEGIES,
) =>
  words(allowed)
    .describe(description)
    .transform((spelling) => fromConfigSpelling(ITERATION_STRATEGIES, spelling)!);

export const successPolicy = (description: string) =>
  words(SUCCESS_POLICIES)
    .describe(description)
    .transform((spelling): SuccessPolicy => fromConfigSpelling(SUCCESS_POLICIES, spelling)!);

/** A pattern for tools qualified by their server. */
export const agentToolPattern = z
  .string()
  .regex(
    /^[A-Za-z0-9_*-]+\.[A-Za-z0-9_*-]+$/,
    'expected server.tool, in which * stands for any text: kubernetes.get_*',
  );

export const maxIterations = (description: string) => count(description, 1, 200);

/** The providers that take over when another is unavailable. @param otherwise ends the description */
export const fallbackProviders = (otherwise: string) =>
  z
    .array(
      settings(z.strictObject({ provider: reference('Name of an LLM provider') })).describe(
        'Fallback provider',
      ),
    )
    .max(10)
    .describe(
      `LLM providers that take over, in this order, when the previous one is unavailable; ${otherwise}`,
    );

/** The settings that every reference to an agent accepts. */
const workKeys = {
  llm_provider: reference('Name of an LLM provider').optional(),
  fallback_providers: fallbackProviders('instead of those of the level above; [] = none').optional(),
  iteration_strategy: iterationStrategy(
    'Strategy of the agent: native-thinking (Google), langchain (any provider), react, single-call',
  ).optional(),
  max_iterations: maxIterations('Iterations of the agent before it must conclude').optional(),
  iteration_timeout: duration(
    'Timeout of one iteration of the agent: LLM call and tool calls; default: defaults.timeouts.iteration',
  ).optional(),
  mcp_servers: z
    .array(reference('Name of an MCP server'))
    .describe('MCP servers whose tools the agent may use, instead of those of the level above; [] = none')
    .optional(),
};

const subAgent = settings(z.strictObject({ name: reference('Name of an agent'), ...workKeys }));

/** The settings that agents, chains, stages, stage agents and chats share; each level overrides the one above. */
export const overrideKeys = {
  ...workKeys,
  sub_agents: z
    .array(z.union([text('Name of an agent').transform((name) => subAgent.parse({ name })), subAgent]))
    .describe('Agents that the agent may delegate tasks to, instead of those of the level above; [] = none')
    .optional(),
};

/** Returns the problem with the value of `key`, or `null`. Other keys of the mapping may be missing or invalid. */
type Rule<T> = readonly [key: keyof T & string, problem: (written: Partial<T>) => string | null];

/**
 * Adds rules between the keys of a mapping. They run even if the mapping has other problems, so that all problems are
 * reported at once.
 */
export function withRules<S extends z.ZodType<object>>(schema: S, ...rules: readonly Rule<z.output<S>>[]): S {
  return rules.reduce(
    (checked, [key, problem]) =>
      checked.refine((value) => problem(value) === null, {
        path: [key],
        when: ({ value }) => typeof value === 'object' && value !== null,
        error: ({ input }) => problem(input as Partial<z.output<S>>) ?? '',
      }),
    schema,
  );
}
