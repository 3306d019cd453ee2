import { formatTime } from '../change.ts';
import { diffTexts, yamlOf } from '../diff.ts';
import {
  createdAt,
  type KubeObject,
  managedWrites,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../kubernetes/fields.ts';
import { RESOURCES, type ResourceName } from '../kubernetes/resources.ts';
import { readObject, readSnapshot } from '../kubernetes/snapshot.ts';
import { keysOf, RECORDED } from '../sources/objects.ts';
import { eventTimes } from '../sources/scaling.ts';
import { WORKLOADS } from '../target.ts';
import { goneFailure, type ShowContext } from './context.ts';

const NO_EARLIER =
  'Kubernetes keeps no earlier content of this object, so the exact difference is not known.';
const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const SHOWN: readonly ResourceName[] = [...RECORDED, ...Object.values(WORKLOADS)];

/** Shows who wrote an object when, and its present content; of a Secret only its name and version. */
export async function showObject(context: ShowContext, parts: readonly string[]): Promise<string> {
  const [namespace, kind, name, seconds] = parts as [string, string, string, string];
  const list = SHOWN.find((each) => RESOURCES[each].kind === kind);
  if (list === undefined) throw goneFailure(`${kind} ${namespace}/${name}`);
  if (list === 'secrets') return showSecret(context, { namespace, name });
  const object = await readObject(context, list, { namespace, name });
  const time = Number(seconds) * 1000;
  return [
    `${kind} ${namespace}/${name}, changed at ${formatTime(time)}.`,
    ...writeLines(object),
    NO_EARLIER,
    ...appliedDifference(object),
    'Present content:',
    yamlOf(contentOf(object)),
  ].join('\n');
}

/** Shows a Secret from the list of metadata, so that its values are not even transferred. */
async function showSecret(context: ShowContext, place: { namespace: string; name: string }): Promise<string> {
  const scope = { api: context.api, namespace: place.namespace, signal: context.signal };
  const snapshot = await readSnapshot(scope, ['secrets']);
  const secret = snapshot.objects('secrets').find((each) => textAt(each, 'metadata', 'name') === place.name);
  if (secret === undefined) throw goneFailure(`Secret ${place.namespace}/${place.name}`);
  return [
    `Secret ${place.namespace}/${place.name}, resourceVersion ${textAt(secret, 'metadata', 'resourceVersion')}.`,
    ...writeLines(secret),
    'The content of Secrets is never read.',
  ].join('\n');
}

function writeLines(object: KubeObject): string[] {
  const created = createdAt(object);
  const isSecret = textAt(object, 'kind') === 'PartialObjectMetadata';
  const writes = managedWrites(object).map(({ manager, time, subresource, fields }) => {
    const keys = isSecret ? [] : keysOf(fields);
    return `- last written by ${manager} at ${formatTime(time)}${subresource === null ? '' : ` (${subresource})`}${keys.length === 0 ? '' : `: ${keys.join(', ')}`}`;
  });
  return [...(created === null ? [] : [`Created at ${formatTime(created)}.`]), ...writes];
}

/** Compares the content with what was last applied from a file: a later edit by hand shows up. */
function appliedDifference(object: KubeObject): string[] {
  const applied = textAt(object, 'metadata', 'annotations', APPLIED);
  if (applied === null) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(applied);
  } catch {
    return [];
  }
  const data = valueAt(parsed, 'data');
  if (data === undefined || valueAt(object, 'data') === undefined) return [];
  const versions = {
    beforeName: 'last applied file',
    before: yamlOf(data),
    afterName: 'present',
    after: yamlOf(valueAt(object, 'data')),
  };
  return versions.before === versions.after
    ? []
    : ['Difference to the file that was applied last:', diffTexts(versions)];
}

function contentOf(object: KubeObject): KubeObject {
  const { metadata: _metadata, status: _status, ...content } = object;
  return content;
}

/** Shows an event with its times and reporter. */
export async function showEvent(context: ShowContext, parts: readonly string[]): Promise<string> {
  const [namespace, name] = parts as [string, string];
  const event = await readObject(context, 'events', { namespace, name });
  const about = objectAt(event, 'involvedObject');
  const times = eventTimes(event);
  return [
    `${textAt(event, 'reason')} about ${textAt(about, 'kind')} ${textAt(about, 'namespace') ?? ''}/${textAt(about, 'name')}`,
    ...(times === null
      ? []
      : [
          `First ${formatTime(times.first)}, last ${formatTime(times.last)}, ${String(valueAt(event, 'count') ?? 1)} times`,
        ]),
    `Reported by ${textAt(event, 'source', 'component') ?? textAt(event, 'reportingComponent') ?? 'unknown'}`,
    textAt(event, 'message') ?? '',
  ].join('\n');
}

/** Shows the present state of a node. */
export async function showNode(context: ShowContext, parts: readonly string[]): Promise<string> {
  const [name] = parts as [string];
  const node = await readObject(context, 'nodes', { namespace: null, name });
  const created = createdAt(node);
  return [
    `Node ${name}${created === null ? '' : `, joined at ${formatTime(created)}`}. Present state:`,
    yamlOf({
      unschedulable: valueAt(node, 'spec', 'unschedulable') === true,
      taints: objectsAt(node, 'spec', 'taints'),
      conditions: objectsAt(node, 'status', 'conditions'),
      nodeInfo: objectAt(node, 'status', 'nodeInfo'),
    }),
  ].join('\n');
}
