import { useMemo, useState } from 'react';
import type { LineLinks, NumberedLines } from './line-number.tsx';
import { useCopy } from './use-copy.ts';

export function useLineLinks(text: string, links: LineLinks | undefined) {
  const [copiedLine, setCopiedLine] = useState<number | null>(null);
  const [result, copy] = useCopy();
  const marked = copiedLine ?? links?.named ?? null;
  const numbers = useMemo<NumberedLines | undefined>(() => {
    if (links === undefined) return undefined;
    const copyLink = (line: number): void => {
      setCopiedLine(line);
      copy(links.urlOf(line), `Link to line ${line} copied`);
    };
    return {
      link: { urlOf: links.urlOf, copy: copyLink },
      marked,
      digits: String(text.split('\n').length).length,
    };
  }, [links, marked, text, copy]);
  return { numbers, status: result ?? '' };
}
