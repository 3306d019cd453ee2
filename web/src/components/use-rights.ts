import { type Role, type TokenScope, ViewerDocument } from '../graphql/gen/documents.ts';
import { useQuery } from '../graphql/use-query.ts';

/** What may be done is named as the scopes of a token. */
export type Right = TokenScope;

export interface Rights {
  /** True while it is not known: the server decides. */
  readonly may: (right: Right) => boolean;
  /** Why the reader may not, for them; null when they may. */
  readonly whyNot: (right: Right) => string | null;
}

/** The lowest role that may; approving is nobody's by role. */
const LOWEST: Readonly<Partial<Record<Right, Role>>> = {
  READ: 'VIEWER',
  SUBMIT_ALERTS: 'RESPONDER',
  CHAT: 'RESPONDER',
  REVIEW: 'RESPONDER',
  ADMIN: 'ADMIN',
};

/** What the reader may do here. */
export function useRights(): Rights {
  const [{ data }] = useQuery({ query: ViewerDocument });
  const viewer = data?.viewer;
  const may = (right: Right): boolean => viewer?.rights.includes(right) ?? true;
  return {
    may,
    whyNot: (right) =>
      may(right)
        ? null
        : `This needs the role ${roleName(LOWEST[right])}; yours is ${roleName(viewer?.role)}.`,
  };
}

/** As people read it. */
export function roleName(role: Role | undefined): string {
  return role?.toLowerCase() ?? 'another one';
}
