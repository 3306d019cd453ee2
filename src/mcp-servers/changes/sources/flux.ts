import { type Change, changeId, isWithin, type Window } from '../change.ts';
import {
  annotationOf,
  type KubeObject,
  nameOf,
  namespaceOf,
  numberAt,
  objectsAt,
  textAt,
  timeAt,
} from '../kubernetes/fields.ts';
import type { Snapshot } from '../kubernetes/snapshot.ts';
import type { Target } from '../target.ts';
import { shortRevision } from './argo.ts';
import { eventTimes } from './scaling.ts';

export interface FluxOptions {
  namespace: string | null;
  window: Window;
  target: Target;
}

/** Returns what Flux applied: revisions of Kustomizations, releases of HelmReleases, and fetched revisions. */
export function findReconciliations(snapshot: Snapshot, options: FluxOptions): Change[] {
  const { namespace } = options;
  const isSeen = (object: KubeObject) => namespace === null || touches(object, namespace);
  return [
    ...snapshot
      .objects('kustomizations')
      .filter(isSeen)
      .flatMap((each) => ofKustomization(each, snapshot, options)),
    ...snapshot
      .objects('helmReleases')
      .filter(isSeen)
      .flatMap((each) => ofHelmRelease(each, options)),
    ...snapshot.objects('gitRepositories').flatMap((each) => ofRepository(each, snapshot, options)),
  ];
}

/** A revision that a Kustomization applied for the first time. */
export interface Applied {
  time: number;
  revision: string;
  status: string | null;
}

/** Returns the revisions that a Kustomization applied, oldest first: from its history, else from events, else the last. */
export function appliedBy(kustomization: KubeObject, snapshot: Snapshot): Applied[] {
  const history = objectsAt(kustomization, 'status', 'history').flatMap((entry): Applied[] => {
    const [time, revision] = [timeAt(entry, 'firstReconciled'), textAt(entry, 'metadata', 'revision')];
    return time === null || revision === null
      ? []
      : [{ time, revision, status: textAt(entry, 'lastReconciledStatus') }];
  });
  if (history.length > 0) return firstUses(history);
  const events = fluxEvents(kustomization, 'Kustomization', snapshot).flatMap((event): Applied[] => {
    const [times, reason] = [eventTimes(event), textAt(event, 'reason')];
    const revision =
      annotationOf(event, 'kustomize.toolkit.fluxcd.io/revision') ??
      /Applied revision: (\S+)/.exec(textAt(event, 'message') ?? '')?.[1];
    return times === null || !revision ? [] : [{ time: times.first, revision, status: reason }];
  });
  if (events.length > 0) return firstUses(events);
  const ready = objectsAt(kustomization, 'status', 'conditions').find(
    (each) => textAt(each, 'type') === 'Ready',
  );
  const [time, revision] = [
    timeAt(ready, 'lastTransitionTime'),
    textAt(kustomization, 'status', 'lastAppliedRevision'),
  ];
  return time === null || revision === null ? [] : [{ time, revision, status: textAt(ready, 'reason') }];
}

/** Returns the first of consecutive entries with the same revision. */
function firstUses(entries: readonly Applied[]): Applied[] {
  const sorted = entries.toSorted((a, b) => a.time - b.time);
  return sorted.filter((entry, at) => entry.revision !== sorted[at - 1]?.revision);
}

function ofKustomization(object: KubeObject, snapshot: Snapshot, { window, target }: FluxOptions): Change[] {
  const applied = appliedBy(object, snapshot);
  return applied.flatMap((entry, at): Change[] => {
    if (!isWithin(entry.time, window)) return [];
    const before = applied[at - 1];
    const [namespace, name] = [namespaceOf(object), nameOf(object)];
    return [
      {
        id: changeId('kustomization', namespace, name, Math.floor(entry.time / 1000)),
        time: entry.time,
        kind: 'flux',
        object: `Kustomization ${namespace}/${name}`,
        summary: `applied ${before ? `${shortRevision(before.revision)} → ` : ''}${shortRevision(entry.revision)}${entry.status ? ` [${entry.status}]` : ''}${touchedBy(object, entry.time, snapshot)}`,
        by: 'kustomize-controller',
        nearness: isOwn(object, 'kustomize', target) ? 'own' : 'other',
      },
    ];
  });
}

/** Time within which an event about changed objects belongs to an applied revision (ms). */
const SAME_APPLY_MS = 120_000;
const MAX_TOUCHED = 300;

/** Returns the objects that Flux says it changed, such as `; Deployment/shop/checkout configured`. */
function touchedBy(object: KubeObject, time: number, snapshot: Snapshot): string {
  const lines = fluxEvents(object, 'Kustomization', snapshot)
    .filter((event) => Math.abs((eventTimes(event)?.first ?? 0) - time) <= SAME_APPLY_MS)
    .flatMap((event) => (textAt(event, 'message') ?? '').split('\n'))
    .filter((line) => /^\S+ (?:created|configured|deleted)$/.test(line));
  return lines.length === 0 ? '' : `; ${[...new Set(lines)].join(', ').slice(0, MAX_TOUCHED)}`;
}

