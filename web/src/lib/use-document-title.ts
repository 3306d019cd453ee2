import { useEffect } from 'react';

let pageTitle = '';
let count = 0;

function show(): void {
  const title = pageTitle === '' ? 'TARSy' : `${pageTitle} · TARSy`;
  document.title = count === 0 ? title : `(${count.toLocaleString('en')} waiting) ${title}`;
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    pageTitle = title;
    show();
  }, [title]);
}

/** Shows the number of waiting sessions and alert groups before the title of every page; nothing for 0. */
export function useTitleCount(waiting: number): void {
  useEffect(() => {
    count = waiting;
    show();
  }, [waiting]);
}
