import { useMemo } from 'react';
import type { AuditTargetNamesQuery } from '../../graphql/gen/documents.ts';
import { AuditTargetNamesDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';

/** Maximum number of ids in one `nodes` query. */
const MAX_IDS = 100;
/** Length of a shown name (characters). */
const MAX_NAME = 80;

type Node = NonNullable<AuditTargetNamesQuery['nodes'][number]>;

/** Returns the names of objects by global id: titles, names and comments. Deleted objects have none. */
export function useTargetNames(ids: readonly (string | null)[]): ReadonlyMap<string, string> {
  const wanted = [...new Set(ids.filter((id) => id !== null))].slice(0, MAX_IDS);
  const [{ data }] = useQuery({
    query: AuditTargetNamesDocument,
    variables: { ids: wanted },
    pause: wanted.length === 0,
  });
  return useMemo(
    () =>
      new Map(
        (data?.nodes ?? []).flatMap((node) => {
          const name = node === null ? undefined : nameOf(node);
          return node === null || name === undefined ? [] : [[node.id, name]];
        }),
      ),
    [data],
  );
}

function nameOf(node: Node): string | undefined {
  const name =
    'title' in node
      ? node.title
      : 'groupTitle' in node
        ? node.groupTitle
        : 'name' in node
          ? node.name
          : 'comment' in node
            ? node.comment
            : 'content' in node
              ? node.content
              : 'tool' in node
                ? `${node.server}.${node.tool}`
                : undefined;
  return name !== undefined && name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}
