import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { Logger } from 'pino';
import { z } from 'zod';
import { toStorable } from '../common/storable.ts';
import { truncate } from '../common/truncate.ts';
import { headerParameters } from './header-params.ts';
import { answerSchema, offeredSchema } from './tool-schema.ts';
import type { ListedTool } from './types.ts';
import { ownResult } from './wire-message.ts';

const MAX_PAGES = 50;
const MAX_TOOLS_PER_SERVER = 1_000;

const MAX_DESCRIPTION_CHARACTERS = 4_000;

/** Length at which names are truncated (characters). Tools with such names are shown but never offered. */
const MAX_NAME_CHARACTERS = 200;

/** One page of a tool list. Accepts invalid tools, because one broken tool must not hide the others. */
const toolsPage = z
  .looseObject({})
  .transform(ownResult)
  .pipe(
    z.looseObject({
      tools: z
        .array(z.unknown())
        .nullable()
        .transform((tools) => tools ?? []),
      nextCursor: z.string().nullish(),
    }),
  );

const hint = z.boolean().nullable().catch(null).default(null);
const NO_HINTS = { readOnlyHint: null, destructiveHint: null, idempotentHint: null, openWorldHint: null };

const rawTool = z.looseObject({
  name: z.string().transform((name) => toStorable(name.slice(0, MAX_NAME_CHARACTERS))),
  description: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
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
  const known = new Set<string>();
  let cursor: string | null | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS_PER_SERVER; page += 1) {
    const request = {
      method: 'tools/list' as const,
      ...(typeof cursor === 'string' ? { params: { cursor } } : {}),
    };
    const answer = await client.request(request, toolsPage, options);
    // Each page is reduced to its bounded form before the next one is requested, to bound memory.
    const listed = answer.tools.slice(0, MAX_TOOLS_PER_SERVER - tools.length).map(readListedTool);
    // Ignores the cursor of a page that repeats, because some servers return their only page for any cursor.
    const fresh = listed.filter((tool) => tool !== null && (page === 0 || !known.has(tool.name)));
    for (const tool of listed) if (tool !== null) known.add(tool.name);
    for (const tool of fresh) {
      if (tool === null) continue;
      const isValid = client.getProtocolEra() !== 'modern' || headerParameters(tool.inputSchema) !== null;
      if (isValid) tools.push(tool);
      else logger.warn({ tool: tool.name }, 'MCP tool left out: its HTTP header parameters are invalid');
    }
    cursor = answer.nextCursor;
    const isRepeated = listed.length > 0 && fresh.length === 0;
    // Stops at a repeated cursor, because the list would never end.
    if (typeof cursor !== 'string' || isRepeated || cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  return tools;
}

/** Returns a listed tool, bounded in size and with an unchecked name; `null` if it has no name. */
export function readListedTool(raw: unknown): ListedTool | null {
  const parsed = rawTool.safeParse(raw);
  if (!parsed.success) return null;
  const { name, description, title, inputSchema, outputSchema, annotations, execution } = parsed.data;
  const { schema, change } = offeredSchema(inputSchema);
  return {
    name,
    description: truncate(toStorable(description ?? title ?? ''), MAX_DESCRIPTION_CHARACTERS),
    inputSchema: schema,
    schemaChange: change,
    outputSchema: answerSchema(outputSchema),
    annotations: {
      readOnly: annotations.readOnlyHint,
      destructive: annotations.destructiveHint,
      idempotent: annotations.idempotentHint,
      openWorld: annotations.openWorldHint,
    },
    taskOnly: execution?.taskSupport === 'required',
  };
}
