import { appendFile } from 'node:fs/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { CHANGING_TOOLS, type Declares, READING_TOOLS } from './changing-tools.ts';

/**
 * An MCP server over stdio with tools that change things and two read-only ones. The argument tells which
 * tools carry annotations: `all`, `half` (every other one) or `nothing`. Each call appends a line to the file
 * TOOL_LOG.
 */
const declares = process.argv[2] as Declares;
const server = new McpServer({ name: 'changing', version: '1.0.0' });

function register(name: string, annotations: object | undefined, inputSchema: z.ZodRawShape): void {
  const description = `The ${name.replaceAll('_', ' ')} of a node, disk or alert`;
  server.registerTool(name, { description, inputSchema, ...(annotations && { annotations }) }, async () => {
    if (process.env.TOOL_LOG) await appendFile(process.env.TOOL_LOG, `${declares} ${name}\n`);
    return { content: [{ type: 'text', text: `${name}: done` }] };
  });
}

const FORMS = [{}, { node: z.string() }, { mode: z.enum(['all', 'one']) }, { force: z.boolean() }];

for (const name of READING_TOOLS)
  register(name, declares === 'nothing' ? undefined : { readOnlyHint: true }, {});
for (const [index, name] of CHANGING_TOOLS.entries()) {
  const hints = index % 2 === 0 ? { readOnlyHint: false } : { destructiveHint: true };
  const isDeclared = declares === 'all' || (declares === 'half' && index % 4 < 2);
  register(name, isDeclared ? hints : undefined, FORMS[index % FORMS.length]!);
}

await server.connect(new StdioServerTransport());
