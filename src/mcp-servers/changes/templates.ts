import { type KubeObject, objectsAt, textAt, valueAt } from './kubernetes/fields.ts';

/** Fields that Kubernetes itself writes into pod templates; they differ between all revisions. */
const GENERATED_LABELS = ['pod-template-hash', 'controller-revision-hash', 'pod-template-generation'];
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** Returns a pod template without the labels that Kubernetes generates for each revision. */
export function cleanTemplate(template: unknown): KubeObject {
  const copy = structuredClone(template ?? {}) as Record<string, unknown>;
  const labels = valueAt(copy, 'metadata', 'labels');
  if (typeof labels === 'object' && labels !== null)
    for (const label of GENERATED_LABELS) delete (labels as Record<string, unknown>)[label];
  const metadata = valueAt(copy, 'metadata') as Record<string, unknown> | undefined;
  if (metadata) delete metadata.creationTimestamp;
  return copy;
}

/** Maximum number of differing fields that are collected. */
export const MAX_PATHS = 200;

/**
 * Returns the paths of the fields that differ, such as `spec.containers[app].image`. Entries of lists are matched by
 * their `name`, so that an inserted entry does not change the others.
 */
export function changedPaths(before: unknown, after: unknown): string[] {
  const paths: string[] = [];
  compare(before, after, '', paths);
  return paths;
}

function compare(before: unknown, after: unknown, path: string, paths: string[]): void {
  if (paths.length >= MAX_PATHS || Object.is(before, after)) return;
  const [left, right] = [
    entriesOf(before === undefined && Array.isArray(after) ? [] : before),
    entriesOf(after === undefined && Array.isArray(before) ? [] : after),
  ];
  if (left === null || right === null) {
    if (JSON.stringify(before) !== JSON.stringify(after)) paths.push(path || '(all)');
    return;
  }
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const step = key.startsWith('[') ? `${path}${key}` : `${path === '' ? '' : `${path}.`}${key}`;
    compare(left.get(key), right.get(key), step, paths);
  }
}

/** Returns the fields of an object, or of a list whose entries are objects; `null` for other values. */
function entriesOf(value: unknown): Map<string, unknown> | null {
  if (Array.isArray(value)) {
    if (value.some((entry) => typeof entry !== 'object' || entry === null)) return null;
    return new Map(value.map((entry, at) => [`[${keyOf(entry) ?? at}]`, entry]));
  }
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
}

const keyOf = (entry: unknown): string | null =>
  textAt(entry, 'name') ?? textAt(entry, 'configMapRef', 'name') ?? textAt(entry, 'secretRef', 'name');

/** Returns all containers of a pod template or pod, with init containers. */
function containersOf(podOrTemplate: unknown): KubeObject[] {
  return ['initContainers', 'containers'].flatMap((list) => objectsAt(podOrTemplate, 'spec', list));
}

/** Maximum number of differences named in a summary. */
const MAX_NAMED = 4;

/** Summarises the differences of two pod templates in one line, without values of environment variables. */
export function summarizeTemplates(before: KubeObject, after: KubeObject): string {
  const images = new Map(containersOf(before).map((each) => [textAt(each, 'name'), textAt(each, 'image')]));
  const differences = new Set<string>();
  for (const container of containersOf(after)) {
    const [name, image] = [textAt(container, 'name'), textAt(container, 'image')];
    const old = images.get(name);
    if (old !== image)
      differences.add(old ? `image of ${name}: ${old} → ${image}` : `new container ${name}: ${image}`);
  }
  const paths = changedPaths(before, after);
  for (const path of paths) {
    if (path.includes(RESTARTED_AT)) differences.add('restart requested (restartedAt)');
    else if (!path.endsWith('.image')) differences.add(fieldOf(path));
  }
  if (differences.size === 0) return 'same pod template';
  const named = [...differences].slice(0, MAX_NAMED);
  const more = differences.size - named.length;
  return `${named.join('; ')}${more > 0 ? `; ${more} more` : ''}`;
}

/** Shortens a path to what a reader looks for: `env LOG_LEVEL of app`, `resources of app`, `spec.volumes`. */
function fieldOf(path: string): string {
  const inContainer = /^spec\.(?:initContainers|containers)\[([^\]]+)\](?:\.([^.[]+)(?:\[([^\]]+)\])?)?/.exec(
    path,
  );
  if (inContainer) {
    const [, container, field, entry] = inContainer;
    return field === undefined
      ? `container ${container}`
      : `${field}${entry ? ` ${entry}` : ''} of ${container}`;
  }
  return path.split('.').slice(0, 3).join('.');
}

/** Returns the ConfigMaps and Secrets that a pod template reads, as `ConfigMap/name` and `Secret/name`. */
export function configsOf(template: unknown): string[] {
  const found: (string | null)[] = [];
  const add = (kind: string, name: string | null) => found.push(name === null ? null : `${kind}/${name}`);
  for (const container of containersOf(template)) {
    for (const from of objectsAt(container, 'envFrom')) {
      add('ConfigMap', textAt(from, 'configMapRef', 'name'));
      add('Secret', textAt(from, 'secretRef', 'name'));
    }
    for (const variable of objectsAt(container, 'env')) {
      add('ConfigMap', textAt(variable, 'valueFrom', 'configMapKeyRef', 'name'));
      add('Secret', textAt(variable, 'valueFrom', 'secretKeyRef', 'name'));
    }
  }
  for (const volume of objectsAt(template, 'spec', 'volumes')) {
    for (const source of [volume, ...objectsAt(volume, 'projected', 'sources')]) {
      add('ConfigMap', textAt(source, 'configMap', 'name'));
      add('Secret', textAt(source, 'secret', 'secretName') ?? textAt(source, 'secret', 'name'));
    }
  }
  return [...new Set(found.filter((each) => each !== null))];
}
