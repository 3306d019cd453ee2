import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ApiClient } from './api.ts';

interface Value {
  id: string;
  status: string;
  text: string;
  approvals: unknown[];
  investigations: unknown[];
  total: number;
}

export interface ToolAnswer {
  isError: boolean;
  text: string;
  /** The structured result of a tool has some of these; an error has none. */
  value: Value;
}

export type McpTestClient = Awaited<ReturnType<typeof connectMcp>>;

/** Connects the SDK's client to TARSy's MCP endpoint. @param answer answers questions to the user; without it, there is none */
export async function connectMcp(
  url: string,
  {
    token,
    mode = 'auto',
    answer,
  }: {
    token?: string | undefined;
    mode?: 'auto' | 'legacy';
    answer?: (question: string) => Record<string, unknown>;
  } = {},
) {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode },
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: 'accept',
      content: answer(params.message) as never,
    }));
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return {
    client,
    async call(
      name: string,
      given: Record<string, unknown> = {},
      onprogress?: (message: string) => void,
    ): Promise<ToolAnswer> {
      const result = await client.callTool(
        { name, arguments: given },
        onprogress === undefined ? {} : { onprogress: ({ message }) => onprogress(message ?? '') },
      );
      const [first] = result.content as { text: string }[];
      return {
        isError: result.isError === true,
        text: first?.text ?? '',
        value: (result.structuredContent ?? {}) as unknown as Value,
      };
    },
    close: () => client.close(),
  };
}

/** Creates an API token as an administrator. @returns its secret */
export async function createToken(
  admin: ApiClient,
  scopes: readonly string[],
  team: string | null = null,
): Promise<string> {
  const { createApiToken } = await admin.query<{ createApiToken: { secret?: string; message?: string } }>(
    `mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) {
       ... on CreateApiTokenSuccess { secret } ... on Error { message } } }`,
    { input: { name: `mcp-${scopes.join('-').toLowerCase()}-${team}`, scopes, team } },
  );
  if (createApiToken.secret === undefined) throw new Error(createApiToken.message);
  return createApiToken.secret;
}