function fluxEvents(object: KubeObject, kind: string, snapshot: Snapshot): KubeObject[] {
  return snapshot.objects('events').filter((event) => {
    const about = (field: string) => textAt(event, 'involvedObject', field);
    return (
      about('kind') === kind && about('name') === nameOf(object) && about('namespace') === namespaceOf(object)
    );
  });
}

/** Returns the releases that a HelmRelease made, newest first, as its status keeps them. */
export function releasesOf(
  object: KubeObject,
): { version: number; time: number; chart: string; status: string | null }[] {
  return objectsAt(object, 'status', 'history').flatMap((entry) => {
    const [version, time] = [numberAt(entry, 'version'), timeAt(entry, 'lastDeployed')];
    if (version === null || time === null) return [];
    const app = textAt(entry, 'appVersion');
    const chart = `${textAt(entry, 'chartName') ?? '?'}-${textAt(entry, 'chartVersion') ?? '?'}${app ? ` (app ${app})` : ''}`;
    return [{ version, time, chart, status: textAt(entry, 'status') }];
  });
}

function ofHelmRelease(object: KubeObject, { window, target }: FluxOptions): Change[] {
  const releases = releasesOf(object);
  return releases.flatMap(({ version, time, chart, status }): Change[] => {
    if (!isWithin(time, window)) return [];
    const before = releases.find((each) => each.version === version - 1);
    const [namespace, name] = [namespaceOf(object), nameOf(object)];
    const what =
      before === undefined
        ? `chart ${chart}`
        : before.chart === chart
          ? `chart ${chart}, other values`
          : `chart ${before.chart} → ${chart}`;
    return [
      {
        id: changeId('helmrelease', namespace, name, version),
        time,
        kind: 'flux',
        object: `HelmRelease ${namespace}/${name}`,
        summary: `release ${version}: ${what}${status ? ` [${status}]` : ''}`,
        by: 'helm-controller',
        nearness: isOwn(object, 'helm', target) ? 'own' : 'other',
      },
    ];
  });
}

function ofRepository(
  object: KubeObject,
  snapshot: Snapshot,
  { namespace, window, target }: FluxOptions,
): Change[] {
  const time = timeAt(object, 'status', 'artifact', 'lastUpdateTime');
  const revision = textAt(object, 'status', 'artifact', 'revision');
  if (!isWithin(time, window) || revision === null) return [];
  const users = snapshot.objects('kustomizations').filter((each) => {
    const source = (field: string) => textAt(each, 'spec', 'sourceRef', field);
    return (
      source('kind') === 'GitRepository' &&
      source('name') === nameOf(object) &&
      (source('namespace') ?? namespaceOf(each)) === namespaceOf(object)
    );
  });
  if (
    namespace !== null &&
    namespaceOf(object) !== namespace &&
    !users.some((each) => touches(each, namespace))
  )
    return [];
  return [
    {
      id: changeId('gitrepository', namespaceOf(object), nameOf(object)),
      time,
      kind: 'flux',
      object: `GitRepository ${namespaceOf(object)}/${nameOf(object)}`,
      summary: `fetched ${shortRevision(revision)}`,
      by: 'source-controller',
      // A fetched revision changes nothing until it is applied.
      nearness: users.some((each) => isOwn(each, 'kustomize', target)) ? 'near' : 'other',
    },
  ];
}

/** True if a Flux object is in a namespace or deploys to it. */
export function touches(object: KubeObject, namespace: string): boolean {
  return (
    namespaceOf(object) === namespace ||
    textAt(object, 'spec', 'targetNamespace') === namespace ||
    objectsAt(object, 'status', 'inventory', 'entries').some((each) =>
      textAt(each, 'id')?.startsWith(`${namespace}_`),
    )
  );
}

/** True if the object deploys the workload: by its inventory, or by Flux' labels on the workload. */
function isOwn(object: KubeObject, tool: 'kustomize' | 'helm', target: Target): boolean {
  const isMarked =
    target.hasMark(`${tool}.toolkit.fluxcd.io/name`, nameOf(object)) &&
    target.hasMark(`${tool}.toolkit.fluxcd.io/namespace`, namespaceOf(object));
  return (
    isMarked ||
    objectsAt(object, 'status', 'inventory', 'entries').some((each) => {
      // An entry's id is namespace_name_group_Kind.
      const [namespace = '', name = '', , kind = ''] = (textAt(each, 'id') ?? '').split('_');
      return target.is(kind.toLowerCase(), namespace, name);
    })
  );
}
