import { z } from 'zod';
import { MASKING_GROUPS, MASKING_PATTERNS } from '../masking-names.ts';
import { patternProblem } from '../regex.ts';
import { count, duration, httpUrl, reference, text, withRules } from './common.ts';
import { settings } from './settings.ts';

const timeout = duration('One tool call; default: defaults.timeouts.tool_call').optional();

const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable');

const stdio = settings(
  z.strictObject({
    type: z
      .literal('stdio')
      .describe('A program that is started and spoken to over its standard input and output'),
    command: text('Program'),
    args: z.array(z.string()).describe('Its arguments').prefault([]),
    env: z
      .record(variableName, z.string())
      .describe('Variables it gets besides a minimal environment')
      .prefault({}),
    inherit_env: z
      .array(variableName)
      .describe(
        'Variables of TARSy’s own environment that it gets too, where they are set: KUBECONFIG, HTTPS_PROXY, …',
      )
      .prefault([]),
    timeout,
  }),
);

/** What of several keys is there, when it is not exactly one (or, of those that may all be missing, more). */
function oneOf(keys: readonly string[], isRequired: boolean) {
  return (value: object) => {
    const there = keys.filter((key) => (value as Record<string, unknown>)[key] !== undefined);
    if (there.length > 1) return `${there.join(' and ')} stand side by side; keep one`;
    return isRequired && there.length === 0 ? `is required, or ${keys.slice(1).join(' or ')}` : null;
  };
}

const SIGNATURES = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

const oauthKeys = z.strictObject({
  client_id: text('Name of this client at the authorization server'),
  issuer: httpUrl('The authorization server; the credentials go to no other'),
  scope: text('What to ask for, separated by spaces').optional(),
  client_secret: text('Proves who this client is').optional(),
  client_secret_file: text('File that holds the secret, read for each connection').optional(),
  private_key_file: text('PEM file (PKCS 8) of the key that signs instead of a secret').optional(),
  algorithm: z.enum(SIGNATURES).describe('Of the signature; default: RS256').optional(),
});

const oauth = settings(
  withRules(oauthKeys, [
    'client_secret',
    oneOf(['client_secret', 'client_secret_file', 'private_key_file'], true),
  ]).describe('Tokens by OAuth client credentials'),
);

function http<const Type extends 'http' | 'sse'>(type: Type, description: string) {
  const keys = z.strictObject({
    type: z.literal(type).describe(description),
    url: httpUrl('Address of the server'),
    bearer_token: text('Sent as Authorization: Bearer …').optional(),
    bearer_token_file: text('File that holds the token instead, read for each request').optional(),
    oauth: oauth.optional(),
    verify_ssl: z.boolean().describe('Whether the server’s certificate is checked').prefault(true),
    ca_file: text('PEM file of certificate authorities to trust besides the usual ones').optional(),
    timeout,
    custom_headers: z
      .record(
        z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of an HTTP header'),
        z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'expected one line of Latin text'),
      )
      .describe('Headers of every request')
      .prefault({}),
  });
  const tokens = ['bearer_token', 'bearer_token_file', 'oauth'];
  return settings(withRules(keys, ['bearer_token', oneOf(tokens, false)]));
}

const customPattern = z
  .strictObject({
    pattern: text(
      'Regular expression (JavaScript, Unicode); (?i) at its start ignores case, (?P<name>…) names a group',
    ).superRefine((pattern, context) => {
      const problem = patternProblem(pattern);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem, input: pattern });
    }),
    replacement: text(
      'What takes the place of a match; $1 is the first group, $<name> the one of that name',
    ).prefault('[MASKED]'),
    description: z.string().describe('For people').prefault(''),
  })
  .describe('A masking pattern of your own');

const dataMasking = settings(
  z.strictObject({
    enabled: z.boolean().describe('Whether results of this server are masked').prefault(true),
    pattern_groups: z.array(z.enum(MASKING_GROUPS)).describe('Groups of built-in patterns').prefault([]),
    patterns: z.array(z.enum(MASKING_PATTERNS)).describe('Built-in patterns').prefault([]),
    custom_patterns: z.array(customPattern).prefault([]),
  }),
);

const summarization = settings(
  z.strictObject({
    enabled: z
      .boolean()
      .describe('Whether long results are summarized by a model; they are not where this section is missing')
      .prefault(true),
    size_threshold_tokens: count('Results above this estimate are summarized', 100, 1_000_000).prefault(5000),
    summary_max_token_limit: count('Longest summary', 50, 100_000).prefault(1000),
    llm_provider: reference('LLM provider for these summaries').optional(),
  }),
);

const toolPattern = z
  .string()
  .regex(
    /^[A-Za-z0-9_*-]{1,64}$/,
    'expected the name of a tool, without its server’s, in which * stands for any text: get_*',
  );

const policyRule = settings(
  z.strictObject({
    tools: z.array(toolPattern).min(1).describe('Tools that the rule is for; * stands for any text'),
    action: z
      .enum(['allow', 'ask', 'deny'])
      .describe(
        'allow: agents call them; ask: each call waits for people who approve it; deny: no agent gets them',
      ),
    approvals: count('ask: how many different people must approve', 1, 10).prefault(1),
    expires: duration('ask: how long a call waits for them', '1s').prefault('24h'),
    deny_untrusted: z
      .boolean()
      .describe(
        'ask: refuses calls with a value that stands only in results of untrusted_tools, or cannot be traced, without asking anybody',
      )
      .prefault(false),
    dry_run: text(
      'ask: name of a parameter that, set to true, has the tool tell what it would do; that is shown to who decides',
    ).optional(),
  }),
);

const serverKeys = z
  .strictObject({
    transport: z.discriminatedUnion('type', [
      stdio,
      http('http', 'Streamable HTTP'),
      http('sse', 'Server-sent events, of older servers'),
    ]),
    instructions: z.string().describe('For the model, about the tools of this server').prefault(''),
    read_only_tools: z
      .array(toolPattern)
      .describe('Tools that change nothing, whatever the server declares; * stands for any text')
      .prefault([]),
    changing_tools: z
      .array(toolPattern)
      .describe('Tools that may change something, whatever the server declares; goes before read_only_tools')
      .prefault([]),
    untrusted_tools: z
      .array(toolPattern)
      .describe(
        'Tools whose results strangers write, such as web pages and tickets: what rests on them alone is marked; * stands for any text',
      )
      .prefault([]),
    trust_annotations: z
      .boolean()
      .describe('Whether a tool that the server declares read-only is taken for read-only')
      .prefault(true),
    allow_changes: z
      .boolean()
      .describe('Whether agents get the tools of this server that may change something')
      .prefault(false),
    policy: z
      .array(policyRule)
      .describe('What becomes of calls of its tools: the first rule that names a tool goes for it')
      .prefault([]),
    reuse: z
      .boolean()
      .describe(
        'Whether one agent’s session is kept for the next one’s; default: true for http, false for stdio and sse. Not for a server that remembers what it was asked',
      )
      .optional(),
    data_masking: dataMasking.prefault({}),
    summarization: summarization.prefault({ enabled: false }),
  })
  .describe('An MCP server');

export const mcpServerSchema = settings(
  withRules(serverKeys, [
    'changing_tools',
    ({ read_only_tools = [], changing_tools = [] }) => {
      const both = changing_tools.find((pattern) => read_only_tools.includes(pattern));
      return both === undefined ? null : `"${both}" stands in read_only_tools too; name it in one of them`;
    },
  ]),
).transform((server) => ({ ...server, reuse: server.reuse ?? server.transport.type === 'http' }));
