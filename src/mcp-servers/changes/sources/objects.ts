import { type Change, changeId, isWithin, type Nearness, type Window } from '../change.ts';
import {
  annotationOf,
  createdAt,
  type KubeObject,
  labelOf,
  managedWrites,
  nameOf,
  namespaceOf,
  objectAt,
  textAt,
} from '../kubernetes/fields.ts';
import { RESOURCES, type ResourceName } from '../kubernetes/resources.ts';
import type { Snapshot } from '../kubernetes/snapshot.ts';
import { type Target, WORKLOADS, workloadsOf } from '../target.ts';

/** Kinds without a history in Kubernetes, which records only the time and manager of the last writes. */
export const RECORDED = [
  'configMaps',
  'secrets',
  'services',
  'ingresses',
  'networkPolicies',
  'cronJobs',
  'autoscalers',
] as const satisfies readonly ResourceName[];

/** Objects that controllers rewrite all the time, or that are the same everywhere. */
const NOISE =
  /^(?:kube-root-ca\.crt|openshift-service-ca\.crt|istio-ca-root-cert|cluster-autoscaler-status|.*-(?:leader|lock|leader-election))$/;
const LEADER = 'control-plane.alpha.kubernetes.io/leader';

/** A write within this time of the creation is the creation itself (ms). */
const SAME_MOMENT_MS = 2000;

/** Returns the creations and updates of ConfigMaps, Secrets (by name only), Services and the like. */
export function findObjectWrites(snapshot: Snapshot, window: Window, target: Target): Change[] {
  return RECORDED.flatMap((list) => {
    const { kind } = RESOURCES[list];
    return snapshot
      .objects(list)
      .filter((object) => !isNoise(object))
      .flatMap((object) => changesOf(kind, object, window, nearnessOf(kind, object, target)));
  });
}

function isNoise(object: KubeObject): boolean {
  // Releases of Helm are a source of their own.
  return (
    NOISE.test(nameOf(object)) || annotationOf(object, LEADER) !== null || labelOf(object, 'owner') === 'helm'
  );
}

function nearnessOf(kind: string, object: KubeObject, target: Target): Nearness {
  const [namespace, name] = [namespaceOf(object), nameOf(object)];
  if (target.reads(kind, namespace, name)) return 'own';
  const scales = objectAt(object, 'spec', 'scaleTargetRef');
  if (target.is((textAt(scales, 'kind') ?? '').toLowerCase(), namespace, textAt(scales, 'name') ?? ''))
    return 'near';
  const isNamesake = target.workloads.some(
    (each) => nameOf(each.object) === name && namespaceOf(each.object) === namespace,
  );
  return isNamesake ? 'near' : 'other';
}

function changesOf(kind: string, object: KubeObject, window: Window, nearness: Nearness): Change[] {
  const [namespace, name] = [namespaceOf(object), nameOf(object)];
  const created = createdAt(object);
  const change = (time: number, summary: string, by: string | null): Change => ({
    id: changeId('object', namespace, kind, name, Math.floor(time / 1000)),
    time,
    kind: kind === 'ConfigMap' || kind === 'Secret' ? 'config' : 'object',
    object: `${kind} ${namespace}/${name}`,
    summary,
    by,
    nearness,
  });
  const writes = managedWrites(object).filter(({ subresource }) => subresource === null);
  const creator = writes.find(({ time }) => created !== null && time - created <= SAME_MOMENT_MS);
  const version =
    kind === 'Secret' ? ` (resourceVersion ${textAt(object, 'metadata', 'resourceVersion')})` : '';
  const updates = writes
    .filter(({ time }) => isWithin(time, window) && (created === null || time - created > SAME_MOMENT_MS))
    .map(({ time, manager, fields }) => {
      const keys = kind === 'Secret' ? [] : keysOf(fields);
      const owned = keys.length === 0 ? '' : `; the manager owns ${keys.join(', ')}`;
      return change(time, `updated${version}${owned}`, manager);
    });
  if (!isWithin(created, window)) return updates;
  return [change(created, `created${version}`, creator?.manager ?? null), ...updates];
}

/** Maximum number of fields of a manager that are named. */
const MAX_KEYS = 8;

/** Returns the keys of `data` that a manager owns; of objects without data, its fields of `spec`. */
export function keysOf(fields: KubeObject): string[] {
  const owned = ['f:data', 'f:binaryData', 'f:spec'].flatMap((part) => Object.keys(objectAt(fields, part)));
  const keys = owned.filter((key) => key.startsWith('f:')).map((key) => key.slice(2));
  return keys.length > MAX_KEYS ? [...keys.slice(0, MAX_KEYS), `${keys.length - MAX_KEYS} more`] : keys;
}

/** Time between a write to a workload and the rollout that follows from it (ms). */
const ROLLOUT_WITHIN_MS = 5000;

/**
 * Returns the updates of workloads that led to no rollout: replicas set by a person, strategy, labels. Kubernetes
 * records who wrote and when, not the earlier values.
 */
export function findWorkloadWrites(
  snapshot: Snapshot,
  { window, target, rollouts }: { window: Window; target: Target; rollouts: readonly Change[] },
): Change[] {
  return workloadsOf(snapshot).flatMap(({ kind, object }) => {
    const [namespace, name] = [namespaceOf(object), nameOf(object)];
    const { kind: objectKind } = RESOURCES[WORKLOADS[kind]];
    const label = `${kind} ${namespace}/${name}`;
    const created = createdAt(object);
    const follows = (time: number) =>
      rollouts.some((each) => each.object === label && Math.abs(each.time - time) <= ROLLOUT_WITHIN_MS);
    return managedWrites(object)
      .filter(({ manager, subresource }) => subresource !== 'status' && manager !== 'kube-controller-manager')
      .filter(({ time }) => isWithin(time, window) && !follows(time))
      .filter(({ time }) => created === null || time - created > SAME_MOMENT_MS)
      .map(({ time, manager, subresource }): Change => {
        const isScale = subresource === 'scale';
        return {
          id: changeId('object', namespace, objectKind, name, Math.floor(time / 1000)),
          time,
          kind: isScale ? 'scaling' : 'object',
          object: label,
          summary: isScale ? 'replicas set' : 'updated without a rollout: the pod template stayed the same',
          by: manager,
          nearness: target.is(kind, namespace, name) ? 'near' : 'other',
        };
      });
  });
}
