/** Key under which this tab stores the page's address while the user signs in. */
const KEY = 'tarsy.return-to';

/**
 * Reloads the page, so that the proxy in front asks for a sign-in and returns here. The sign-in loses the
 * `#…` part of the address, which `restoreAddress` restores.
 */
export function leaveToSignIn(): void {
  remember(window.location.href);
  window.location.reload();
}

/** Restores the `#…` part of the address after a sign-in. Must run before any code reads the address. */
export function restoreAddress(): void {
  const kept = remember(null);
  if (kept === null || !URL.canParse(kept)) return;
  const { hash } = new URL(kept);
  // Restores nothing unless the current address is the stored one without its `#…` part, because otherwise the
  // user has opened another page.
  if (window.location.hash === '' && kept === window.location.href.replace(/#$/, '') + hash)
    window.history.replaceState(null, '', kept);
}

/** Stores an address and returns the previous one; null if there was none or storage is disabled. */
function remember(address: string | null): string | null {
  try {
    const before = sessionStorage.getItem(KEY);
    if (address === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, address);
    return before;
  } catch {
    return null;
  }
}
