import { CloseCode } from 'graphql-ws';
import type { Logger } from 'pino';
import type { Tokens } from '../../access/tokens.ts';
import type { Viewer } from '../../access/viewer.ts';
import { runPeriodically } from '../../common/periodic.ts';
import { CREDENTIAL_CHECK_MS } from '../tunables.ts';

export type CredentialWatch = ReturnType<typeof createCredentialWatch>;

/**
 * Returns the WebSocket close code for an expired credential. 1012 makes pages reconnect, which leads users to sign in.
 */
export function expiryClose({ tokenId }: Viewer): { code: number; reason: string } {
  return tokenId === null
    ? { code: 1012, reason: 'Sign in again' }
    : { code: CloseCode.Unauthorized, reason: 'No longer authenticated' };
}

/** Closes connections when their token is revoked or expires, or their sign-in expires. */
export function createCredentialWatch(tokens: Pick<Tokens, 'ended'>, logger: Logger) {
  const watched = new Map<() => void, Viewer>();
  async function endExpired(): Promise<void> {
    const ids = new Set([...watched.values()].flatMap(({ tokenId }) => tokenId ?? []));
    const ended = new Set(ids.size === 0 ? [] : await tokens.ended([...ids]));
    const now = new Date();
    for (const [end, { tokenId, until }] of watched) {
      if ((tokenId !== null && ended.has(tokenId)) || (until !== null && until <= now)) end();
    }
  }
  const looking = runPeriodically(endExpired, {
    task: 'check expired credentials',
    everyMs: CREDENTIAL_CHECK_MS,
    logger,
  });
  return {
    /** Calls `end` when the viewer's token or sign-in has ended. Returns the function that stops watching. */
    watch(viewer: Viewer, end: () => void): () => void {
      if (viewer.tokenId === null && viewer.until === null) return () => {};
      const own = () => end(); // a distinct key, because callers may pass the same function twice
      watched.set(own, viewer);
      return () => void watched.delete(own);
    },
    close: () => looking.stop(),
  };
}
