import { useEffect } from 'react';

/** What the browser's tab says, until another page says otherwise. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'TARSy' : `${title} · TARSy`;
  }, [title]);
}
