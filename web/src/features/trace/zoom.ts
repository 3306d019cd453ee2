import { type FocusEvent, type KeyboardEvent, useRef, useState } from 'react';
import type { Span } from './trace-model.ts';

/** Factor of one zoom step. */
const STEP = 2;
/** Distance of one move, as a share of the window. */
const SHIFT = 0.5;
/** Shortest window (ms). */
const SHORTEST = 4;

export const ZOOM_ACTIONS = ['in', 'out', 'earlier', 'later', 'reset'] as const;
export type ZoomAction = (typeof ZOOM_ACTIONS)[number];

export interface ZoomRange {
  /** The present window, within `whole`. */
  readonly view: Span;
  readonly whole: Span;
  /** The time around which to zoom in; `null` for the middle of the window. */
  readonly focus?: number | null;
}

/** Returns the window after an action; `null` for the whole span. */
export function zoomed({ view, whole, focus = null }: ZoomRange, action: ZoomAction): Span | null {
  if (action === 'reset') return null;
  const length = view.end - view.start;
  const middle = action === 'in' && focus !== null ? focus : (view.start + view.end) / 2;
  const next = { in: Math.max(SHORTEST, length / STEP), out: length * STEP, earlier: length, later: length };
  const wanted = next[action];
  if (wanted >= whole.end - whole.start) return null;
  const shift = { in: 0, out: 0, earlier: -SHIFT, later: SHIFT }[action] * length;
  const start = Math.min(Math.max(whole.start, middle + shift - wanted / 2), whole.end - wanted);
  return { start, end: start + wanted };
}

/** Keys of the actions while the focus is in the chart. The arrow keys work on the controls only. */
const KEYS: Readonly<Record<string, ZoomAction>> = { '+': 'in', '=': 'in', '-': 'out', '0': 'reset' };
const ARROWS: Readonly<Record<string, ZoomAction>> = { ArrowLeft: 'earlier', ArrowRight: 'later' };

export interface Zoom {
  /** The shown window. */
  readonly view: Span;
  readonly act: (action: ZoomAction) => void;
  readonly handlers: {
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onFocus: (event: FocusEvent) => void;
  };
}

/** Attribute of a row with the middle of its time (ms since the epoch). */
export const TIME_ATTRIBUTE = 'data-time';

/** The zoom window of a chart with the span `whole`, which grows while the work runs. Zooms into the row focused last. */
export function useZoom(whole: Span): Zoom {
  const [window, setWindow] = useState<Span | null>(null);
  const view = window ?? whole;
  const focus = useRef<number | null>(null);
  const act = (action: ZoomAction): void => {
    if (action !== 'in') focus.current = null;
    setWindow(zoomed({ view, whole, focus: focus.current }, action));
  };
  const onFocus = ({ target }: FocusEvent): void => {
    const time = target.closest(`[${TIME_ATTRIBUTE}]`)?.getAttribute(TIME_ATTRIBUTE);
    if (time) focus.current = Number(time);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as Element;
    if (target.closest('input, textarea, select, [role="dialog"]') !== null) return;
    const isOnControls = target.closest('[role="toolbar"]') !== null;
    const action = KEYS[event.key] ?? (isOnControls ? ARROWS[event.key] : undefined);
    if (action === undefined) return;
    event.preventDefault();
    act(action);
  };
  return { view, act, handlers: { onKeyDown, onFocus } };
}
