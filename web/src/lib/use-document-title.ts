import { useEffect } from 'react';
import favicon from '../favicon.svg?raw';

/** Counts that precede each page's title, in their order. */
const COUNTED = ['to approve', 'waiting'] as const;
type Counted = (typeof COUNTED)[number];

let pageTitle = '';
const counts = new Map<Counted, number>();

function show(): void {
  const title = pageTitle === '' ? 'TARSy' : `${pageTitle} · TARSy`;
  const parts = COUNTED.flatMap((name) => {
    const count = counts.get(name) ?? 0;
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${name}`];
  });
  document.title = parts.length === 0 ? title : `(${parts.join(', ')}) ${title}`;
  showIcon(parts.length > 0);
}

const DOT = '<circle cx="25" cy="7" r="7" fill="#e8590c" stroke="#fff" stroke-width="1.5" /></svg>';
let usualIcon: string | null = null;

/** Adds a dot to the tab's icon while work waits, because a narrow tab does not show its title. */
function showIcon(withDot: boolean): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link === null) return;
  if (usualIcon === null) {
    usualIcon = link.href;
    link.href = usualIcon; // absolute, because the browser would resolve a relative one again after each navigation
  }
  const dotted = `data:image/svg+xml,${encodeURIComponent(favicon.replace('</svg>', DOT))}`;
  const href = withDot ? dotted : usualIcon;
  if (link.href !== href) link.href = href;
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    pageTitle = title;
    show();
  }, [title]);
}

/** Shows a number before the title of every page, such as `(2 to approve, 3 waiting)`; nothing for 0. */
export function useTitleCount(name: Counted, count: number): void {
  useEffect(() => {
    counts.set(name, count);
    show();
  }, [name, count]);
}
