import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Viewer } from '../../access/viewer.ts';
import { isVisible } from '../../access/visibility.ts';
import type { Engine } from '../../engine/api/engine.ts';

/** Returns the address of the report resource of a session. */
export const reportUri = (sessionId: string) => `tarsy://investigations/${sessionId}`;

/**
 * Returns the source of resource updates: a report changes with its session. A subscriber hears only of sessions that it
 * may read, so that a subscription tells nothing about others.
 * @param viewerNow returns the viewer who subscribes
 */
export function createSessionNews(
  engine: Pick<Engine, 'subscribeSessions'>,
  viewerNow: () => Pick<Viewer, 'rights' | 'teams'>,
): ServerEventBus {
  return {
    publish() {},
    subscribe(listener) {
      const { rights, teams } = viewerNow();
      if (!rights.has('READ')) return () => {};
      return engine.subscribeSessions().listen(({ id, team }) => {
        if (isVisible(teams, team)) listener({ kind: 'resource_updated', uri: reportUri(id) });
      });
    },
  };
}
