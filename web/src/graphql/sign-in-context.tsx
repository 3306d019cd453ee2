import { createContext, useContext, useSyncExternalStore } from 'react';
import type { SignIn } from './sign-in.ts';

const SignInContext = createContext<SignIn | null>(null);
export const SignInProvider = SignInContext.Provider;

/** What the page's requests go through. Throws outside its provider. */
export function useSignIn(): SignIn {
  const signIn = useContext(SignInContext);
  if (signIn === null) throw new Error('useSignIn needs a SignInProvider above it');
  return signIn;
}

export function useSignedOut(): boolean {
  const { onChange, isSignedOut } = useSignIn();
  return useSyncExternalStore(onChange, isSignedOut);
}
