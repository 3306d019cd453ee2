import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { Logger } from 'pino';
import { z } from 'zod';
import { toStorable } from '../common/storable.ts';
import { truncate } from '../common/truncate.ts';
import { headerParameters } from './header-params.ts';
import type { ListedTool } from './types.ts';

const MAX_PAGES = 50;
const MAX_TOOLS_PER_SERVER = 1_000;

const MAX_DESCRIPTION_CHARACTERS = 4_000;
/** Maximum size of a schema, because each is part of every prompt. Common servers stay below 10 kB. */
const MAX_SCHEMA_CHARACTERS = 32_000;
const MAX_SCHEMA_DEPTH = 32;

/** Length at which names are truncated (characters). Tools with such names are shown but never offered. */
const MAX_NAME_CHARACTERS = 200;

/** One page of a tool list. Accepts invalid tools, because one broken tool must not hide the others. */
const toolsPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

const hint = z.boolean().nullable().catch(null).default(null);
const NO_HINTS = { readOnlyHint: null, destructiveHint: null, idempotentHint: null, openWorldHint: null };

const rawTool = z.looseObject({
  name: z.string().transform((name) => toStorable(name.slice(0, MAX_NAME_CHARACTERS))),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
  annotations: z
    .looseObject({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint })
    .catch(NO_HINTS)
    .default(NO_HINTS),
  execution: z.looseObject({ taskSupport: z.unknown() }).optional().catch(undefined),
});

export async function listAllTools(
  client: Client,
  logger: Logger,
  options: RequestOptions,
): Promise<ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: ListedTool[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS_PER_SERVER; page += 1) {
    const request = {
      method: 'tools/list' as const,
      ...(cursor === undefined ? {} : { params: { cursor } }),
    };
    const answer = await client.request(request, toolsPage, options);
    // Each page is reduced to its bounded form before the next one is requested, to bound memory.
    for (const raw of answer.tools.slice(0, MAX_TOOLS_PER_SERVER - tools.length)) {
      const tool = readListedTool(raw);
      if (tool === null) continue;
      const isValid = client.getProtocolEra() !== 'modern' || headerParameters(tool.inputSchema) !== null;
      if (isValid) tools.push(tool);
      else logger.warn({ tool: tool.name }, 'MCP tool left out: its HTTP header parameters are invalid');
    }
    cursor = answer.nextCursor;
    // Stops at a repeated cursor, because the list would never end.
    if (cursor === undefined || cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  return tools;
}

/** Returns a listed tool, bounded in size and with an unchecked name; `null` if it has no name. */
export function readListedTool(raw: unknown): ListedTool | null {
  const parsed = rawTool.safeParse(raw);
  if (!parsed.success) return null;
  const { name, description, inputSchema, outputSchema, annotations, execution } = parsed.data;
  return {
    name,
    description: truncate(toStorable(description ?? ''), MAX_DESCRIPTION_CHARACTERS),
    inputSchema: boundedSchema(inputSchema) ?? { type: 'object', properties: {} },
    outputSchema: boundedSchema(outputSchema),
    annotations: {
      readOnly: annotations.readOnlyHint,
      destructive: annotations.destructiveHint,
      idempotent: annotations.idempotentHint,
      openWorld: annotations.openWorldHint,
    },
    taskOnly: execution?.taskSupport === 'required',
  };
}

function boundedSchema(schema: unknown): Record<string, unknown> | null {
  if (typeof schema !== 'object' || schema === null || !('type' in schema) || schema.type !== 'object')
    return null;
  if (!isShallow(schema, MAX_SCHEMA_DEPTH)) return null;
  return JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS ? { ...schema } : null;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}
