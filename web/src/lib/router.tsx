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
import { type Address, hrefOf, matchPath, type To } from './address.ts';

/** How the current address was reached; POP is the browser's own navigation. */
export type Way = 'PUSH' | 'REPLACE' | 'POP';
interface Place extends Address {
  readonly way: Way;
}
type Params = URLSearchParams | Record<string, string> | string;
type Navigate = (to: To, options?: { readonly replace?: boolean | undefined }) => void;

const PlaceContext = createContext<Place | null>(null);
const NavigateContext = createContext<Navigate>(() => undefined);
const ParamsContext = createContext<Readonly<Record<string, string>>>({});

function placeNow(way: Way): Place {
  const { pathname, search, hash } = window.location;
  const { key } = (window.history.state ?? {}) as { key?: unknown };
  return { pathname, search, hash, key: typeof key === 'string' ? key : 'first', way };
}

/** Provides the location and client-side navigation. */
export function Router({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState(() => placeNow('POP'));
  useEffect(() => {
    // Keeps the previous page until the code of the next one has loaded.
    const onPop = (): void => startTransition(() => setPlace(placeNow('POP')));
    window.addEventListener('popstate', onPop);
    return () => window.removeEventListener('popstate', onPop);
  }, []);
  const navigate = useCallback<Navigate>((to, options) => {
    const href = hrefOf(to, window.location.pathname);
    const way = options?.replace ? 'REPLACE' : 'PUSH';
    const state = { key: Math.random().toString(36).slice(2) };
    if (way === 'REPLACE') window.history.replaceState(state, '', href);
    else window.history.pushState(state, '', href);
    startTransition(() => setPlace(placeNow(way)));
  }, []);
  return (
    <NavigateContext value={navigate}>
      <PlaceContext value={place}>{children}</PlaceContext>
    </NavigateContext>
  );
}

function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (place === null) throw new Error('there is no Router above');
  return place;
}

export const useLocation = (): Address => usePlace();
export const useWay = (): Way => usePlace().way;
export const useNavigate = (): Navigate => useContext(NavigateContext);
export const useParams = (): Readonly<Record<string, string>> => useContext(ParamsContext);

/**
 * Returns the search parameters and a setter, which drops the hash. An updater receives the parameters of the current
 * address, because the rendered ones may be out of date.
 */
export function useSearchParams() {
  const { search } = usePlace();
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

/** Renders the element of the first matching pattern. */
export function Routes({ routes }: { routes: Readonly<Record<string, ReactNode>> }) {
  const { pathname } = usePlace();
  const found = useMemo(() => {
    for (const [pattern, element] of Object.entries(routes)) {
      const params = matchPath(pattern, pathname);
      if (params !== null) return { params, element };
    }
    return null;
  }, [routes, pathname]);
  return found && <ParamsContext value={found.params}>{found.element}</ParamsContext>;
}

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & { readonly to: To };

/** A link with client-side navigation. Modifier keys and other buttons keep their browser behaviour. */
export function Link({ to, onClick, ...anchor }: LinkProps) {
  const navigate = useNavigate();
  const { pathname } = usePlace();
  const href = hrefOf(to, pathname);
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

/** A link with class `active` on its page and, unless `end`, on the pages below. */
export function NavLink({ to, end = false, ...link }: LinkProps & { to: string; end?: boolean }) {
  const { pathname } = usePlace();
  const isHere = pathname === to || (!end && pathname.startsWith(`${to}/`));
  return <Link {...link} to={to} {...(isHere ? { className: 'active', 'aria-current': 'page' } : {})} />;
}
