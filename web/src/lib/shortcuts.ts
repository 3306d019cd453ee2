import { createContext, useContext, useEffect, useRef } from 'react';

/** A key that does something on the page that is open. */
export interface Shortcut {
  /** `KeyboardEvent.key`: `j`, `/`, `Escape`. */
  readonly key: string;
  readonly label: string;
  /** Absent: the browser does it by itself, and the key is only told about. */
  readonly run?: () => void;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** The groups of the components that are there now, in the order in which they came. */
export interface Shortcuts {
  readonly groups: () => readonly ShortcutGroup[];
  /** Returns the way to take the group away. */
  readonly add: (group: () => ShortcutGroup) => () => void;
}

export function createShortcuts(): Shortcuts {
  const sources = new Set<() => ShortcutGroup>();
  return {
    groups: () => [...sources].map((source) => source()),
    add: (source) => {
      sources.add(source);
      return () => sources.delete(source);
    },
  };
}

export const ShortcutsContext = createContext<Shortcuts | null>(null);

/** Keys of the calling component, for as long as it is there; they appear in the help under `title`. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const registry = useContext(ShortcutsContext);
  const current = useRef<ShortcutGroup>({ title, shortcuts });
  useEffect(() => {
    current.current = { title, shortcuts };
  });
  useEffect(() => registry?.add(() => current.current), [registry]);
}

/** What the key asks for; null while the reader writes, chooses from a menu, or holds a modifier. */
export function shortcutFor(event: KeyboardEvent, groups: readonly ShortcutGroup[]): Shortcut | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (event.target instanceof Element && event.target.closest(TAKES_KEYS)) return null;
  // The page on top was added last.
  const all = [...groups].reverse().flatMap((group) => group.shortcuts);
  return all.find((shortcut) => shortcut.run !== undefined && shortcut.key === event.key) ?? null;
}

const TAKES_KEYS =
  'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"], [role="combobox"]';
