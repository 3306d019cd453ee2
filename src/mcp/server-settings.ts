import type { McpServerConfig } from '../config/types.ts';
import type { McpServerSettings } from './types.ts';

/** Converts a configured server to the settings of its connection. */
export const toServerSettings = ({ id, transport, reuse, ...rules }: McpServerConfig): McpServerSettings => ({
  id,
  transport,
  reuse,
  rules,
});
