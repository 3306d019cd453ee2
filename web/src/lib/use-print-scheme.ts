import { useEffect } from 'react';

const SCHEME = 'data-scheme';

/** Switches to the light colour scheme while the page is printed. */
export function usePrintScheme(): void {
  useEffect(() => {
    const { documentElement: page } = document;
    let screenScheme: string | null = null;
    const begin = (): void => {
      screenScheme ??= page.getAttribute(SCHEME);
      page.setAttribute(SCHEME, 'light');
    };
    const end = (): void => {
      if (screenScheme !== null) page.setAttribute(SCHEME, screenScheme);
      screenScheme = null;
    };
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
}
