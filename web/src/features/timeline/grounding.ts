import { useMemo } from 'react';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import type { Citation } from '../../lib/citations.ts';
import type { StageGroup } from './timeline-groups.ts';

/** A page that an answer was taken from; `number` is its place in the list, from 1. */
export interface Source {
  readonly number: number;
  readonly title: string;
  readonly uri: string;
}

export interface Grounding {
  readonly queries: readonly string[];
  readonly sources: readonly Source[];
  /** Passages of the answer, each with the numbers of its sources. */
  readonly supports: readonly { readonly text: string; readonly numbers: readonly number[] }[];
}

/** What a provider told of its search; the contract leaves the metadata open, so what does not look like it is left out. */
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

/** The passages of an answer that a search supports, as places in its text. What was not found there is left out. */
export function citationsIn(answer: string, metadata: unknown): readonly Citation[] {
  const { sources, supports } = readGrounding(metadata);
  const byNumber = new Map(sources.map((source) => [source.number, source]));
  let from = 0;
  // By their words: the provider counts bytes, and of what it counted something may have been masked.
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

/** The same list until text or metadata are others; none without a text. */
export function useCitations(answer: string | null, metadata: unknown): readonly Citation[] {
  return useMemo(
    () => (answer === null || metadata === undefined ? NONE : citationsIn(answer, metadata)),
    [answer, metadata],
  );
}

const ANSWERS: ReadonlySet<string> = new Set(['LLM_RESPONSE', 'FINAL_ANALYSIS']);
const SEARCHES: ReadonlySet<string> = new Set(['GOOGLE_SEARCH_RESULT', 'URL_CONTEXT_RESULT']);

/** What the answer at `index` was grounded in: it is told behind the answer, before the next one. Null = nothing. */
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

/** What the investigation's final analysis was grounded in; null = nothing. */
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
