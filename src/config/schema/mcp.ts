import { z } from 'zod';
import { MASKING_GROUPS, MASKING_PATTERNS } from '../masking-names.ts';
import { patternProblem } from '../regex.ts';
import {
  checked,
  count,
  duration,
  flag,
  headerName,
  httpUrl,
  list,
  matching,
  reference,
  text,
  variableName,
} from './common.ts';
import { mapping, settings } from './settings.ts';

const timeout = duration('Timeout of one tool call; default: defaults.timeouts.tool_call').optional();

const stdio = mapping({
  type: z.literal('stdio').describe('Local program, connected over its standard input and output'),
  command: text('Program to start'),
  args: list(z.string(), 'Arguments of the program').prefault([]),
  env: z
    .record(variableName, z.string())
    .describe('Environment variables of the program, added to a minimal environment')
    .prefault({}),
  inherit_env: list(
    variableName,
    'Variables of TARSy’s own environment to pass on if they are set, such as KUBECONFIG; those of proxies and certificates always are',
  ).prefault([]),
  timeout,
});

/** Returns a rule that at most one of `keys` is set, or exactly one if `isRequired`. */
function oneOf(keys: readonly string[], isRequired: boolean) {
  return (value: object) => {
    const there = keys.filter((key) => (value as Record<string, unknown>)[key] !== undefined);
    if (there.length > 1) return `${there.join(' and ')} exclude each other; keep one`;
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
  client_id: text('Client id at the authorization server'),
  issuer: httpUrl('URL of the authorization server; credentials are sent to no other'),
  scope: text('Requested scopes, separated by spaces').optional(),
  client_secret: text('Client secret').optional(),
  client_secret_file: text('File with the client secret, read for each connection').optional(),
  private_key_file: text('PEM file (PKCS 8) of the private key that replaces a client secret').optional(),
  algorithm: z.enum(SIGNATURES).describe('Signature algorithm; default: RS256').optional(),
});

const oauth = settings(oauthKeys, [
  'client_secret',
  oneOf(['client_secret', 'client_secret_file', 'private_key_file'], true),
]).describe('Access tokens by OAuth client credentials');

function http<const Type extends 'http' | 'sse'>(type: Type, description: string) {
  const keys = z.strictObject({
    type: z.literal(type).describe(description),
    url: httpUrl('URL of the server'),
    bearer_token: text('Token to send as Authorization: Bearer …').optional(),
    bearer_token_file: text('File with the bearer token, read for each request').optional(),
    oauth: oauth.optional(),
    verify_ssl: flag('Verify the server’s certificate').prefault(true),
    ca_file: text('PEM file of certificate authorities to trust in addition to the usual ones').optional(),
    timeout,
    custom_headers: z
      .record(headerName, matching(/^[\t\x20-\x7e\x80-\xff]*$/, 'expected one line of Latin text'))
      .describe('Headers to send with every request')
      .prefault({}),
  });
  const tokens = ['bearer_token', 'bearer_token_file', 'oauth'];
  return settings(keys, ['bearer_token', oneOf(tokens, false)]);
}

const customPattern = z
  .strictObject({
    pattern: checked(
      text(
        'Regular expression (JavaScript, Unicode); (?i) at its start ignores case, (?P<name>…) names a group',
      ),
      patternProblem,
    ),
    replacement: text('Replacement of a match; $1 is the first group, $<name> a named group').prefault(
      '[MASKED]',
    ),
    description: z.string().describe('Description for users').prefault(''),
  })
  .describe('Custom masking pattern');

const dataMasking = mapping({
  enabled: flag('Mask results of this server').prefault(true),
  pattern_groups: list(z.enum(MASKING_GROUPS), 'Groups of built-in patterns').prefault([]),
  patterns: list(z.enum(MASKING_PATTERNS), 'Built-in patterns').prefault([]),
  custom_patterns: list(customPattern, 'Patterns of your own').prefault([]),
}).describe('Masking of the server’s results');

const summarization = mapping({
  enabled: flag('Summarize long results by a model; off if the section summarization is missing').prefault(
    true,
  ),
  size_threshold_tokens: count(100, 1_000_000)
    .describe('Size above which results are summarized (estimated tokens)')
    .prefault(5000),
  summary_max_token_limit: count(50, 100_000).describe('Longest summary (tokens)').prefault(1000),
  llm_provider: reference('LLM provider for these summaries').optional(),
}).describe('Summaries of long results');

const toolPattern = matching(
  /^[A-Za-z0-9_*-]{1,64}$/,
  'expected the name of a tool, without its server’s, in which * stands for any text: get_*',
);

const policyRule = mapping({
  tools: list(toolPattern, 'Tools that the rule applies to; * stands for any text').min(1),
  action: z
    .enum(['allow', 'ask', 'deny'])
    .describe(
      'allow: agents may call the tools; ask: each call waits for approval; deny: no agent gets the tools',
    ),
  approvals: count(1, 10).describe('ask: number of different responders who must approve').prefault(1),
  expires: duration('ask: time that a call waits for approval', '1s').prefault('24h'),
  deny_untrusted: flag(
    'ask: refuse, without asking, calls with a value that comes only from results of untrusted_tools or whose origin is unknown',
  ).prefault(false),
  dry_run: text(
    'ask: name of the tool’s dry-run parameter; it is set to true and the result is shown to the approver',
  ).optional(),
});

const serverKeys = z
  .strictObject({
    transport: z
      .discriminatedUnion('type', [
        stdio,
        http('http', 'Streamable HTTP'),
        http('sse', 'Server-sent events, for older servers'),
      ])
      .describe('Connection to the server'),
    instructions: z
      .string()
      .describe('Instructions for the model about the tools of this server')
      .prefault(''),
    read_only_tools: list(
      toolPattern,
      'Tools that change nothing, regardless of the server’s annotations; * stands for any text',
    ).prefault([]),
    changing_tools: list(
      toolPattern,
      'Tools that may change something, regardless of the server’s annotations; takes precedence over read_only_tools',
    ).prefault([]),
    untrusted_tools: list(
      toolPattern,
      'Tools whose results outsiders can write, such as web pages and tickets; claims that rest on them alone are marked. * stands for any text',
    ).prefault([]),
    trust_annotations: flag('Trust the server’s declaration that a tool is read-only').prefault(true),
    allow_changes: flag(
      'Allow agents to call tools of this server that may change something without approval',
    ).prefault(false),
    policy: list(policyRule, 'Rules for tool calls; the first rule that matches a tool applies').prefault([]),
    reuse: flag(
      'Reuse one agent’s connection for the next agent; default: true for http, false for stdio and sse. Not for servers that keep state between calls',
    ).optional(),
    data_masking: dataMasking.prefault({}),
    summarization: summarization.prefault({ enabled: false }),
  })
  .describe('MCP server');

export const mcpServerSchema = settings(serverKeys, [
  'changing_tools',
  ({ read_only_tools = [], changing_tools = [] }) => {
    const both = changing_tools.find((pattern) => read_only_tools.includes(pattern));
    return both === undefined ? null : `"${both}" is also in read_only_tools; keep it in one list`;
  },
]).transform((server) => ({ ...server, reuse: server.reuse ?? server.transport.type === 'http' }));
