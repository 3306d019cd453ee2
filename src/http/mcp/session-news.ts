import type { ServerEventBus } from '@modelcontextprotocol/server';
import { isVisible, type Visibility } from '../../access/visibility.ts';
import type { Engine } from '../../engine/api/engine.ts';

/** Returns the address of the report resource of a session. */
export const reportUri = (sessionId: string) => `tarsy://investigations/${sessionId}`;

/**
 * Returns the source of resource updates: a report changes with its session. A subscriber hears only of sessions that
 * `sightNow` lets it see, so that a subscription tells nothing about sessions of other teams.
 */
export function createSessionNews(
  engine: Pick<Engine, 'subscribeSessions'>,
  sightNow: () => Visibility,
): ServerEventBus {
  return {
    publish() {},
    subscribe(listener) {
      const sight = sightNow();
      return engine.subscribeSessions().listen(({ id, team }) => {
        if (isVisible(sight, team)) listener({ kind: 'resource_updated', uri: reportUri(id) });
      });
    },
  };
}
