import { runBounded } from '../../../common/run-bounded.ts';
import { ApiError, describe, type KubernetesApi, type Listing } from './api.ts';
import { type KubeObject, objectsAt, textAt } from './fields.ts';
import { pathOf, RESOURCES, type Resource, type ResourceName } from './resources.ts';

/** The objects of a cluster or of one namespace, as far as they could be read. */
export interface Snapshot {
  /** Objects of a kind; empty if they could not be read. */
  objects(name: ResourceName): readonly KubeObject[];
  /** Objects that could not be read, one sentence for each kind. */
  problems: readonly string[];
  /** Products whose custom resources the cluster does not have. */
  absent: readonly string[];
  /** False if no kind at all could be read. */
  isReadable: boolean;
}

export interface Scope {
  api: KubernetesApi;
  /** `null` for all namespaces. */
  namespace: string | null;
  signal: AbortSignal;
}

const CONCURRENT_LISTS = 6;

/** Lists the named kinds at the same time. Kinds that cannot be read become problems, not errors. */
export async function readSnapshot(scope: Scope, names: readonly ResourceName[]): Promise<Snapshot> {
  const groups = await readGroups(scope);
  if (groups instanceof ApiError && groups.status === null)
    return { objects: () => [], problems: [`the cluster: ${groups.message}`], absent: [], isReadable: false };
  const lists = new Map<ResourceName, readonly KubeObject[]>();
  const problems: string[] = [];
  const absent = new Set<string>();
  let isReadable = false;
  await runBounded(names, CONCURRENT_LISTS, async (name) => {
    const resource: Resource = RESOURCES[name];
    const version = versionOf(resource, groups);
    const listing = version === null ? NONE : await readList(scope, resource, version);
    if (resource.product && (version === null || listing.status === 404))
      return void absent.add(resource.product);
    lists.set(name, listing.items);
    isReadable ||= listing.problem === null || listing.items.length > 0;
    if (listing.problem !== null) problems.push(`${resource.plural}: ${listing.problem}`);
  });
  return { objects: (name) => lists.get(name) ?? [], problems, absent: [...absent].sort(), isReadable };
}

/** Events that are recorded in another namespace than the objects of the scope. */
export interface ElsewhereEvents {
  namespace: string;
  /** Kind of the objects that the events are about. */
  kind: string;
}

/** Adds events of other namespaces to a snapshot of one namespace. */
export async function addEvents(
  snapshot: Snapshot,
  scope: Scope,
  places: readonly ElsewhereEvents[],
): Promise<Snapshot> {
  const listings = await runBounded(places, CONCURRENT_LISTS, ({ namespace, kind }) =>
    scope.api.list(pathOf(RESOURCES.events, 'v1', namespace), {
      fieldSelector: `involvedObject.kind=${kind}`,
      signal: scope.signal,
    }),
  );
  const problems = listings.flatMap(({ problem }, at) =>
    problem === null ? [] : [`events about ${places[at]!.kind}s in ${places[at]!.namespace}: ${problem}`],
  );
  const events = [...snapshot.objects('events'), ...listings.flatMap(({ items }) => items)];
  return {
    ...snapshot,
    objects: (name) => (name === 'events' ? events : snapshot.objects(name)),
    problems: [...snapshot.problems, ...problems],
  };
}

const NONE: Listing = { items: [], problem: null, status: null };

async function readList(scope: Scope, resource: Resource, version: string): Promise<Listing> {
  const options = { metadataOnly: resource.metadataOnly ?? false, signal: scope.signal };
  if (!resource.wide || scope.namespace === null)
    return scope.api.list(pathOf(resource, version, resource.wide ? null : scope.namespace), options);
  const all = await scope.api.list(pathOf(resource, version, null), options);
  if (all.status !== 403 || resource.group === '') return all;
  // A service account that may not list the whole cluster often may list one namespace.
  const own = await scope.api.list(pathOf(resource, version, scope.namespace), options);
  return { ...own, problem: own.problem ?? `outside ${scope.namespace}: ${all.problem}` };
}

/** Reads one object completely. @throws ApiError */
export async function readObject(
  scope: Pick<Scope, 'api' | 'signal'>,
  name: ResourceName,
  object: { namespace: string | null; name: string },
): Promise<KubeObject> {
  const resource: Resource = RESOURCES[name];
  const path = pathOf(resource, resource.version, object.namespace);
  return scope.api.get(`${path}/${encodeURIComponent(object.name)}`, scope.signal);
}

/** Maps API groups to their preferred version; an error if the server does not tell them. */
async function readGroups({ api, signal }: Scope): Promise<ReadonlyMap<string, string> | ApiError> {
  try {
    const groups = objectsAt(await api.get('/apis', signal), 'groups');
    return new Map(
      groups.map((group) => [
        textAt(group, 'name') ?? '',
        textAt(group, 'preferredVersion', 'version') ?? '',
      ]),
    );
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Returns the version to ask for; `null` if the cluster does not have the product's group. */
function versionOf(resource: Resource, groups: ReadonlyMap<string, string> | ApiError): string | null {
  if (!resource.product || groups instanceof ApiError) return resource.version;
  return groups.get(resource.group) || null;
}

/** Returns why an object could not be read, for the model. */
export function problemOf(error: unknown): string {
  if (error instanceof ApiError) return describe(error);
  throw error;
}
