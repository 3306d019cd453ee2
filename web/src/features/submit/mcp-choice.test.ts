import { describe, expect, it } from 'vitest';
import { choiceOf, mcpInput, NO_CHOICE, toggleServer, toggleTool } from './mcp-choice.ts';

const known = ['read', 'list', 'delete'];

describe('choosing tools', () => {
  it('takes a server in with all its tools, and out', () => {
    expect(toggleServer({}, 'kube')).toEqual({ kube: 'all' });
    expect(toggleServer({ kube: ['read'], host: 'all' }, 'kube')).toEqual({ host: 'all' });
  });

  it('takes single tools out of all, and comes back to all', () => {
    const without = toggleTool({ kube: 'all' }, 'kube', 'delete', known);
    expect(without).toEqual({ kube: ['read', 'list'] });
    expect(toggleTool(without, 'kube', 'delete', known)).toEqual({ kube: 'all' });
    expect(toggleTool({}, 'kube', 'list', known)).toEqual({ kube: ['list'] });
  });

  it('never leaves a server without tools: none would mean all', () => {
    expect(toggleTool({ kube: ['list'], host: 'all' }, 'kube', 'list', known)).toEqual({ host: 'all' });
  });
});

describe('what is sent', () => {
  it('is nothing when nothing was chosen', () => {
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

  it('keeps the usual servers when only native tools are chosen, and none when none are', () => {
    const native = { googleSearch: false };
    expect(mcpInput({ servers: null, native }, ['kube'])).toEqual({
      servers: [{ name: 'kube', tools: null }],
      nativeTools: native,
    });
    expect(mcpInput({ servers: {}, native: {} }, ['kube'])?.servers).toEqual([]);
  });
});

describe('the choice of an earlier alert', () => {
  it('comes back as it was sent', () => {
    const choice = { servers: { kube: ['read'], host: 'all' }, native: { urlContext: true } } as const;
    expect(choiceOf(mcpInput(choice, []))).toEqual(choice);
  });

  it.each([null, undefined, 'text', 7, { servers: 'x' }, {}])('is none in %j', (selection) => {
    expect(choiceOf(selection)).toEqual(NO_CHOICE);
  });

  it('leaves out what is no server', () => {
    const servers = [null, { name: 3 }, { name: 'kube', tools: null }, { name: 'host', tools: [] }];
    expect(choiceOf({ servers }).servers).toEqual({ kube: 'all' });
  });
});
