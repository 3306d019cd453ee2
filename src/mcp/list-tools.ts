import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { Logger } from 'pino';
import { z } from 'zod';
import { markedProperties } from './header-params.ts';
import { type ListedTool, readListedTool } from './listed-tool.ts';

const MAX_PAGES = 50;
const MAX_TOOLS_OF_A_SERVER = 1_000;

/** Laxer than the protocol's schema: one broken tool must not hide the others. */
const toolsPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Goes through the pages; the SDK's own listTools would compile schemas that nobody has checked. */
export async function listAll(
  client: Client,
  logger: Logger,
  options: RequestOptions,
): Promise<ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: ListedTool[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS_OF_A_SERVER; page += 1) {
    const request = {
      method: 'tools/list' as const,
      ...(cursor === undefined ? {} : { params: { cursor } }),
    };
    const answer = await client.request(request, toolsPage, options);
    // Read page by page, so that no more than their bounded forms is ever kept.
    for (const raw of answer.tools.slice(0, MAX_TOOLS_OF_A_SERVER - tools.length)) {
      const tool = readListedTool(raw);
      if (tool === null) continue;
      const isValid = client.getProtocolEra() !== 'modern' || markedProperties(tool.inputSchema) !== null;
      if (isValid) tools.push(tool);
      else logger.warn({ tool: tool.name }, 'MCP tool left out: the HTTP headers it asks for are not valid');
    }
    cursor = answer.nextCursor;
    // A cursor that comes again would go on for ever.
    if (cursor === undefined || cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  return tools;
}
