import { type Role, type TokenScope, ViewerDocument } from '../graphql/gen/documents.ts';
import { useQuery } from '../graphql/use-query.ts';

/** Rights are named as the scopes of a token. */
export type Right = TokenScope;

export interface Rights {
  /** True while unknown, because the server decides. */
  readonly may: (right: Right) => boolean;
  /** Explains a missing right to the viewer; null if the viewer has it. */
  readonly whyNot: (right: Right) => string | null;
}

/** The lowest role with each right. No role grants approving. */
const LOWEST_ROLE: Readonly<Partial<Record<Right, Role>>> = {
  READ: 'VIEWER',
  SUBMIT_ALERTS: 'RESPONDER',
  CHAT: 'RESPONDER',
  REVIEW: 'RESPONDER',
  ADMIN: 'ADMIN',
};

export function useRights(): Rights {
  const [{ data }] = useQuery({ query: ViewerDocument });
  const viewer = data?.viewer;
  const may = (right: Right): boolean => viewer?.rights.includes(right) ?? true;
  return {
    may,
    whyNot: (right) =>
      may(right)
        ? null
        : `This needs the role ${roleName(LOWEST_ROLE[right])}; yours is ${roleName(viewer?.role)}.`,
  };
}

export function roleName(role: Role | undefined): string {
  return role?.toLowerCase() ?? 'another one';
}
