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

/** Timers of Node overflow at 24.8 days. */
const MAX_DURATION_MS = 20 * 24 * 3_600_000;

/** A duration such as `30s`; its value is milliseconds, under a key that ends in `Ms`. */
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

/** Text that is not empty. */
export const text = (description: string) => z.string().min(1).describe(description);

/** A name of an entry in one of the other sections. */
export const reference = (description: string) => text(description);

/** The name of an environment variable. */
export const envVariable = (description: string) =>
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable')
    .describe(description);

export const count = (description: string, minimum: number, maximum: number) =>
  z.int().min(minimum).max(maximum).describe(description);

/** An http or https URL. `{{.VAR}}` is already replaced when this runs. */
export const httpUrl = (description: string) =>
  z
    .string()
    .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), 'expected an http or https URL')
    .describe(description);

/** What the names in a section may look like. */
export interface NameRule {
  readonly pattern: RegExp;
  readonly message: string;
}

/** Agents, chains and providers: what fits a log line, a URL and a command line. */
export const ENTRY_NAME: NameRule = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  message: 'a name has 1 to 63 letters, digits, ".", "_" or "-" and starts with a letter or digit',
};

/** MCP servers: `server.tool` must split in one way only, as must `server__tool`. */
export const SERVER_NAME: NameRule = {
  pattern: /^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38}[A-Za-z0-9])?$/,
  message:
    'a server name has 1 to 40 letters, digits, "-" or "_", no "__", and starts and ends with a letter or digit',
};

/**
 * Entries by name. The rule is only told to editors here and enforced by references.ts: a record schema
 * looks no further into an entry whose name is wrong.
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

/** Names of tools with their servers'. */
export const agentToolPattern = z
  .string()
  .regex(
    /^[A-Za-z0-9_*-]+\.[A-Za-z0-9_*-]+$/,
    'expected server.tool, in which * stands for any text: kubernetes.get_*',
  );

export const maxIterations = (description: string) => count(description, 1, 200);

/** Providers to go on with, one after the other, when the one in use cannot be had. */
export const fallbackProviders = (otherwise: string) =>
  z
    .array(
      settings(z.strictObject({ provider: reference('Name of an LLM provider') })).describe('One of them'),
    )
    .max(10)
    .describe(`LLM providers that take over, in this order, when the one before cannot be had; ${otherwise}`);

/** What may be said of an agent wherever it is named. */
const workKeys = {
  llm_provider: reference('Name of an LLM provider').optional(),
  fallback_providers: fallbackProviders('instead of those of the level above; [] = none').optional(),
  iteration_strategy: iterationStrategy(
    'How the agent works: native-thinking (Google), langchain (any provider), react, single-call',
  ).optional(),
  max_iterations: maxIterations('Turns of the agent before it must conclude').optional(),
  iteration_timeout: duration(
    'One turn of the agent: LLM call and tool calls; default: defaults.timeouts.iteration',
  ).optional(),
  mcp_servers: z
    .array(reference('Name of an MCP server'))
    .describe('MCP servers whose tools the agent has, instead of those of the level above; [] = none')
    .optional(),
};

const subAgent = settings(z.strictObject({ name: reference('Name of an agent'), ...workKeys }));

/** The keys that agents, chains, stages, stage agents and chats share, each over the level above it. */
export const overrideKeys = {
  ...workKeys,
  sub_agents: z
    .array(z.union([text('Name of an agent').transform((name) => subAgent.parse({ name })), subAgent]))
    .describe('Agents to which the agent may give tasks, instead of those of the level above; [] = none')
    .optional(),
};

/** What is wrong with the value of `key`, or null; the keys it looks at may be missing. */
type Rule<T> = readonly [key: keyof T & string, problem: (written: Partial<T>) => string | null];

/**
 * Adds rules between the keys of one mapping. They also run when the mapping has other problems, so that
 * all are reported at once.
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
