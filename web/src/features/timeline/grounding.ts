import { useMemo } from 'react';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import type { Citation } from '../../lib/citations.ts';
import type { StageGroup } from './timeline-groups.ts';

/** A web page that an answer is based on. `number` is its position in the list, from 1. */
export interface Source {
  readonly number: number;
  readonly title: string;
  readonly uri: string;
}

export interface Grounding {
  readonly queries: readonly string[];
  readonly sources: readonly Source[];
  /** Passages of the answer that sources support, each with the numbers of these sources. */
  readonly supports: readonly { readonly text: string; readonly numbers: readonly number[] }[];
}

/** Reads the search results of a provider from an item's untyped metadata; malformed parts are skipped. */
export function readGrounding(metadata: unknown): Grounding {
  const { queries, sources, supports } = object(metadata);
  return {
    queries: list(queries).filter((query) => typeof query === 'string'),
    sources: list(sources).flatMap((source, index) => {
      const { title, uri } = object(source);
      const number = index + 1;
      return typeof uri === 'string' ? [{ number, title: typeof title === 'string' ? title : '', uri }] : [];
    }),
    supports: list(supports).flatMap((support) => {
      const { text, sourceIndices } = object(support);
      const numbers = list(sourceIndices).flatMap((index) => (typeof index === 'number' ? [index + 1] : []));
      return typeof text === 'string' && text.trim() !== '' && numbers.length > 0 ? [{ text, numbers }] : [];
    }),
  };
}

/** Returns the passages of an answer that web sources support. Passages that the text does not contain are skipped. */
export function findCitations(answer: string, metadata: unknown): readonly Citation[] {
  const { sources, supports } = readGrounding(metadata);
  const byNumber = new Map(sources.map((source) => [source.number, source]));
  let from = 0;
  // Passages are located by their text, because the provider's offsets count bytes and masking may change the text.
  return supports.flatMap(({ text, numbers }) => {
    const here = answer.indexOf(text, from);
    const start = here >= 0 ? here : answer.indexOf(text);
    const cited = numbers.flatMap((number) => byNumber.get(number) ?? []);
    if (start < 0 || cited.length === 0) return [];
    from = start;
    return [{ start, end: start + text.trimEnd().length, sources: cited }];
  });
}

const NONE: readonly Citation[] = [];

/** Returns the passages that web sources support, memoized; none if `answer` is null or `metadata` undefined. */
export function useCitations(answer: string | null, metadata: unknown): readonly Citation[] {
  return useMemo(
    () => (answer === null || metadata === undefined ? NONE : findCitations(answer, metadata)),
    [answer, metadata],
  );
}

const ANSWERS: ReadonlySet<string> = new Set(['LLM_RESPONSE', 'FINAL_ANALYSIS']);
const SEARCHES: ReadonlySet<string> = new Set(['GOOGLE_SEARCH_RESULT', 'URL_CONTEXT_RESULT']);

/**
 * Returns the item whose web sources support the answer at `index`; `null` if there is none. Search results follow
 * their answer and precede the next answer.
 */
export function groundingOf(
  items: readonly TimelineItemFragment[],
  index: number,
): TimelineItemFragment | null {
  if (!ANSWERS.has(items[index]?.type ?? '')) return null;
  const next = items.findIndex(({ type }, at) => at > index && ANSWERS.has(type));
  const own = items.slice(index + 1, next < 0 ? undefined : next);
  const found = own.filter(({ type }) => SEARCHES.has(type));
  return found.find(({ metadata }) => readGrounding(metadata).supports.length > 0) ?? null;
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const object = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Returns the item with the web sources of the investigation's final analysis; `null` if there is none. */
export function groundingOfConclusion(
  groups: readonly StageGroup[],
  finalAnalysis: string | null,
): TimelineItemFragment | null {
  for (const { items } of groups.flatMap(({ executions }) => executions).toReversed()) {
    const index = items.findLastIndex(
      ({ type, content }) => type === 'FINAL_ANALYSIS' && content === finalAnalysis,
    );
    if (index >= 0) return groundingOf(items, index);
  }
  return null;
}
