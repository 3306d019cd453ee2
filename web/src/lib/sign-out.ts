/**
 * Signs out here, then opens the provider's sign-out page.
 * @returns false if the sign-in belongs to something else, such as a proxy
 */
export async function signOut(): Promise<boolean> {
  const response = await fetch('/auth/sign-out', { method: 'POST', redirect: 'manual' }).catch(() => null);
  if (response?.ok !== true || response.headers.get('content-type') !== 'application/json') return false;
  const { location } = (await response.json()) as { location: string };
  window.location.assign(location);
  return true;
}
