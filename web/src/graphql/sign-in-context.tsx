import { createContext, useContext, useSyncExternalStore } from 'react';
import type { SignIn } from './sign-in.ts';

const SignInContext = createContext<SignIn | null>(null);
export const SignInProvider = SignInContext.Provider;

/** True if the user is not signed in. Throws outside a SignInProvider. */
export function useSignedOut(): boolean {
  const signIn = useContext(SignInContext);
  if (signIn === null) throw new Error('useSignedOut needs a SignInProvider above it');
  return useSyncExternalStore(signIn.onChange, signIn.isSignedOut);
}
