import { SystemWarningsDocument, type SystemWarningsQuery } from '../graphql/gen/documents.ts';
import { usePolledQuery } from '../graphql/use-polled-query.ts';

// Polling interval (ms). Polling much more often would gain little, because the server checks MCP servers only every
// 15 s by default.
const READ_EVERY_MS = 20_000;

export type SystemWarning = SystemWarningsQuery['systemWarnings'][number];

/** Returns the current system warnings, polled; undefined while unknown. */
export function useSystemWarnings(): readonly SystemWarning[] | undefined {
  const { data } = usePolledQuery(SystemWarningsDocument, READ_EVERY_MS);
  return data?.systemWarnings;
}
