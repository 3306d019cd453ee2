import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pino } from 'pino';
import { createToolExecutor } from '../../src/mcp/executor.ts';
import { DEFAULT_TOOL_RULES } from '../../src/mcp/tool-class.ts';
import type { McpOAuthSettings, ToolDefinition } from '../../src/mcp/types.ts';

/**
 * TARSy's MCP client for the conformance runner. The runner passes the server's address as the last argument,
 * and the scenario's name and context in environment variables. The client offers no capability, as in an
 * investigation.
 */

interface Call {
  name: string;
  arguments: object;
}

/** The context that the runner passes for a scenario. */
interface Context {
  toolCalls?: Call[];
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  signing_algorithm?: McpOAuthSettings['algorithm'];
}

const LIMIT_MS = 20_000;
const url = process.argv.at(-1) ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Context;

/** The calls of each scenario; a scenario without an entry calls each offered tool. */
const CALLS: Record<string, (tools: readonly ToolDefinition[]) => Call[]> = {
  'json-schema-ref-no-deref': () => [],
  tools_call: () => [{ name: 'add_numbers', arguments: { a: 5, b: 3 } }],
  'json-schema-2020-12-preservation': (tools) => [
    {
      name: 'json_schema_echo',
      arguments: {
        schema: tools.find(({ name }) => name === 'tested.json_schema_2020_12_tool')?.inputSchema,
      },
    },
  ],
};

function callsOf(tools: readonly ToolDefinition[]): Call[] {
  const wanted = CALLS[process.env.MCP_CONFORMANCE_SCENARIO ?? ''];
  if (wanted !== undefined) return wanted(tools);
  return (
    context.toolCalls ??
    tools.map((tool) => ({ name: tool.name.slice('tested.'.length), arguments: argumentsFor(tool) }))
  );
}

/** Returns example arguments for the required parameters of a tool. */
function argumentsFor({ inputSchema }: ToolDefinition): object {
  const { required = [], properties = {} } = inputSchema as {
    required?: string[];
    properties?: Record<string, { type?: string }>;
  };
  const values: Record<string, unknown> = {
    string: 'some-text',
    integer: 7,
    number: 7,
    boolean: true,
    array: [],
    object: {},
  };
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type ?? 'string']]));
}

/** Returns OAuth settings with the issuer that the server names, because no operator configures one here. */
async function oauthOf({
  client_id,
  client_secret,
  private_key_pem,
  signing_algorithm,
}: Context): Promise<McpOAuthSettings | null> {
  if (client_id === undefined || (client_secret ?? private_key_pem) === undefined) return null;
  const { origin, pathname } = new URL(url);
  const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const { authorization_servers: issuers } = (await metadata.json()) as { authorization_servers: string[] };
  const shared = { clientId: client_id, issuer: issuers[0] ?? '' };
  if (client_secret !== undefined) return { ...shared, clientSecret: client_secret };
  const privateKeyFile = resolve('key.pem');
  writeFileSync(privateKeyFile, private_key_pem ?? '', { mode: 0o600 });
  return {
    ...shared,
    privateKeyFile,
    algorithm: signing_algorithm,
  };
}

const oauth = await oauthOf(context);
const executor = await createToolExecutor({
  servers: new Map([
    [
      'tested',
      {
        id: 'tested',
        rules: { ...DEFAULT_TOOL_RULES, allowChanges: true },
        transport: { type: 'http', url, ...(oauth === null ? {} : { oauth }) },
      },
    ],
  ]),
  selection: { servers: [{ name: 'tested', tools: null }] },
  logger: pino({ level: 'silent' }),
  limits: {
    initTimeoutMs: LIMIT_MS,
    maxResultChars: 10_000,
    maxTools: 100,
    maxToolUnits: 80_000,
  },
});
try {
  const reason = executor.unavailableServers().get('tested');
  if (reason !== undefined) throw new Error(`not connected: ${reason}`);
  const tools = await executor.listTools();
  console.log('tools:', tools.map(({ name }) => name).join(', '));
  for (const call of callsOf(tools)) {
    const result = await executor.execute(
      { id: 'call', name: `tested.${call.name}`, arguments: JSON.stringify(call.arguments) },
      { signal: new AbortController().signal, timeoutMs: LIMIT_MS },
    );
    console.log(call, result);
    if (result.isError) process.exitCode = 1;
  }
} finally {
  await executor.close();
}
