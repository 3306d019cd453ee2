import type { RefObject } from 'react';
import { ROW_LINK } from '../../components/row-link.tsx';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { type BoardAction, rateAction } from './board-action.ts';
import { CARD_ATTRIBUTE } from './board-card.tsx';

export interface BoardCommands {
  /** Performs the action on the selected cards; without a selection, on the focused card. */
  readonly act: (action: BoardAction) => void;
  readonly openForm: () => void;
  readonly toggle: (id: string) => void;
  readonly clear: () => void;
  readonly undo: () => void;
}

/** Registers the shortcuts that move the focus and act on cards. Enter opens the focused card, as on any link. */
export function useBoardShortcuts(search: RefObject<HTMLInputElement | null>, commands: BoardCommands): void {
  const { act, openForm, toggle, clear, undo } = commands;
  useShortcuts('Review board', [
    { key: 'j', label: 'Next session', run: () => focusNeighbour(1) },
    { key: 'k', label: 'Previous session', run: () => focusNeighbour(-1) },
    { key: 'l', label: 'Next column', run: () => focusColumn(1) },
    { key: 'h', label: 'Previous column', run: () => focusColumn(-1) },
    { key: 'Enter', label: 'Open session' },
    {
      key: 'x',
      label: 'Select or deselect',
      run: () => {
        const id = focusedCard();
        if (id !== null) toggle(id);
      },
    },
    { key: 'Escape', label: 'Clear selection', run: clear },
    { key: 'c', label: 'Assign to me', run: () => act({ kind: 'CLAIM' }) },
    { key: 'u', label: 'Unassign', run: () => act({ kind: 'UNCLAIM' }) },
    { key: '1', label: 'Rate as right', run: () => act(rateAction('ACCURATE')) },
    { key: '2', label: 'Rate as partly right', run: () => act(rateAction('PARTIALLY_ACCURATE')) },
    { key: '3', label: 'Rate as wrong', run: () => act(rateAction('INACCURATE')) },
    { key: 'e', label: 'Rate with comment', run: openForm },
    { key: 'a', label: 'Close without rating', run: () => act({ kind: 'ACKNOWLEDGE' }) },
    { key: 'r', label: 'Reopen review', run: () => act({ kind: 'REOPEN' }) },
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
  return document.activeElement?.closest(`[${CARD_ATTRIBUTE}]`)?.getAttribute(CARD_ATTRIBUTE) ?? null;
}

/** Returns the elements of the visible cards, by column. */
const columns = (): HTMLElement[][] =>
  [...document.querySelectorAll<HTMLElement>('[data-column]')]
    .map((column) => [...column.querySelectorAll<HTMLElement>(`[${CARD_ATTRIBUTE}]`)])
    .filter((cards) => cards[0]?.offsetParent != null);

function focusNeighbour(offset: 1 | -1): void {
  const all = columns();
  const id = focusedCard();
  const own = all.find((cards) => cards.some((card) => card.getAttribute(CARD_ATTRIBUTE) === id));
  const at = own?.findIndex((card) => card.getAttribute(CARD_ATTRIBUTE) === id) ?? 0;
  focusOn(own === undefined ? all[0]?.[0] : own[Math.min(own.length - 1, Math.max(0, at + offset))]);
}

function focusColumn(offset: 1 | -1): void {
  const all = columns();
  const id = focusedCard();
  const at = all.findIndex((cards) => cards.some((card) => card.getAttribute(CARD_ATTRIBUTE) === id));
  focusOn(all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + offset))]?.[0]);
}

/**
 * Returns the session ids of the cards below a card in its column, then of those above, nearest first. One of them gets
 * the focus when the card leaves the column.
 */
export function neighboursOf(id: string): readonly string[] {
  const own = columns()
    .map((cards) => cards.map((card) => card.getAttribute(CARD_ATTRIBUTE)!))
    .find((ids) => ids.includes(id));
  if (own === undefined) return [];
  const at = own.indexOf(id);
  return [...own.slice(at + 1), ...own.slice(0, at).reverse()];
}

export function focusCard(id: string): void {
  focusOn(document.querySelector<HTMLElement>(`[${CARD_ATTRIBUTE}="${CSS.escape(id)}"]`) ?? undefined);
}

function focusOn(card: HTMLElement | undefined): void {
  card?.querySelector<HTMLElement>(`[${ROW_LINK}]`)?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: 'nearest' });
}
