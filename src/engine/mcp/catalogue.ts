import type { Logger } from 'pino';
import { z } from 'zod';
import { cutText, storable } from './text.ts';
import { canonicalName, toFunctionName, toolNameProblem } from './tool-names.ts';
import type { ToolDefinition } from './types.ts';

/** A tool that may be called, and where. */
export interface KnownTool {
  server: string;
  tool: string;
  definition: ToolDefinition;
}

/** A tool's description goes into every prompt. */
const MAX_DESCRIPTION_CHARACTERS = 4_000;
/** A schema goes into every prompt too; the largest of common servers are below 10 kB. */
const MAX_SCHEMA_CHARACTERS = 32_000;
const MAX_SCHEMA_DEPTH = 32;

const rawTool = z.looseObject({
  name: z.string(),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  annotations: z
    .looseObject({ readOnlyHint: z.unknown().optional(), idempotentHint: z.unknown().optional() })
    .optional()
    .catch(undefined),
});

/** What a server listed, and which of it is wanted. */
export interface ServerTools {
  server: string;
  listed: readonly unknown[];
  /** Null: all. */
  wanted: readonly string[] | null;
}

/**
 * The tools of all servers that can be offered, keyed by function name, in order. What cannot be offered is left out
 * with a warning: names no model takes, doubles, tools beyond `maxTools`, wanted tools that the server does not have.
 */
export function buildCatalogue(
  servers: readonly ServerTools[],
  maxTools: number,
  logger: Logger,
): Map<string, KnownTool> {
  const catalogue = new Map<string, KnownTool>();
  for (const { server, listed, wanted } of servers) {
    const missing = new Set(wanted ?? []);
    const skip = (tool: string, reason: string) =>
      logger.warn({ mcpServer: server, tool: tool.slice(0, 100), reason }, 'MCP tool left out');
    for (const raw of listed) {
      const parsed = rawTool.safeParse(raw);
      if (!parsed.success) {
        skip('', 'the server describes it without a name');
        continue;
      }
      const { name } = parsed.data;
      missing.delete(name);
      if (wanted !== null && !wanted.includes(name)) continue;
      const key = toFunctionName(canonicalName({ server, tool: name }));
      const problem =
        toolNameProblem({ server, tool: name }) ??
        (catalogue.has(key) ? 'another tool has the same name' : null) ??
        (catalogue.size >= maxTools ? `there are more than ${maxTools} tools` : null);
      if (problem !== null) skip(name, problem);
      else catalogue.set(key, { server, tool: name, definition: define(server, parsed.data) });
    }
    for (const name of missing) skip(name, 'the server does not have it');
  }
  return catalogue;
}

function define(server: string, raw: z.output<typeof rawTool>): ToolDefinition {
  const readOnly = raw.annotations?.readOnlyHint === true;
  return {
    name: canonicalName({ server, tool: raw.name }),
    description: cutText(storable(raw.description ?? ''), MAX_DESCRIPTION_CHARACTERS),
    inputSchema: boundedSchema(raw.inputSchema),
    readOnly,
    // A tool that changes nothing changes nothing the second time either.
    idempotent: readOnly || raw.annotations?.idempotentHint === true,
  };
}

/** The schema when it is one of an object and of sensible size, else one that takes any object. */
function boundedSchema(schema: unknown): Record<string, unknown> {
  const anyObject = { type: 'object', properties: {} };
  if (typeof schema !== 'object' || schema === null || !('type' in schema) || schema.type !== 'object')
    return anyObject;
  if (!isShallow(schema, MAX_SCHEMA_DEPTH)) return anyObject;
  return JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS ? { ...schema } : anyObject;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}
