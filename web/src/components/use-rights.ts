import { type Role, type TokenScope, ViewerDocument } from '../graphql/gen/documents.ts';
import { useQuery } from '../graphql/use-query.ts';

/** A right of a viewer, named as the token scope that grants it. */
export type Right = TokenScope;

export interface Rights {
  /**
   * Returns true if the viewer has the right, or if rights are not yet known, because the server checks each
   * action anyway.
   */
  readonly may: (right: Right) => boolean;
  /** Explains a missing right to the viewer; null if the viewer has it. */
  readonly whyNot: (right: Right) => string | null;
}

/** The lowest role that grants each right. No role grants the right to approve. */
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
        : `Requires the role ${roleName(LOWEST_ROLE[right])}. Your role is ${roleName(viewer?.role)}.`,
  };
}

export function roleName(role: Role | undefined): string {
  return role?.toLowerCase() ?? 'another one';
}
