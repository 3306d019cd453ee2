import SchemaBuilder, { type ObjectFieldsShape, type ObjectRef } from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { type AuthScopes, scopesOf } from './access-plugin.ts';
import type { Context } from './context.ts';
import { decodeGlobalId, encodeGlobalId } from './ids.ts';
import { loadNode, loadNodes } from './nodes.ts';

export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  AuthScopes: AuthScopes;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
    Long: { Input: number; Output: number };
  };
}>({
  plugins: ['accessRules', ScopeAuthPlugin, RelayPlugin],
  scopeAuth: { authScopes: ({ viewer }) => scopesOf(viewer), authorizeOnSubscribe: true },
  defaultFieldNullability: false,
  relay: {
    idFieldOptions: { description: 'Stable while the object exists.' },
    encodeGlobalID: (type, id) => encodeGlobalId(type, String(id)),
    // An invalid id becomes an empty type and key, for which `node` and `nodes` return null.
    decodeGlobalID: (id) => {
      const ref = decodeGlobalId(id);
      return { typename: ref?.type ?? '', id: ref?.id ?? '' };
    },
    nodeTypeOptions: { description: 'An object with a global id that is stable while the object exists.' },
    nodeQueryOptions: {
      description: 'The object with this global id; null if there is none.',
      args: { id: { description: 'A global id, as returned by any object.' } },
      resolve: (_root, { id }, context) => loadNode(id, context),
    },
    nodesQueryOptions: {
      description:
        'The objects with these global ids (at most 100), in the same order; null where there is none.',
      args: { ids: { description: 'Global ids, at most 100.' } },
      resolve: (_root, { ids }, context) => loadNodes(ids, context),
    },
  },
});

export type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

export function objectType<Row>(name: string, description: string, fields: ObjectFieldsShape<Types, Row>) {
  return builder.objectRef<Row>(name).implement({ description, fields });
}

/** Defines the fields of an object type whose global id comes from `id`. */
export function nodeType<Row extends { id: string }>(
  ref: ObjectRef<Types, Row>,
  description: string,
  fields: ObjectFieldsShape<Types, Row>,
) {
  return builder.node(ref, { description, id: { resolve: ({ id }) => id }, fields });
}

builder.queryType({ description: 'Read operations.' });
builder.mutationType({
  description: 'Actions. Each returns a union of its success and the errors that refuse it.',
});
builder.subscriptionType({ description: 'Live updates over WebSocket or server-sent events.' });
