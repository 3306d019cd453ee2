import { useEffect } from 'react';

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'TARSy' : `${title} · TARSy`;
  }, [title]);
}
