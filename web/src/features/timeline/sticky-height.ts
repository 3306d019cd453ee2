import { HEADER_HEIGHT } from '../../components/app-shell.tsx';

/** Height of the head that stays in view, in px; on a phone it has two lines. */
export const HEAD_HEIGHT = { xs: 76, sm: 48 } as const;

/** Where what sticks below the head begins, in px, as styles say it. */
export const BELOW_HEAD = { xs: HEADER_HEIGHT + HEAD_HEIGHT.xs, sm: HEADER_HEIGHT + HEAD_HEIGHT.sm } as const;

/** The same, of the window as it is now. */
export function belowHead(): number {
  return window.matchMedia('(min-width: 600px)').matches ? BELOW_HEAD.sm : BELOW_HEAD.xs;
}
