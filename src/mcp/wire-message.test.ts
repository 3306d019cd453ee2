import { describe, expect, it } from 'vitest';
import { repairMessage } from './wire-message.ts';

describe('an answer without an id', () => {
  const answer = { jsonrpc: '2.0', result: { content: [] } };

  it('belongs to the only request that waits', () => {
    expect(repairMessage(answer, new Map([[7, 'tools/call']]))).toMatchObject({ id: 7 });
  });

  it('belongs to none if several requests wait, because it could be that of another call', () => {
    const awaited = new Map([
      [7, 'tools/call'],
      [8, 'tools/call'],
    ]);
    expect(repairMessage(answer, awaited)).toEqual(answer);
  });
});
