import { type RefObject, useMemo } from 'react';
import { ROW_LINK } from '../../components/row-link.tsx';
import { useShortcuts } from '../../lib/shortcuts.ts';

/** Registers the keys that move the focus between the rows. Enter opens the focused row, as on any link. */
export function useRowShortcuts(search: RefObject<HTMLInputElement | null>): void {
  const shortcuts = useMemo(
    () => [
      { key: 'j', label: 'Next session', run: () => focusRow(1) },
      { key: 'k', label: 'Previous session', run: () => focusRow(-1) },
      { key: 'Enter', label: 'Open session' },
      {
        key: '/',
        label: 'Search',
        run: () => {
          search.current?.focus();
          search.current?.select();
        },
      },
    ],
    [search],
  );
  useShortcuts('Sessions', shortcuts);
}

function focusRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(`[${ROW_LINK}]`)];
  const row = document.activeElement?.closest('li, [role="row"]');
  const now = links.findIndex((link) => link === document.activeElement || row?.contains(link));
  const next = links[now < 0 ? 0 : Math.min(links.length - 1, Math.max(0, now + step))];
  next?.focus({ preventScroll: true });
  next?.closest('li, [role="row"]')?.scrollIntoView({ block: 'nearest' });
}
