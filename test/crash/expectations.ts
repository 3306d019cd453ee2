import { expect } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import type { Followed } from '../helpers/follower.ts';

export interface Message {
  role: string;
  content: string;
  toolCalls: { id: string; name: string }[];
}

/**
 * Returns the parts of a conversation from which a scripted model answers, so that a repeated call gets an
 * equal answer.
 */
export function conversation({ messages }: GenerateRequest) {
  return {
    system: messages[0]?.content ?? '',
    user: messages[1]?.content ?? '',
    answers: messages.filter(({ role }) => role === 'assistant').length,
  };
}

/** Asserts that each call has exactly one answer and that the conversation ends once. */
export function expectNothingTwice(messages: readonly Message[]): void {
  const calls = messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
  expect(new Set(calls).size).toBe(calls.length);
  const roles = messages.map(({ role }) => role);
  const expected =
    calls.length === 0
      ? ['SYSTEM', 'USER', 'ASSISTANT']
      : ['SYSTEM', 'USER', 'ASSISTANT', ...calls.map(() => 'TOOL'), 'ASSISTANT'];
  expect(roles).toEqual(expected);
}

/** Asserts that the timeline is complete and closed, and that the client's stream contained all of it. */
export function expectReconstructed(
  timeline: readonly { id: string; sequenceNumber: number; type: string; status: string; content: string }[],
  follower: Followed,
): void {
  expect(timeline.map(({ sequenceNumber }) => sequenceNumber)).toEqual(timeline.map((_, n) => n + 1));
  expect(timeline.filter(({ status }) => status === 'STREAMING')).toEqual([]);
  expect(new Set(follower.cursors).size).toBe(follower.cursors.length);
  for (const { id, type, content } of timeline) {
    expect(follower.texts.get(id)?.final).toEqual({ content, type });
  }
  expect(follower.texts.size).toBe(timeline.length);
}
