import { HEADER_HEIGHT } from '../../components/app-shell.tsx';

/** Height of the session's sticky header in px; it has two lines on a phone. */
export const HEAD_HEIGHT = { xs: 76, sm: 48 } as const;

/** Distance (px) from the window's top at which elements stick below the session's header, as a responsive style. */
export const BELOW_HEAD = { xs: HEADER_HEIGHT + HEAD_HEIGHT.xs, sm: HEADER_HEIGHT + HEAD_HEIGHT.sm } as const;

/** Returns the distance `BELOW_HEAD` for the current window width (px). */
export function belowHead(): number {
  return window.matchMedia('(min-width: 600px)').matches ? BELOW_HEAD.sm : BELOW_HEAD.xs;
}
