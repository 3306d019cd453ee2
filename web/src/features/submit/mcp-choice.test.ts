import { describe, expect, it } from 'vitest';
import { choiceOf, mcpInput, NO_CHOICE, toggleServer, toggleTool } from './mcp-choice.ts';

const known = ['read', 'list', 'delete'];

describe('choosing tools', () => {
  it('adds a server with all its tools, and removes it', () => {
    expect(toggleServer({}, 'kube')).toEqual({ kube: 'all' });
    expect(toggleServer({ kube: ['read'], host: 'all' }, 'kube')).toEqual({ host: 'all' });
  });

  it('removes single tools, and returns to all tools', () => {
    const without = toggleTool({ kube: 'all' }, 'kube', 'delete', known);
    expect(without).toEqual({ kube: ['read', 'list'] });
    expect(toggleTool(without, 'kube', 'delete', known)).toEqual({ kube: 'all' });
    expect(toggleTool({}, 'kube', 'list', known)).toEqual({ kube: ['list'] });
  });

  it('never keeps a server without tools, because none would mean all', () => {
    expect(toggleTool({ kube: ['list'], host: 'all' }, 'kube', 'list', known)).toEqual({ host: 'all' });
  });
});

describe('the input for the API', () => {
  it('is null if nothing was chosen', () => {
    expect(mcpInput(NO_CHOICE, ['kube'])).toBeNull();
  });

  it('names the servers and their tools', () => {
    expect(mcpInput({ servers: { kube: ['read'], host: 'all' }, native: {} }, ['x'])).toEqual({
      servers: [
        { name: 'kube', tools: ['read'] },
        { name: 'host', tools: null },
      ],
      nativeTools: null,
    });
  });

  it('keeps the usual servers if only native tools are chosen, and no servers if none are chosen', () => {
    const native = { googleSearch: false };
    expect(mcpInput({ servers: null, native }, ['kube'])).toEqual({
      servers: [{ name: 'kube', tools: null }],
      nativeTools: native,
    });
    expect(mcpInput({ servers: {}, native: {} }, ['kube'])?.servers).toEqual([]);
  });
});

describe('the choice of an earlier alert', () => {
  it('round-trips through the input', () => {
    const choice = { servers: { kube: ['read'], host: 'all' }, native: { urlContext: true } } as const;
    expect(choiceOf(mcpInput(choice, []))).toEqual(choice);
  });

  it.each([null, undefined, 'text', 7, { servers: 'x' }, {}])('is empty for %j', (selection) => {
    expect(choiceOf(selection)).toEqual(NO_CHOICE);
  });

  it('ignores invalid servers', () => {
    const servers = [null, { name: 3 }, { name: 'kube', tools: null }, { name: 'host', tools: [] }];
    expect(choiceOf({ servers }).servers).toEqual({ kube: 'all' });
  });
});
