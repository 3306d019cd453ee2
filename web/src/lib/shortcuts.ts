import { createContext, useContext, useEffect, useRef } from 'react';

export interface Shortcut {
  /** Value of `KeyboardEvent.key`, such as `j`, `/` or `Escape`. */
  readonly key: string;
  readonly label: string;
  /** Action of the key; absent if the browser handles the key itself and the help only lists it. */
  readonly run?: () => void;
}

/** Name of the keys that open the command palette. They are handled apart, because of their modifier. */
export const PALETTE_KEY = 'Ctrl+K';

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** Shortcut groups of the mounted components, in mount order. */
export interface Shortcuts {
  readonly groups: () => readonly ShortcutGroup[];
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

/** Registers shortcuts while the calling component is mounted; `title` is their heading in the help. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const registry = useContext(ShortcutsContext);
  const current = useRef<ShortcutGroup>({ title, shortcuts });
  useEffect(() => {
    current.current = { title, shortcuts };
  });
  useEffect(() => registry?.add(() => current.current), [registry]);
}

/** Returns the shortcut of a key event; null while the user types, uses a menu, or holds a modifier. */
export function shortcutFor(event: KeyboardEvent, groups: readonly ShortcutGroup[]): Shortcut | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (event.target instanceof Element && event.target.closest(TAKES_KEYS)) return null;
  // For equal keys, the group added last wins.
  const all = [...groups].reverse().flatMap((group) => group.shortcuts);
  const key = latinKey(event);
  return all.find((shortcut) => shortcut.run !== undefined && shortcut.key === key) ?? null;
}

/** True for Ctrl+K and Cmd+K outside dialogs. They work while the user types and while shortcuts are turned off. */
export function opensPalette(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.altKey || event.shiftKey || !(event.ctrlKey || event.metaKey))
    return false;
  return latinKey(event).toLowerCase() === 'k' && document.querySelector('[role="dialog"]') === null;
}

/** Returns the key of an event; for a letter of another script, such as Cyrillic, the Latin letter on the same key. */
function latinKey({ key, code }: KeyboardEvent): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter === undefined || !OTHER_LETTER.test(key)) return key;
  return key === key.toLowerCase() ? letter.toLowerCase() : letter;
}

const OTHER_LETTER = /^(?!\p{Script=Latin})\p{L}$/u;

const TAKES_KEYS =
  'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"], [role="combobox"]';
