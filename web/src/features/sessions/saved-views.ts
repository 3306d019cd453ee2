import { FIRST_PAGE } from '../../lib/list-page.ts';
import { formatView, type ListView, parseView } from './list-view.ts';

/** A view under a name of the reader's. */
export interface SavedView {
  readonly name: string;
  /** Its address, without a place in the list. */
  readonly query: string;
}

export interface SavedViews {
  /** By name. */
  readonly views: readonly SavedView[];
  /** Name of the one that an address without a view shows; null: all sessions. */
  readonly usual: string | null;
}

/** What the browser remembers them under. */
export const SAVED_VIEWS = 'views';

export const MAX_VIEWS = 50;
export const MAX_NAME = 60;

const NONE: SavedViews = { views: [], usual: null };

/** What was remembered; what makes no sense of it counts as not there. */
export function parseSavedViews(text: string | null): SavedViews {
  if (text === null) return NONE;
  try {
    const { views, usual } = Object(JSON.parse(text)) as Record<string, unknown>;
    const kept = (Array.isArray(views) ? views : []).flatMap((each): SavedView[] => {
      const { name, query } = Object(each) as Record<string, unknown>;
      if (typeof name !== 'string' || !isName(name) || typeof query !== 'string') return [];
      return [{ name, query: queryOf(parseView(new URLSearchParams(query))) }];
    });
    const named = kept.slice(0, MAX_VIEWS);
    return { views: named, usual: named.find(({ name }) => name === usual)?.name ?? null };
  } catch {
    return NONE;
  }
}

export function isName(name: string): boolean {
  return name.trim() !== '' && name.length <= MAX_NAME;
}

/** The address of a view's first page. */
export function queryOf(view: ListView): string {
  return formatView({ ...view, ...FIRST_PAGE }).toString();
}

/** The view that an address shows. */
export function viewAt(params: URLSearchParams, saved: SavedViews): ListView {
  const usual = params.size === 0 ? saved.views.find(({ name }) => name === saved.usual) : undefined;
  return parseView(usual ? new URLSearchParams(usual.query) : params);
}

/** The address that shows a view: where an empty one shows another, all sessions have a name of their own. */
export function addressOf(view: ListView, saved: SavedViews): URLSearchParams {
  const params = formatView(view);
  if (params.size === 0 && saved.usual !== null) params.set('view', 'all');
  return params;
}

/** The saved view that a view is, on whichever page of it. */
export function savedAs(view: ListView, { views }: SavedViews): SavedView | undefined {
  const query = queryOf(view);
  return views.find((each) => each.query === query);
}

/** With a view under a name; another of that name gives way. */
export function withView(saved: SavedViews, name: string, view: ListView): SavedViews {
  const others = saved.views.filter((each) => each.name !== name);
  const views = [...others, { name, query: queryOf(view) }];
  return { ...saved, views: views.toSorted((a, b) => a.name.localeCompare(b.name)).slice(0, MAX_VIEWS) };
}

export function withoutView(saved: SavedViews, name: string): SavedViews {
  return {
    views: saved.views.filter((each) => each.name !== name),
    usual: saved.usual === name ? null : saved.usual,
  };
}
