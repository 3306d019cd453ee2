import { useEffect } from 'react';

/** The attribute of the page that the theme takes its colours by. */
const SCHEME = 'data-scheme';

/** Paper is white: what is printed has the colours for that, whichever the reader's screen has. */
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
