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

/** Puts a number of waiting sessions before the title of every page; 0 puts nothing. */
export function useTitleCount(waiting: number): void {
  useEffect(() => {
    count = waiting;
    show();
  }, [waiting]);
}
