import type { McpServerConfig } from '../config/types.ts';
import type { McpServerSettings } from './types.ts';

/** How a configured server is reached. */
export function settingsOf({ id, transport, ...server }: McpServerConfig): McpServerSettings {
  const { readOnlyTools, changingTools, trustAnnotations, allowChanges, reuse } = server;
  const rules = { readOnlyTools, changingTools, trustAnnotations, allowChanges };
  const limit = transport.timeoutMs === null ? {} : { timeoutMs: transport.timeoutMs };
  if (transport.type === 'stdio') {
    const { command, args, env } = transport;
    return {
      id,
      rules,
      reuse,
      transport: { type: 'stdio', command, args: [...args], env: { ...env }, ...limit },
    };
  }
  const { type, url, bearerToken, bearerTokenFile, oauth, verifySsl, caFile, customHeaders } = transport;
  return {
    id,
    rules,
    reuse,
    transport: {
      type,
      url,
      verifySsl,
      headers: { ...customHeaders },
      ...(caFile === null ? {} : { caFile }),
      ...(bearerToken === null ? {} : { bearerToken }),
      ...(bearerTokenFile === null ? {} : { bearerTokenFile }),
      ...(oauth === null ? {} : { oauth }),
      ...limit,
    },
  };
}
