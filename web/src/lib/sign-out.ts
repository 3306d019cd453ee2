/**
 * Ends the sign-in here, then leads to where the provider ends its own.
 * @returns false when people sign in elsewhere, such as at a proxy
 */
export async function signOut(): Promise<boolean> {
  const response = await fetch('/auth/sign-out', { method: 'POST', redirect: 'manual' }).catch(() => null);
  if (response?.ok !== true || response.headers.get('content-type') !== 'application/json') return false;
  const { location } = (await response.json()) as { location: string };
  window.location.assign(location);
  return true;
}
