import { formatTime } from '../change.ts';
import { diffObjects, diffTexts, yamlOf } from '../diff.ts';
import { type KubeObject, nameOf, namespaceOf, objectAt } from '../kubernetes/fields.ts';
import { problemOf, readObject, readSnapshot, type Snapshot } from '../kubernetes/snapshot.ts';
import { authorOf, type Revision } from '../revisions.ts';
import { type MovedImage, movedImagesOf, shortDigest } from '../sources/images.ts';
import { findRevision, revisionLabel } from '../sources/rollouts.ts';
import { describeWorkload, WORKLOADS, type Workload, type WorkloadKind } from '../target.ts';
import { configsOf } from '../templates.ts';
import { goneFailure, type ShowContext } from './context.ts';

/** Shows the difference between the pod templates of a revision and the one before. */
export async function showRollout(context: ShowContext, parts: readonly string[]): Promise<string> {
  const [namespace, kind, name, number] = parts as [string, string, string, string];
  const { workload, snapshot } = await readWorkload(context, { namespace, kind, name });
  const found = findRevision(workload, snapshot, Number(number));
  if (found === null) throw goneFailure(`revision ${number} of ${kind} ${namespace}/${name}`);
  const { revision, previous } = found;
  const title = `Rollout of ${describeWorkload(workload)}: ${previous === null ? '' : `${revisionLabel(previous)} → `}${revisionLabel(revision)} (${revision.name})`;
  const { time } = revision;
  const by = time === null ? null : authorOf(workload.object, time);
  return [
    `${title}${time === null ? '' : ` at ${formatTime(time)}`}${by === null ? '' : `, by ${by}`}.`,
    ...(revision.isReturn ? ['The workload went back to a template that it had before.'] : []),
    previous === null
      ? `The previous revision is not kept. Pod template of this one:\n${yamlOf(revision.template)}`
      : diffObjects({
          beforeName: revisionLabel(previous),
          before: previous.template,
          afterName: revisionLabel(revision),
          after: revision.template,
        }),
    ...(previous === null ? [] : await replacedConfigMaps(context, namespace, [previous, revision])),
  ].join('\n');
}

/** Returns the diffs of ConfigMaps that a rollout replaced by others of the same stem, as generated names do. */
async function replacedConfigMaps(
  context: ShowContext,
  namespace: string,
  [previous, revision]: readonly [Revision, Revision],
): Promise<string[]> {
  const of = ({ template }: Revision) =>
    configsOf(template)
      .filter((each) => each.startsWith('ConfigMap/'))
      .map((each) => each.slice('ConfigMap/'.length));
  const [before, after] = [of(previous), of(revision)];
  const stem = (name: string) => name.replace(/-[^-]*$/, '');
  const pairs = before
    .filter((name) => !after.includes(name))
    .flatMap((name) => {
      const next = after.find((other) => !before.includes(other) && stem(other) === stem(name));
      return next === undefined ? [] : [[name, next] as const];
    });
  const dataOf = async (name: string) => {
    const object = await readObject(context, 'configMaps', { namespace, name });
    return yamlOf(objectAt(object, 'data'));
  };
  return Promise.all(
    pairs.map(async ([old, next]) => {
      try {
        const [left, right] = await Promise.all([dataOf(old), dataOf(next)]);
        return `ConfigMap ${old} was replaced by ${next}:\n${diffTexts({ beforeName: old, before: left, afterName: next, after: right })}`;
      } catch (error) {
        return `ConfigMap ${old} was replaced by ${next}; they could not be compared (${problemOf(error)}).`;
      }
    }),
  );
}

/** Maximum number of pods that are listed for each digest. */
const MAX_PODS = 10;

/** Shows which pods run which digest of an image. */
export async function showImage(context: ShowContext, parts: readonly string[]): Promise<string> {
  const [namespace, kind, name, container, digest] = parts as [string, string, string, string, string];
  const { workload, snapshot } = await readWorkload(context, { namespace, kind, name }, ['pods']);
  const moved = movedImagesOf(workload, snapshot).find(
    (each) => each.container === container && shortDigest(each.digest) === digest,
  );
  if (!moved) throw goneFailure(`the image ${digest} of ${kind} ${namespace}/${name}`);
  return [
    `${describeWorkload(workload)}: the tag of ${moved.image} (container ${container}) meant another image from ${formatTime(moved.time)} on.`,
    'The pod template names the same image before and after, so no rollout shows it.',
    ...podLines('before', moved.before),
    ...podLines('after', moved.after),
  ].join('\n');
}

function podLines(label: string, images: MovedImage['before']): string[] {
  const lines = images
    .slice(0, MAX_PODS)
    .map(({ pod, started }) => `  ${pod}, started ${formatTime(started)}`);
  const more = images.length - lines.length;
  return [`${label}: ${images[0]!.digest}`, ...lines, ...(more > 0 ? [`  and ${more} more pods`] : [])];
}

interface WorkloadPlace {
  namespace: string;
  kind: string;
  name: string;
}

/** Reads a workload and its revisions. @throws ApiError or ToolFailure */
async function readWorkload(
  context: ShowContext,
  { namespace, kind, name }: WorkloadPlace,
  more: readonly 'pods'[] = [],
): Promise<{ workload: Workload; snapshot: Snapshot }> {
  if (!Object.hasOwn(WORKLOADS, kind)) throw goneFailure(`${kind} ${namespace}/${name}`);
  const workloadKind = kind as WorkloadKind;
  const object: KubeObject = await readObject(context, WORKLOADS[workloadKind], { namespace, name });
  const revisions = workloadKind === 'deployment' ? 'replicaSets' : 'controllerRevisions';
  const scope = { api: context.api, namespace, signal: context.signal };
  const snapshot = await readSnapshot(scope, [revisions, 'events', ...more]);
  if (nameOf(object) !== name || namespaceOf(object) !== namespace)
    throw goneFailure(`${kind} ${namespace}/${name}`);
  return { workload: { kind: workloadKind, object }, snapshot };
}
