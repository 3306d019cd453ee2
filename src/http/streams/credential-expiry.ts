import { CloseCode } from 'graphql-ws';
import type { Logger } from 'pino';
import type { EndedAccess } from '../../access/ended-access.ts';
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

/** Closes connections when their token or sign-in ends or expires, or when the access of their user ends. */
export function createCredentialWatch(deps: {
  tokens: Pick<Tokens, 'ended'>;
  endedAccess: Pick<EndedAccess, 'isEnded'>;
  logger: Logger;
}) {
  const { tokens, endedAccess, logger } = deps;
  const watched = new Map<() => void, Viewer>();
  async function endExpired(): Promise<void> {
    const ids = new Set([...watched.values()].flatMap(({ tokenId }) => tokenId ?? []));
    const ended = new Set(ids.size === 0 ? [] : await tokens.ended([...ids]));
    const now = new Date();
    for (const [end, viewer] of watched) {
      const { tokenId, until, since } = viewer;
      const isOver = tokenId === null ? endedAccess.isEnded(viewer, since) : ended.has(tokenId);
      if (isOver || (until !== null && until <= now)) end();
    }
  }
  const looking = runPeriodically(endExpired, {
    task: 'check expired credentials',
    everyMs: CREDENTIAL_CHECK_MS,
    logger,
  });
  return {
    /** Calls `end` when the viewer's token, sign-in or access has ended. Returns the function that stops watching. */
    watch(viewer: Viewer, end: () => void): () => void {
      if (viewer.via === 'NONE') return () => {};
      const own = () => end(); // a distinct key, because callers may pass the same function twice
      watched.set(own, viewer);
      return () => void watched.delete(own);
    },
    close: () => looking.stop(),
  };
}
