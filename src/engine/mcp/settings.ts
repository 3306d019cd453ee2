import type { McpServerConfig } from '../../config/types.ts';
import type { McpServerSettings } from './types.ts';

/** How a configured server is reached. */
export function settingsOf({ id, transport }: McpServerConfig): McpServerSettings {
  if (transport.type === 'stdio') {
    const { command, args, env } = transport;
    return { id, transport: { type: 'stdio', command, args: [...args], env: { ...env } } };
  }
  const { type, url, bearerToken, verifySsl, caFile, timeoutMs, customHeaders } = transport;
  return {
    id,
    transport: {
      type,
      url,
      verifySsl,
      headers: { ...customHeaders },
      ...(caFile === null ? {} : { caFile }),
      ...(bearerToken === null ? {} : { bearerToken }),
      ...(timeoutMs === null ? {} : { timeoutMs }),
    },
  };
}
