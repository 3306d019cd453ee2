import { expect, it } from 'vitest';
import { createOpenRequests } from './open-requests.ts';

const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: {} }) as const;

function opened(...ids: number[]) {
  const unanswered: string[] = [];
  const requests = createOpenRequests(() => unanswered.push('unanswered'));
  for (const id of ids) requests.onSent(call(id));
  return { requests, unanswered, open: () => [...requests.awaited().keys()] };
}

it('a cancelled request no longer waits for an answer', () => {
  const { requests, open } = opened(1, 2);
  requests.onSent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  expect(open()).toEqual([2]);
});

it('the end of a stream ends the wait of its requests, unless the stream can be resumed', async () => {
  const { requests, unanswered, open } = opened(1, 2);
  const resumable = requests.watch([1]);
  resumable.onChunk(Buffer.from('event: message\ni'));
  resumable.onChunk(Buffer.from('d: 7\n'));
  resumable.onEnd();
  requests.watch([2]).onEnd();
  await expect.poll(open).toEqual([1]);
  expect(unanswered).toEqual(['unanswered']);
});
