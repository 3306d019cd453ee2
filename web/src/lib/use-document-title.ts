import { useEffect } from 'react';

/** Sets the title of the browser tab. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'TARSy' : `${title} · TARSy`;
  }, [title]);
}
