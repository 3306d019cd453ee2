import { type Change, formatTime, type Window } from './change.ts';
import type { Repository } from './git/repository.ts';
import type { KubernetesApi } from './kubernetes/api.ts';
import { namespaceOf } from './kubernetes/fields.ts';
import { RESOURCES, type ResourceName } from './kubernetes/resources.ts';
import {
  addEvents,
  type ElsewhereEvents,
  readSnapshot,
  type Scope,
  type Snapshot,
} from './kubernetes/snapshot.ts';
import { findSyncs } from './sources/argo.ts';
import { findCommits } from './sources/commits.ts';
import { findReconciliations, touches } from './sources/flux.ts';
import { findHelmReleases } from './sources/helm.ts';
import { findMovedImages } from './sources/images.ts';
import { findNodeChanges } from './sources/nodes.ts';
import { findObjectWrites, findWorkloadWrites } from './sources/objects.ts';
import { findRollouts } from './sources/rollouts.ts';
import { eventTimes, findScaling } from './sources/scaling.ts';
import { findTarget, type Target } from './target.ts';

/** Where changes are read. */
export interface Sources {
  /** `null` if no cluster is configured. */
  api: KubernetesApi | null;
  repositories: readonly Repository[];
}

/** All changes of a time span, with what was and was not seen. */
export interface Collected {
  changes: Change[];
  target: Target;
  /** Sources that were read. */
  seen: readonly string[];
  problems: readonly string[];
  absent: readonly string[];
  /** Sentences about what no source can tell. */
  limits: readonly string[];
  /** False if no source could be read, so that the list of changes says nothing. */
  hasSources: boolean;
}

export interface CollectOptions {
  namespace: string | null;
  workload: string | null;
  window: Window;
  signal: AbortSignal;
}

/** Time limit of one collection (ms), below TARSy's default limit of a tool call of 90 s. */
const COLLECT_TIMEOUT_MS = 60_000;

const EMPTY: Snapshot = { objects: () => [], problems: [], absent: [], isReadable: false };

/** Reads all sources at the same time. Sources that cannot be read become problems. */
export async function collectChanges(sources: Sources, options: CollectOptions): Promise<Collected> {
  const { window, namespace } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(COLLECT_TIMEOUT_MS)]);
  const scope = sources.api === null ? null : { api: sources.api, namespace, signal };
  const workload = options.workload?.slice(options.workload.lastIndexOf('/') + 1) ?? null;
  const [snapshot, commits] = await Promise.all([
    scope === null ? EMPTY : readCluster(scope),
    findCommits(sources.repositories, { window, workload, signal }),
  ]);
  const target = findTarget(snapshot, options.workload);
  const rollouts = findRollouts(snapshot, window, target);
  const helm = scope === null ? [] : await findHelmReleases(snapshot, { scope, window, target });
  const kinds = Object.keys(RESOURCES).filter((name) => snapshot.objects(name as ResourceName).length > 0);
  const readRepositories = sources.repositories
    .map(({ settings }) => `repository ${settings.name}`)
    .filter(
      (name) =>
        !commits.problems.some(
          (problem) => problem.startsWith(`${name}: `) && !problem.includes('only the last'),
        ),
    );
  return {
    changes: [
      ...rollouts,
      ...findMovedImages(snapshot, window, target),
      ...findObjectWrites(snapshot, window, target),
      ...findWorkloadWrites(snapshot, { window, target, rollouts }),
      ...findScaling(snapshot, window, target),
      ...findNodeChanges(snapshot, window, target),
      ...helm,
      ...findSyncs(snapshot, { namespace, window, target }),
      ...findReconciliations(snapshot, { namespace, window, target }),
      ...commits.changes,
    ],
    target,
    seen: [
      ...kinds.map(
        (name) =>
          `${snapshot.objects(name as ResourceName).length} ${RESOURCES[name as ResourceName].plural}`,
      ),
      ...readRepositories,
    ],
    problems: [
      ...(sources.api === null ? ['the cluster: none is configured; set KUBECONFIG'] : snapshot.problems),
      ...commits.problems,
      ...(sources.repositories.length === 0
        ? ['git: no repository is configured (CHANGES_MCP_GIT_REPOSITORIES)']
        : []),
    ],
    absent: snapshot.absent,
    limits: limitsOf(snapshot, window),
    hasSources: snapshot.isReadable || readRepositories.length > 0,
  };
}

/** Reads a cluster, with the events about nodes and Flux that are in other namespaces. */
async function readCluster(scope: Scope): Promise<Snapshot> {
  const snapshot = await readSnapshot(scope, Object.keys(RESOURCES) as ResourceName[]);
  const { namespace } = scope;
  if (namespace === null || !snapshot.isReadable) return snapshot;
  const flux = snapshot
    .objects('kustomizations')
    .filter((each) => touches(each, namespace))
    .map(namespaceOf);
  const places: ElsewhereEvents[] = [
    { namespace: 'default', kind: 'Node' },
    ...[...new Set(flux)].map((each) => ({ namespace: each, kind: 'Kustomization' })),
  ];
  return addEvents(
    snapshot,
    scope,
    places.filter((place) => place.namespace !== namespace),
  );
}

function limitsOf(snapshot: Snapshot, window: Window): string[] {
  if (!snapshot.isReadable) return ['Commits change nothing until they are deployed.'];
  const oldest = snapshot
    .objects('events')
    .reduce((least, event) => Math.min(least, eventTimes(event)?.last ?? least), Number.POSITIVE_INFINITY);
  const expired =
    oldest > window.since
      ? [
          Number.isFinite(oldest)
            ? `Events before ${formatTime(oldest)} have expired.`
            : 'There are no events.',
        ]
      : [];
  return [
    ...expired,
    'Deleted objects leave no trace here, and of repeated updates by one manager only the last one is recorded.',
    'External changes (traffic, dependencies, cloud) are not visible here.',
  ];
}
