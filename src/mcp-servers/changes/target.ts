import {
  annotationOf,
  controllerOf,
  type KubeObject,
  labelOf,
  nameOf,
  namespaceOf,
  textAt,
  valueAt,
} from './kubernetes/fields.ts';
import type { ResourceName } from './kubernetes/resources.ts';
import type { Snapshot } from './kubernetes/snapshot.ts';
import { configsOf } from './templates.ts';

/** Kinds of workloads that have revisions, and the list in which they are read. */
export const WORKLOADS = {
  deployment: 'deployments',
  statefulset: 'statefulSets',
  daemonset: 'daemonSets',
} as const satisfies Record<string, ResourceName>;
export type WorkloadKind = keyof typeof WORKLOADS;
const WORKLOAD_KINDS = Object.keys(WORKLOADS) as WorkloadKind[];

/** Names of kinds that models and alerts use. */
const KIND_NAMES: Readonly<Record<string, WorkloadKind | 'pod'>> = {
  deploy: 'deployment',
  deployments: 'deployment',
  deployment: 'deployment',
  sts: 'statefulset',
  statefulsets: 'statefulset',
  statefulset: 'statefulset',
  ds: 'daemonset',
  daemonsets: 'daemonset',
  daemonset: 'daemonset',
  po: 'pod',
  pods: 'pod',
  pod: 'pod',
};

export interface Workload {
  kind: WorkloadKind;
  object: KubeObject;
}

/** The alerted workload and what it depends on. */
export interface Target {
  workloads: readonly Workload[];
  /** True if an object is the workload. @param kind in lower case */
  is(kind: string, namespace: string, name: string): boolean;
  /** True if the workload's pods read the ConfigMap or Secret, in any of its revisions. */
  reads(kind: string, namespace: string, name: string): boolean;
  /** True if a pod of the workload is on the node. */
  usesNode(name: string): boolean;
  /** True if the delivery tool's label or annotation on the workload has this value. */
  hasMark(mark: string, value: string): boolean;
}

export const describeWorkload = ({ kind, object }: Workload): string =>
  `${kind} ${namespaceOf(object)}/${nameOf(object)}`;

/** Returns all workloads of a snapshot. */
export function workloadsOf(snapshot: Snapshot): Workload[] {
  return WORKLOAD_KINDS.flatMap((kind) =>
    snapshot.objects(WORKLOADS[kind]).map((object) => ({ kind, object })),
  );
}

/** Returns the uid of the workload that a pod belongs to: its controller, or the controller of its ReplicaSet. */
export function workloadUidOf(pod: KubeObject, replicaSetOwners: ReadonlyMap<string, string>): string | null {
  const owner = controllerOf(pod);
  if (owner === null) return null;
  return owner.kind === 'ReplicaSet' ? (replicaSetOwners.get(owner.uid) ?? null) : owner.uid;
}

/** Maps the uid of each ReplicaSet to the uid of its Deployment. */
export function replicaSetOwners(snapshot: Snapshot): Map<string, string> {
  return new Map(
    snapshot.objects('replicaSets').flatMap((each) => {
      const [uid, owner] = [textAt(each, 'metadata', 'uid'), controllerOf(each)];
      return uid === null || owner === null ? [] : [[uid, owner.uid] as const];
    }),
  );
}

/**
 * Finds the workload that an alert names, and its pods and configuration.
 * @param name `checkout`, `deployment/checkout` or the name of a pod
 */
export function findTarget(snapshot: Snapshot, name: string | null): Target {
  const owners = replicaSetOwners(snapshot);
  const workloads = name === null ? [] : findWorkloads(snapshot, name, owners);
  const uids = new Set(workloads.map(({ object }) => textAt(object, 'metadata', 'uid')));
  const revisions = (['replicaSets', 'controllerRevisions'] as const)
    .flatMap((list) => snapshot.objects(list))
    .filter((each) => uids.has(controllerOf(each)?.uid ?? ''));
  const templates = [
    ...workloads.map(({ object }) => [object, valueAt(object, 'spec', 'template')] as const),
    ...revisions.map(
      (each) =>
        [each, valueAt(each, 'spec', 'template') ?? valueAt(each, 'data', 'spec', 'template')] as const,
    ),
  ];
  const configs = new Set(
    templates.flatMap(([object, template]) =>
      configsOf(template).map((each) => `${namespaceOf(object)}/${each}`),
    ),
  );
  const pods = snapshot.objects('pods').filter((pod) => uids.has(workloadUidOf(pod, owners) ?? ''));
  const nodes = new Set(pods.map((pod) => textAt(pod, 'spec', 'nodeName')));
  return {
    workloads,
    is: (kind, namespace, of) =>
      workloads.some(
        (each) => each.kind === kind && namespaceOf(each.object) === namespace && nameOf(each.object) === of,
      ),
    reads: (kind, namespace, of) => configs.has(`${namespace}/${kind}/${of}`),
    usesNode: (node) => nodes.has(node),
    hasMark: (mark, value) =>
      workloads.some(({ object }) => (labelOf(object, mark) ?? annotationOf(object, mark)) === value),
  };
}

function findWorkloads(snapshot: Snapshot, text: string, owners: ReadonlyMap<string, string>): Workload[] {
  const slash = text.lastIndexOf('/');
  const kind = KIND_NAMES[text.slice(0, Math.max(0, slash)).toLowerCase()] ?? null;
  const name = text.slice(slash + 1);
  const all = workloadsOf(snapshot);
  const named = all.filter((each) => nameOf(each.object) === name && (kind === null || each.kind === kind));
  if (named.length > 0) return named;
  const pods = snapshot.objects('pods').filter((pod) => nameOf(pod) === name);
  const uids = new Set(pods.map((pod) => workloadUidOf(pod, owners)));
  return all.filter(({ object }) => uids.has(textAt(object, 'metadata', 'uid')));
}
