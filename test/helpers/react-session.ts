import { expect } from 'vitest';
import { apiClient, ENDED, type SessionView } from './api.ts';
import type { TestApp } from './app.ts';
import { type Followed, follow, newFollower } from './follower.ts';
import type { ScriptedResponse } from './scripted-llm/index.ts';

interface Item {
  id: string;
  type: string;
  status: string;
  content: string;
  metadata: Record<string, unknown> | null;
}

interface Stored {
  session: SessionView;
  timeline: Item[];
  messages: { role: string; content: string; toolCalls: unknown[] }[];
  watched: Followed;
}

export const SUMMARY: ScriptedResponse = { text: 'Summary.' };

/**
 * Runs one alert with scripted model responses while a client watches. Asserts that no model call offers
 * tools.
 */
export async function investigate(app: TestApp, responses: readonly ScriptedResponse[]): Promise<Stored> {
  const api = apiClient(app.url);
  app.llm.script(...responses);
  const id = await api.submit('Trouble');
  const watched = newFollower();
  await follow(api, id, watched, { isEnd: (status) => ENDED.has(status) });
  const session = await api.waitFor(id, ({ status }) => ENDED.has(status));
  const { session: stored } = await api.query<{
    session: { timeline: Item[]; stages: { executions: { messages: Stored['messages'] }[] }[] };
  }>(
    `query ($id: ID!) { session(id: $id) { timeline { id type status content metadata }
       stages { executions { messages { role content toolCalls { name } } } } } }`,
    { id },
  );
  app.llm.assertNoUnusedScripts();
  expect(app.llm.requests.flatMap(({ tools }) => tools)).toEqual([]);
  const [execution] = stored.stages[0]!.executions;
  return { session, timeline: stored.timeline, messages: execution!.messages, watched };
}

export const facts = (timeline: readonly Item[]) =>
  timeline.map(({ type, status, content }) => [type, status, content]);

/**
 * Asserts that each text's streamed pieces have no gaps between them, and that they begin with the stored
 * text.
 */
export function expectTiled({ timeline, watched }: Stored): void {
  expect([...watched.texts.values()].some(({ pieces }) => pieces.length > 0)).toBe(true);
  for (const { id, type, content } of timeline) {
    const text = watched.texts.get(id)!;
    expect(text.final).toEqual({ content, type });
    if (text.pieces.length === 0) continue;
    const tiled = text.pieces.reduce((whole, { offset, delta }) => {
      expect(offset).toBe(whole.length);
      return whole + delta;
    }, '');
    expect(tiled.slice(0, content.length)).toBe(content);
  }
}
