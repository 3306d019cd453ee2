import { ToolFailure } from '../../tool/failure.ts';
import type { Sources } from '../collect.ts';
import type { KubernetesApi } from '../kubernetes/api.ts';

/** Sources that a change is shown from. */
export interface ShowContext {
  api: KubernetesApi;
  sources: Sources;
  signal: AbortSignal;
}

/** Shows one change. @param parts the parts of its identifier after the kind */
export type Show = (context: ShowContext, parts: readonly string[]) => Promise<string>;

/** Returns the failure for a change that is no longer recorded. */
export function goneFailure(what: string): ToolFailure {
  return new ToolFailure('NOT_FOUND', `${what} is no longer recorded; list the changes again.`);
}
