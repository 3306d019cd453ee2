import {
  annotationOf,
  controllerOf,
  createdAt,
  type KubeObject,
  managedWrites,
  nameOf,
  namespaceOf,
  numberAt,
  objectsAt,
  textAt,
  timeAt,
  valueAt,
} from './kubernetes/fields.ts';
import type { Snapshot } from './kubernetes/snapshot.ts';
import type { Workload } from './target.ts';
import { cleanTemplate } from './templates.ts';

/** A time at which a workload got a pod template: a new one, or an earlier one again. */
export interface Revision {
  /** Number that Kubernetes gave; of an earlier use of a template, the number it had then if it is still known. */
  number: number;
  /** Name of the ReplicaSet or ControllerRevision. */
  name: string;
  /** `null` if Kubernetes no longer tells. */
  time: number | null;
  template: KubeObject;
  /** True if the workload had this template before, so that this is a rollback. */
  isReturn: boolean;
  /** The reason that a person wrote into `kubernetes.io/change-cause`; `null` if there is none. */
  cause: string | null;
}

const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';
const CAUSE = 'kubernetes.io/change-cause';

/** Managers inside Kubernetes that update a workload without being the origin of a change. */
const CONTROLLERS = /^(?:kube-controller-manager|deployment-controller|horizontal-pod-autoscaler|kubelet)$/;

/** Returns the revisions of a workload that Kubernetes still keeps, oldest first. */
export function revisionsOf(workload: Workload, snapshot: Snapshot): Revision[] {
  const uid = textAt(workload.object, 'metadata', 'uid');
  const isOwn = (object: KubeObject) => uid !== null && controllerOf(object)?.uid === uid;
  const kept =
    workload.kind === 'deployment'
      ? snapshot.objects('replicaSets').filter(isOwn).map(ofReplicaSet)
      : snapshot.objects('controllerRevisions').filter(isOwn).map(ofControllerRevision);
  const known = kept.filter(({ number }) => Number.isFinite(number)).sort((a, b) => a.number - b.number);
  return known
    .flatMap((each, at) => usesOf(each, known.slice(0, at), workload, snapshot))
    .sort((a, b) => a.number - b.number);
}

interface Kept {
  number: number;
  former: readonly number[];
  name: string;
  created: number | null;
  template: unknown;
  cause: string | null;
}

function ofReplicaSet(object: KubeObject): Kept {
  return {
    number: Number(annotationOf(object, REVISION) ?? Number.NaN),
    former: (annotationOf(object, HISTORY) ?? '')
      .split(',')
      .filter((each) => each !== '')
      .map(Number)
      .filter(Number.isFinite),
    name: nameOf(object),
    created: createdAt(object),
    template: valueAt(object, 'spec', 'template'),
    cause: annotationOf(object, CAUSE),
  };
}

function ofControllerRevision(object: KubeObject): Kept {
  return {
    number: numberAt(object, 'revision') ?? Number.NaN,
    former: [],
    name: nameOf(object),
    created: createdAt(object),
    template: valueAt(object, 'data', 'spec', 'template'),
    cause: annotationOf(object, CAUSE),
  };
}

/**
 * Returns the uses of a kept template. A rollback reuses the object of the earlier revision and gives it a new number,
 * so that its creation is the time of its first use only.
 */
function usesOf(kept: Kept, lower: readonly Kept[], workload: Workload, snapshot: Snapshot): Revision[] {
  const { number, former, name, created, cause } = kept;
  const template = cleanTemplate(kept.template);
  const newerOnes = lower.filter(
    (other) => other.created !== null && created !== null && other.created > created,
  );
  if (former.length === 0 && newerOnes.length === 0)
    return [{ number, name, time: created, template, isReturn: false, cause }];
  // ControllerRevisions do not record former numbers: the first use was before the lowest newer number.
  const first =
    former.length > 0 ? Math.min(...former) : Math.min(...newerOnes.map((each) => each.number)) - 0.5;
  const after = Math.max(created ?? 0, ...lower.map((each) => each.created ?? 0));
  return [
    { number: first, name, time: created, template, isReturn: false, cause: null },
    { number, name, time: returnTime({ name, after }, workload, snapshot), template, isReturn: true, cause },
  ];
}

/** Returns when a template came back: by the event of its ReplicaSet, else by the last write to the workload. */
function returnTime(
  { name, after }: { name: string; after: number },
  workload: Workload,
  snapshot: Snapshot,
): number | null {
  const scaledUp = snapshot
    .objects('events')
    .filter(
      (event) =>
        textAt(event, 'reason') === 'ScalingReplicaSet' &&
        textAt(event, 'involvedObject', 'name') === nameOf(workload.object) &&
        textAt(event, 'involvedObject', 'namespace') === namespaceOf(workload.object) &&
        (textAt(event, 'message') ?? '').startsWith(`Scaled up replica set ${name} `),
    )
    .map((event) => timeAt(event, 'firstTimestamp') ?? timeAt(event, 'eventTime'))
    .filter((time) => time !== null && time > after);
  if (scaledUp.length > 0) return Math.min(...scaledUp.filter((time) => time !== null));
  const written = templateWrites(workload.object).filter(({ time }) => time > after);
  const progress = objectsAt(workload.object, 'status', 'conditions')
    .filter((condition) => textAt(condition, 'type') === 'Progressing')
    .map((condition) => timeAt(condition, 'lastUpdateTime'))
    .find((time) => time !== null && time > after);
  return written.at(-1)?.time ?? progress ?? null;
}

/** Returns the recorded writes of managers that own the pod template, without Kubernetes' own controllers. */
function templateWrites(object: KubeObject) {
  return managedWrites(object).filter(
    ({ manager, subresource, fields }) =>
      subresource === null &&
      !CONTROLLERS.test(manager) &&
      valueAt(fields, 'f:spec', 'f:template') !== undefined,
  );
}

/** Time between a write and the revision that follows from it (ms); a manager's later writes hide earlier ones. */
const FOLLOWS_WITHIN_MS = 30_000;

/** Returns the manager whose write led to a revision; `null` if later writes hid it. */
export function authorOf(object: KubeObject, time: number): string | null {
  const writes = templateWrites(object).filter(
    (write) => write.time <= time + 1000 && time - write.time <= FOLLOWS_WITHIN_MS,
  );
  return writes.at(-1)?.manager ?? null;
}
