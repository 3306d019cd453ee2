import { SUB_PATH } from './sub-path.ts';

/**
 * Signs out of TARSy, then opens the identity provider's sign-out page.
 * @returns false if TARSy cannot sign out, because a proxy did the sign-in, for example
 */
export async function signOut(): Promise<boolean> {
  const response = await fetch(`${SUB_PATH}/auth/sign-out`, { method: 'POST', redirect: 'manual' }).catch(
    () => null,
  );
  if (response?.ok !== true || response.headers.get('content-type') !== 'application/json') return false;
  const { location } = (await response.json()) as { location: string };
  window.location.assign(location);
  return true;
}
