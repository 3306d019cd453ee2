import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { type Address, hrefOf, type LinkTarget, matchPath } from './address.ts';
import { pathWithin, SUB_PATH } from './sub-path.ts';

/** Kind of navigation that led to the current address. POP is the browser's own, such as Back. */
export type NavigationType = 'PUSH' | 'REPLACE' | 'POP';
interface HistoryEntry extends Address {
  readonly type: NavigationType;
}
type Params = URLSearchParams | Record<string, string> | string;
type Navigate = (to: LinkTarget, options?: { readonly replace?: boolean | undefined }) => void;

const EntryContext = createContext<HistoryEntry | null>(null);
const NavigateContext = createContext<Navigate>(() => undefined);
const ParamsContext = createContext<Readonly<Record<string, string>>>({});

function currentEntry(type: NavigationType): HistoryEntry {
  const { pathname, search, hash } = window.location;
  const { key } = (window.history.state ?? {}) as { key?: unknown };
  return { pathname: pathWithin(pathname), search, hash, key: typeof key === 'string' ? key : 'first', type };
}

/** Returns the address of a link target for the browser. `pathname` is the current path below the sub-path. */
const hrefBelow = (to: LinkTarget, pathname: string): string => `${SUB_PATH}${hrefOf(to, pathname)}`;

/** Provides the location and client-side navigation. Paths in the application do not contain the sub-path. */
export function Router({ children }: { children: ReactNode }) {
  const [entry, setEntry] = useState(() => currentEntry('POP'));
  useEffect(() => {
    // Keeps the previous page until the code of the next one has loaded.
    const onPopState = (): void => startTransition(() => setEntry(currentEntry('POP')));
    window.addEventListener('popstate', onPopState);
    return () => window.removeEventListener('popstate', onPopState);
  }, []);
  const navigate = useCallback<Navigate>((to, options) => {
    const href = hrefBelow(to, pathWithin(window.location.pathname));
    const type = options?.replace ? 'REPLACE' : 'PUSH';
    const state = { key: Math.random().toString(36).slice(2) };
    if (type === 'REPLACE') window.history.replaceState(state, '', href);
    else window.history.pushState(state, '', href);
    startTransition(() => setEntry(currentEntry(type)));
  }, []);
  return (
    <NavigateContext value={navigate}>
      <EntryContext value={entry}>{children}</EntryContext>
    </NavigateContext>
  );
}

function useEntry(): HistoryEntry {
  const entry = useContext(EntryContext);
  if (entry === null) throw new Error('there is no Router above');
  return entry;
}

export const useLocation = (): Address => useEntry();
export const useNavigationType = (): NavigationType => useEntry().type;
export const useNavigate = (): Navigate => useContext(NavigateContext);
export const useParams = (): Readonly<Record<string, string>> => useContext(ParamsContext);

/**
 * Returns the search parameters and a setter, which drops the hash. An updater receives the parameters of the current
 * address, because the rendered ones may be out of date.
 */
export function useSearchParams() {
  const { search } = useEntry();
  const navigate = useNavigate();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const set = useCallback(
    (next: Params | ((now: URLSearchParams) => Params), options?: { replace?: boolean | undefined }) => {
      const wanted = typeof next === 'function' ? next(new URLSearchParams(window.location.search)) : next;
      const text = new URLSearchParams(wanted).toString();
      navigate({ search: text === '' ? '' : `?${text}` }, options);
    },
    [navigate],
  );
  return [params, set] as const;
}

/** Sets a parameter, or removes it if `value` is empty. */
export function withParam(params: URLSearchParams, name: string, value: string): URLSearchParams {
  if (value === '') params.delete(name);
  else params.set(name, value);
  return params;
}

/** Renders the element of the first pattern that matches the current path. */
export function Routes({ routes }: { routes: Readonly<Record<string, ReactNode>> }) {
  const { pathname } = useEntry();
  const found = useMemo(() => {
    for (const [pattern, element] of Object.entries(routes)) {
      const params = matchPath(pattern, pathname);
      if (params !== null) return { params, element };
    }
    return null;
  }, [routes, pathname]);
  return found && <ParamsContext value={found.params}>{found.element}</ParamsContext>;
}

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & { readonly to: LinkTarget };

/** A link with client-side navigation. Clicks with modifier keys or other mouse buttons are left to the browser. */
export function Link({ to, onClick, ...anchor }: LinkProps) {
  const navigate = useNavigate();
  const { pathname } = useEntry();
  const href = hrefBelow(to, pathname);
  const go = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event;
    if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
    if ((anchor.target ?? '_self') !== '_self') return;
    event.preventDefault();
    const { location } = window;
    // A link to the current address adds no history entry.
    navigate(to, { replace: href === `${location.pathname}${location.search}${location.hash}` });
  };
  return <a {...anchor} href={href} onClick={go} />;
}

/** A link with the class `active` on its own page and, unless `end`, on the pages below that one. */
export function NavLink({ to, end = false, ...link }: LinkProps & { to: string; end?: boolean }) {
  const { pathname } = useEntry();
  const isHere = pathname === to || (!end && pathname.startsWith(`${to}/`));
  return <Link {...link} to={to} {...(isHere ? { className: 'active', 'aria-current': 'page' } : {})} />;
}
