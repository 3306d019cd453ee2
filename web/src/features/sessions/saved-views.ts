import { FIRST_PAGE } from '../../lib/list-page.ts';
import { formatView, type ListView, parseView } from './list-view.ts';

/** A view that the viewer saved under a name. */
export interface SavedView {
  readonly name: string;
  /** URL parameters of the view's first page. */
  readonly query: string;
}

export interface SavedViews {
  /** Sorted by name. */
  readonly views: readonly SavedView[];
  /**
   * Name of the viewer's default view, which a URL without parameters opens; `null` = such a URL shows all
   * sessions.
   */
  readonly usual: string | null;
}

/** Key of the saved views in the browser's local storage. */
export const SAVED_VIEWS = 'views';

export const MAX_VIEWS = 50;
export const MAX_NAME = 60;

const NONE: SavedViews = { views: [], usual: null };

/** Parses the stored views; invalid parts are ignored. */
export function parseSavedViews(text: string | null): SavedViews {
  if (text === null) return NONE;
  try {
    const { views, usual } = Object(JSON.parse(text)) as Record<string, unknown>;
    const kept = (Array.isArray(views) ? views : []).flatMap((each): SavedView[] => {
      const { name, query } = Object(each) as Record<string, unknown>;
      if (typeof name !== 'string' || !isName(name) || typeof query !== 'string') return [];
      return [{ name, query: firstPageQuery(parseView(new URLSearchParams(query))) }];
    });
    const limited = kept.slice(0, MAX_VIEWS);
    return { views: limited, usual: limited.find(({ name }) => name === usual)?.name ?? null };
  } catch {
    return NONE;
  }
}

export function isName(name: string): boolean {
  return name.trim() !== '' && name.length <= MAX_NAME;
}

/** Returns the URL parameters of a view's first page. */
export function firstPageQuery(view: ListView): string {
  return formatView({ ...view, ...FIRST_PAGE }).toString();
}

/**
 * Returns the view that the URL parameters describe; without parameters, the viewer's default view if there
 * is one.
 */
export function viewFromParams(params: URLSearchParams, saved: SavedViews): ListView {
  const usual = params.size === 0 ? saved.views.find(({ name }) => name === saved.usual) : undefined;
  return parseView(usual ? new URLSearchParams(usual.query) : params);
}

/**
 * Returns the URL parameters that show a view. If the viewer has a default view, "all sessions" needs a parameter of
 * its own.
 */
export function paramsForView(view: ListView, saved: SavedViews): URLSearchParams {
  const params = formatView(view);
  if (params.size === 0 && saved.usual !== null) params.set('view', 'all');
  return params;
}

/** Returns the saved view that equals a view, regardless of the page. */
export function findSavedView(view: ListView, { views }: SavedViews): SavedView | undefined {
  const query = firstPageQuery(view);
  return views.find((each) => each.query === query);
}

/** Adds a view under a name; replaces one of the same name. */
export function addView(saved: SavedViews, name: string, view: ListView): SavedViews {
  const others = saved.views.filter((each) => each.name !== name);
  const views = [...others, { name, query: firstPageQuery(view) }];
  return { ...saved, views: views.toSorted((a, b) => a.name.localeCompare(b.name)).slice(0, MAX_VIEWS) };
}

export function removeView(saved: SavedViews, name: string): SavedViews {
  return {
    views: saved.views.filter((each) => each.name !== name),
    usual: saved.usual === name ? null : saved.usual,
  };
}
