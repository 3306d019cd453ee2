import type { RefObject } from 'react';
import { ROW_LINK } from '../../components/row-link.tsx';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { type BoardAct, RATE } from './board-action.ts';
import { CARD } from './board-card.tsx';

export interface BoardCommands {
  /** Applies to the selected cards, otherwise to the focused one. */
  readonly act: (act: BoardAct) => void;
  readonly write: () => void;
  readonly toggle: (id: string) => void;
  readonly clear: () => void;
  readonly undo: () => void;
}

/** Registers the board's keys. They move the focus between the cards; Enter opens the focused one, as on any link. */
export function useBoardKeys(search: RefObject<HTMLInputElement | null>, commands: BoardCommands): void {
  const { act, write, toggle, clear, undo } = commands;
  useShortcuts('Review board', [
    { key: 'j', label: 'Next session', run: () => step(1) },
    { key: 'k', label: 'Previous session', run: () => step(-1) },
    { key: 'l', label: 'Next column', run: () => toColumn(1) },
    { key: 'h', label: 'Previous column', run: () => toColumn(-1) },
    { key: 'Enter', label: 'Open the session' },
    {
      key: 'x',
      label: 'Select or deselect',
      run: () => {
        const id = focusedCard();
        if (id !== null) toggle(id);
      },
    },
    { key: 'Escape', label: 'Clear the selection', run: clear },
    { key: 'c', label: 'Take the review', run: () => act({ kind: 'CLAIM' }) },
    { key: 'u', label: 'Release the review', run: () => act({ kind: 'UNCLAIM' }) },
    { key: '1', label: 'It was right', run: () => act(RATE('ACCURATE')) },
    { key: '2', label: 'It was partly right', run: () => act(RATE('PARTIALLY_ACCURATE')) },
    { key: '3', label: 'It was wrong', run: () => act(RATE('INACCURATE')) },
    { key: 'e', label: 'Rate with words', run: write },
    { key: 'a', label: 'Close without a rating', run: () => act({ kind: 'ACKNOWLEDGE' }) },
    { key: 'r', label: 'Reopen the review', run: () => act({ kind: 'REOPEN' }) },
    { key: 'z', label: 'Undo', run: undo },
    {
      key: '/',
      label: 'Search',
      run: () => {
        search.current?.focus();
        search.current?.select();
      },
    },
  ]);
}

/** Returns the session id of the focused card; `null` if none has the focus. */
export function focusedCard(): string | null {
  return document.activeElement?.closest(`[${CARD}]`)?.getAttribute(CARD) ?? null;
}

/** Returns the visible cards by column. */
const columns = (): HTMLElement[][] =>
  [...document.querySelectorAll<HTMLElement>('[data-column]')]
    .map((column) => [...column.querySelectorAll<HTMLElement>(`[${CARD}]`)])
    .filter((cards) => cards[0]?.offsetParent != null);

function step(by: 1 | -1): void {
  const all = columns();
  const id = focusedCard();
  const own = all.find((cards) => cards.some((card) => card.getAttribute(CARD) === id));
  const at = own?.findIndex((card) => card.getAttribute(CARD) === id) ?? 0;
  focusOn(own === undefined ? all[0]?.[0] : own[Math.min(own.length - 1, Math.max(0, at + by))]);
}

function toColumn(by: 1 | -1): void {
  const all = columns();
  const id = focusedCard();
  const at = all.findIndex((cards) => cards.some((card) => card.getAttribute(CARD) === id));
  focusOn(all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]?.[0]);
}

/**
 * Returns the ids of the cards below and above in the same column, nearest first. They are candidates for the focus
 * when the card leaves the column.
 */
export function neighboursOf(id: string): readonly string[] {
  const own = columns()
    .map((cards) => cards.map((card) => card.getAttribute(CARD)!))
    .find((ids) => ids.includes(id));
  if (own === undefined) return [];
  const at = own.indexOf(id);
  return [...own.slice(at + 1), ...own.slice(0, at).reverse()];
}

export function focusCard(id: string): void {
  focusOn(document.querySelector<HTMLElement>(`[${CARD}="${CSS.escape(id)}"]`) ?? undefined);
}

function focusOn(card: HTMLElement | undefined): void {
  card?.querySelector<HTMLElement>(`[${ROW_LINK}]`)?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: 'nearest' });
}
