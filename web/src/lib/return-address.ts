/** The page's address while the reader is away to sign in, in this tab alone. */
const KEY = 'tarsy.return-to';

/**
 * Loads the page anew, in place of which whatever guards it asks to sign in and then leads back. The way there knows no
 * `#…`, which browsers tell nobody: it is put back by `restoreAddress`.
 */
export function leaveToSignIn(): void {
  remember(window.location.href);
  window.location.reload();
}

/** Back from signing in: the address gets back what the way lost of it. To be called before anything reads it. */
export function restoreAddress(): void {
  const kept = remember(null);
  if (kept === null || !URL.canParse(kept)) return;
  const { hash } = new URL(kept);
  // Led to another page, the reader wanted that one.
  if (window.location.hash === '' && kept === window.location.href.replace(/#$/, '') + hash)
    window.history.replaceState(null, '', kept);
}

/** @returns what was remembered before; null when nothing was, or the browser may not remember */
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
