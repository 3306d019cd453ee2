import { brandWithType } from '@pothos/core';
import type DataLoader from 'dataloader';
import { mayLookInto } from './access-plugin.ts';
import { isNodeType, type NodeType } from './access-rules.ts';
import type { Context, Loaders } from './context.ts';
import { badUserInput } from './errors.ts';
import { isUuid } from './ids.ts';
import { inlineMessage, parseInlineKey } from './inline-messages.ts';

/** Largest number of ids in one `nodes` query, to bound its work. */
const MAX_NODES = 100;

interface NodeKey {
  typename: string;
  id: unknown;
}

/** Node types that loaders read. The other one depends on the viewer's name, which loaders do not know. */
export type LoadedType = Exclude<NodeType, 'SavedView'>;

/** Returns the loader of a node type. Loaders are named like their types, such as `alertGroup`. */
export function loaderOf(type: LoadedType, loaders: Loaders): DataLoader<string, object | null> {
  const name = `${type[0]!.toLowerCase()}${type.slice(1)}` as Uncapitalize<LoadedType>;
  return loaders[name] as DataLoader<string, object | null>;
}

/** Returns the object with a global id, marked with its type for the Node interface; `null` if there is none. */
export async function loadNode(
  { typename, id }: NodeKey,
  { loaders, viewer, savedViews }: Context,
): Promise<object | null> {
  if (!mayLookInto(viewer, typename)) return null; // same result as for a missing object
  const key = String(id);
  if (typename === 'SavedView') {
    const view = isUuid(key) ? await savedViews.find(key, viewer) : null;
    if (view) brandWithType(view, typename as never);
    return view;
  }
  const row =
    typename === 'Message' && !isUuid(key)
      ? await inlineNode(key, loaders)
      : await load(typename, key, loaders);
  if (row) brandWithType(row, typename as never);
  return row;
}

export function loadNodes(keys: readonly NodeKey[], context: Context): Promise<(object | null)[]> {
  if (keys.length > MAX_NODES)
    throw badUserInput(`At most ${MAX_NODES} ids in one request; ${keys.length} were given.`);
  return Promise.all(keys.map((key) => loadNode(key, context)));
}

async function load(typename: string, key: string, loaders: Loaders): Promise<object | null> {
  return isUuid(key) && isNodeType(typename) && typename !== 'SavedView'
    ? loaderOf(typename, loaders).load(key)
    : null;
}

async function inlineNode(key: string, loaders: Loaders): Promise<object | null> {
  const place = parseInlineKey(key);
  if (!place || !(await load('LlmInteraction', place.interactionId, loaders))) return null;
  return inlineMessage(place, loaders);
}
