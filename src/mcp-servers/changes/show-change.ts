import { z } from 'zod';
import { maskMessage } from '../../masking/messages.ts';
import { ToolFailure } from '../tool/failure.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { Sources } from './collect.ts';
import { ApiError, describe } from './kubernetes/api.ts';
import { showCommit } from './show/commits.ts';
import type { Show } from './show/context.ts';
import {
  showApplication,
  showGitRepository,
  showHelm,
  showHelmRelease,
  showKustomization,
} from './show/delivery.ts';
import { showEvent, showNode, showObject } from './show/objects.ts';
import { showImage, showRollout } from './show/workloads.ts';

/** Time limit of one call (ms). */
const SHOW_TIMEOUT_MS = 60_000;

/** How each kind of identifier is shown, with the number of its parts. */
const SHOWS: Readonly<Record<string, { parts: number; show: Show }>> = {
  rollout: { parts: 4, show: showRollout },
  image: { parts: 5, show: showImage },
  object: { parts: 4, show: showObject },
  event: { parts: 2, show: showEvent },
  node: { parts: 2, show: showNode },
  helm: { parts: 3, show: showHelm },
  argo: { parts: 3, show: showApplication },
  kustomization: { parts: 3, show: showKustomization },
  helmrelease: { parts: 3, show: showHelmRelease },
  gitrepository: { parts: 2, show: showGitRepository },
};

const input = z.strictObject({
  id: z.string().min(1).max(1000).describe('The id of a change, as list_changes returned it.'),
});

export function showChangeTool(sources: Sources): ServerTool<typeof input> {
  return {
    name: 'show_change',
    title: 'Show a change',
    description:
      'The exact difference of one change of list_changes: unified diff of the pod template, of files between two git revisions, of the ' +
      'source of an application; digests of a moved image; content of a ConfigMap. Secrets are shown by name only, and secret values are masked.',
    input,
    openWorld: true,
    run: async ({ id }, outer) => {
      const signal = AbortSignal.any([outer, AbortSignal.timeout(SHOW_TIMEOUT_MS)]);
      const [kind = '', ...parts] = id.split('/');
      if (!parts.every((part) => /^[A-Za-z0-9._-]{1,253}$/.test(part) && !/^\.+$/.test(part)))
        throw unknownId(id);
      try {
        return maskMessage(await show(sources, { kind, parts, id }, signal));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404)
          throw new ToolFailure('NOT_FOUND', 'The changed object no longer exists.');
        if (error instanceof ApiError)
          throw new ToolFailure(error.status === 403 ? 'NOT_PERMITTED' : 'FAILED', describe(error));
        throw error;
      }
    },
  };
}

async function show(
  sources: Sources,
  { kind, parts, id }: { kind: string; parts: readonly string[]; id: string },
  signal: AbortSignal,
): Promise<string> {
  if (kind === 'commit' && parts.length === 2) return showCommit(sources, parts, signal);
  const known = Object.hasOwn(SHOWS, kind) ? SHOWS[kind] : undefined;
  if (known === undefined || known.parts !== parts.length) throw unknownId(id);
  if (sources.api === null)
    throw new ToolFailure('NOT_SUPPORTED', 'No cluster is configured; set KUBECONFIG.');
  return known.show({ api: sources.api, sources, signal }, parts);
}

function unknownId(id: string): ToolFailure {
  return new ToolFailure(
    'BAD_INPUT',
    `"${id.slice(0, 100)}" is no id of a change; take one from list_changes.`,
  );
}
