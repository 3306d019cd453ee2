/** Ends the sign-in here, then leads to where the provider ends its own. */
export async function signOut(): Promise<void> {
  const response = await fetch('/auth/sign-out', { method: 'POST' });
  const { location } = (await response.json()) as { location: string };
  window.location.assign(location);
}
