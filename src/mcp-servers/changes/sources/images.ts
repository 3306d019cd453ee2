import { type Change, changeId, isWithin, type Window } from '../change.ts';
import {
  createdAt,
  type KubeObject,
  nameOf,
  namespaceOf,
  numberAt,
  objectsAt,
  textAt,
  timeAt,
} from '../kubernetes/fields.ts';
import type { Snapshot } from '../kubernetes/snapshot.ts';
import {
  describeWorkload,
  replicaSetOwners,
  type Target,
  type Workload,
  workloadsOf,
  workloadUidOf,
} from '../target.ts';

/** A container that runs, with the digest that its image tag meant when it started. */
export interface RunningImage {
  pod: string;
  container: string;
  /** The image as the template names it, such as `shop/checkout:1.4`. */
  image: string;
  digest: string;
  started: number;
}

/** An image whose tag means another digest than for the containers that started earlier. */
export interface MovedImage {
  container: string;
  image: string;
  digest: string;
  time: number;
  before: readonly RunningImage[];
  after: readonly RunningImage[];
}

/** Returns the images that moved under their tag: old and new pods of a workload run different digests of it. */
export function findMovedImages(snapshot: Snapshot, window: Window, target: Target): Change[] {
  return workloadsOf(snapshot).flatMap((workload) => {
    const [namespace, name] = [namespaceOf(workload.object), nameOf(workload.object)];
    return movedImagesOf(workload, snapshot)
      .filter(({ time }) => isWithin(time, window))
      .map(
        ({ container, image, digest, time, before, after }): Change => ({
          id: changeId('image', namespace, workload.kind, name, container, shortDigest(digest)),
          time,
          kind: 'image',
          object: describeWorkload(workload),
          summary: `image moved under its tag: ${container} ${image} is ${shortDigest(digest)} in ${after.length} newer pods, and ${shortDigest(before[0]!.digest)} in ${before.length} older ones`,
          by: null,
          nearness: target.is(workload.kind, namespace, name) ? 'own' : 'other',
        }),
      );
  });
}

/** Returns the first 12 digits of a digest. */
export const shortDigest = (digest: string): string => digest.replace(/^sha256:/, '').slice(0, 12);

export function movedImagesOf(workload: Workload, snapshot: Snapshot): MovedImage[] {
  const owners = replicaSetOwners(snapshot);
  const uid = textAt(workload.object, 'metadata', 'uid');
  const running = snapshot
    .objects('pods')
    .filter((pod) => uid !== null && workloadUidOf(pod, owners) === uid)
    .flatMap(imagesOf)
    .sort((a, b) => a.started - b.started);
  const groups = Map.groupBy(running, ({ container, image }) => `${container} ${image}`);
  return [...groups.values()].flatMap((group) => {
    const digests = [...Map.groupBy(group, ({ digest }) => digest).values()];
    return digests.slice(1).map((after, at) => ({
      container: after[0]!.container,
      image: after[0]!.image,
      digest: after[0]!.digest,
      time: after[0]!.started,
      before: digests[at]!,
      after,
    }));
  });
}

function imagesOf(pod: KubeObject): RunningImage[] {
  return objectsAt(pod, 'status', 'containerStatuses').flatMap((status) => {
    const container = textAt(status, 'name');
    const spec = objectsAt(pod, 'spec', 'containers').find((each) => textAt(each, 'name') === container);
    const image = textAt(spec, 'image');
    const digest = /sha256:[0-9a-f]{64}$/.exec(textAt(status, 'imageID') ?? '')?.[0];
    const started = startOf(pod, status);
    if (container === null || image === null || digest === undefined || started === null) return [];
    // An image that the template names by its digest cannot move.
    return image.includes('@') ? [] : [{ pod: nameOf(pod), container, image, digest, started }];
  });
}

/** Returns when a container first started with its image: a restart may have pulled another one. */
function startOf(pod: KubeObject, status: KubeObject): number | null {
  const podStart = timeAt(pod, 'status', 'startTime') ?? createdAt(pod);
  if ((numberAt(status, 'restartCount') ?? 0) === 0)
    return timeAt(status, 'state', 'running', 'startedAt') ?? podStart;
  return podStart;
}
