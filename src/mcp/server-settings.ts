import type { McpServerConfig } from '../config/types.ts';
import type { McpServerSettings } from './types.ts';

/** How a configured server is reached. */
export const settingsOf = ({ id, transport, reuse, ...rules }: McpServerConfig): McpServerSettings => ({
  id,
  transport,
  reuse,
  rules,
});
