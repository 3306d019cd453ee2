import { useEffect } from 'react';

/** Attribute that selects the theme's colour scheme. */
const SCHEME = 'data-scheme';

/** Prints in the light colour scheme. */
export function usePrintScheme(): void {
  useEffect(() => {
    const { documentElement: page } = document;
    let own: string | null = null;
    const begin = (): void => {
      own ??= page.getAttribute(SCHEME);
      page.setAttribute(SCHEME, 'light');
    };
    const end = (): void => {
      if (own !== null) page.setAttribute(SCHEME, own);
      own = null;
    };
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
}
