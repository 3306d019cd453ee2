import { expect, test } from 'vitest';
import { HOSTILE, noticeWith } from '../../../test/fixtures/notice.ts';
import type { GuardedPost } from '../guarded-request.ts';
import type { Notice } from '../notice.ts';
import { mattermostChannel } from './mattermost.ts';
import { teamsChannel } from './teams.ts';

const URL_OF_CHAT = { url: new URL('https://chat.example/hooks/x'), allowPrivate: false };

/** Returns the body that a channel posts for a notice. */
async function posted(
  channel: typeof teamsChannel | typeof mattermostChannel,
  notice: Notice,
): Promise<string> {
  let sent = '';
  const post: GuardedPost = async ({ body }) => {
    sent = body;
  };
  await channel(post, URL_OF_CHAT)({ id: 'x', createdAt: new Date(0), notice }, new AbortController().signal);
  return sent;
}

/** Returns every value under a key, at any depth. */
function valuesOf(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === key ? [inner] : []),
    ...valuesOf(inner, key),
  ]);
}

test('Teams gets an Adaptive Card whose texts are not interpreted', async () => {
  const message = JSON.parse(await posted(teamsChannel, noticeWith(HOSTILE)));
  const [attachment] = message.attachments;
  expect(message.type).toBe('message');
  expect(attachment.contentType).toBe('application/vnd.microsoft.card.adaptive');
  expect(attachment.content).toMatchObject({ type: 'AdaptiveCard', version: '1.4' });
  const { body, actions } = attachment.content;
  expect(new Set(valuesOf(body, 'type'))).toEqual(new Set(['RichTextBlock', 'TextRun']));
  expect(actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open the page', url: noticeWith('').link }]);
  const texts = valuesOf(body, 'text').join('\n');
  expect(texts).toContain('[click](https://evil.example)');
  expect(texts).not.toMatch(/hunter2|[\u202a-\u202e\u2066-\u2069]/);
});

test('Mattermost gets text without mentions, links or formatting of others', async () => {
  const { text } = JSON.parse(await posted(mattermostChannel, noticeWith(HOSTILE))) as { text: string };
  const [outside = ''] = text.split('**Arguments**');
  expect(outside).not.toMatch(/[@＠](?!\u2060)/);
  expect(outside).toContain('\\[click\\]\\(https://evil\\.example\\)');
  expect(outside).toContain('\\*\\*bold\\*\\*');
  expect(text.match(/(?<!\\)\]\(/g)).toHaveLength(3); // two in the code block, and the link to the page
  const [, fence = '', code = ''] = /\*\*Arguments\*\*\n(`+)\n([\s\S]*?)\n\1\n/.exec(text) ?? [];
  expect(fence).toBe('````');
  expect(code).toContain('```');
  expect(text).not.toMatch(/hunter2/);
});

test.each<[string, typeof teamsChannel, number]>([
  ['Teams', teamsChannel, 28_000],
  ['Mattermost', mattermostChannel, 16_383],
])('a message to %s fits its limit, whatever it says', async (_, channel, limit) => {
  for (const written of ['x'.repeat(60_000), '漢'.repeat(60_000), '*@`"\\'.repeat(12_000)]) {
    const body = await posted(channel, noticeWith(written));
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(limit);
    expect(body).toContain('https://tarsy.example/sessions/');
  }
});
