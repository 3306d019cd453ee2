import type { WildMode } from './wild-mode.ts';

/** Modes in which the fake server's handshake or tool list differs from the protocol. */
const LONG = 'Explains at length what this argument is for. '.repeat(20);
const many = (count: number, schema: object) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`option_${index}`, schema]));
const string = { type: 'string' };
const go = (more: object = {}) => ({
  name: 'go',
  description: 'Goes',
  inputSchema: { type: 'object' },
  ...more,
});
const list = (...tools: unknown[]) => ({ list: () => ({ tools }) });
const withSchema = (inputSchema: unknown) => list(go({ inputSchema }));
const kinds = (kind: string, name: string) => ({
  type: 'object',
  properties: { kind: { const: kind }, [name]: string },
  required: ['kind', name],
});

export const HANDSHAKES: Record<string, WildMode> = {
  'initialize with null _meta': { initialize: (result) => ({ ...result, _meta: null }) },
  'initialize with null texts': {
    initialize: (result) => ({
      ...result,
      instructions: null,
      serverInfo: { name: 'x', version: '1', title: null, icons: null, websiteUrl: null },
    }),
  },
  'initialize with null capabilities': {
    initialize: (result) => ({
      ...result,
      capabilities: { tools: { listChanged: null }, prompts: null, logging: null, experimental: null },
    }),
  },
  'initialize with a null error': { answer: (id, result) => ({ jsonrpc: '2.0', id, result, error: null }) },
};

export const LISTS: Record<string, WildMode> = {
  'nextCursor null': { list: () => ({ tools: [go()], nextCursor: null }) },
  'nextCursor empty, always the same page': { list: () => ({ tools: [go()], nextCursor: '' }) },
  'list with null _meta': { list: () => ({ tools: [go()], _meta: null }) },
  'tools null': {
    list: () => ({ tools: null }),
    expected: { isError: true, content: /^Unknown tool "wild\.go".* No tools are available\.$/ },
  },
  'a tool with null members': list(
    go({
      description: null,
      annotations: null,
      outputSchema: null,
      execution: null,
      title: null,
      _meta: null,
    }),
  ),
  'annotations with null hints': list(go({ annotations: { readOnlyHint: null, title: null } })),
  'broken tools beside a good one': list(null, 7, { name: 7 }, { title: 'nameless' }, go()),
  'inputSchema null': { ...list(go({ inputSchema: null })), properties: [] },
  'inputSchema without a root type': {
    ...withSchema({ properties: { q: string }, required: ['q'] }),
    args: { q: 'x' },
    properties: ['q'],
  },
  'inputSchema whose type is a list': {
    ...withSchema({ type: ['object', 'null'], properties: { q: string } }),
    properties: ['q'],
  },
  'anyOf at the root': {
    ...withSchema({
      anyOf: [
        { type: 'object', properties: { id: string }, required: ['id'] },
        { type: 'object', properties: { name: string }, required: ['name'] },
      ],
    }),
    args: { name: 'x' },
    properties: ['id', 'name'],
  },
  'anyOf at the root, an argument that fits none': {
    ...withSchema({ anyOf: [{ properties: { id: string }, required: ['id'] }, { required: ['name'] }] }),
    args: { other: 1 },
    properties: ['id'],
    expected: {
      isError: true,
      content: /^Invalid arguments for tool go; it was not called:\n- id is missing/,
    },
  },
  'oneOf at the root with equal names': {
    ...withSchema({ type: 'object', oneOf: [kinds('pod', 'pod'), kinds('node', 'node')] }),
    args: { kind: 'node', node: 'n1' },
    properties: ['kind', 'pod', 'node'],
  },
  'allOf at the root': {
    ...withSchema({
      allOf: [{ properties: { a: string }, required: ['a'] }, { $ref: '#/$defs/more' }],
      $defs: { more: { properties: { b: string } } },
    }),
    args: { a: 'x' },
    properties: ['a', 'b'],
  },
  '$ref at the root': {
    ...withSchema({ $ref: '#/$defs/Args', $defs: { Args: { type: 'object', properties: { q: string } } } }),
    args: { q: 'x' },
    properties: ['q'],
  },
  'a chain of $refs at the root': {
    ...withSchema({
      $ref: '#/definitions/a~1b',
      definitions: { 'a/b': { $ref: '#/definitions/c' }, c: { properties: { q: string } } },
    }),
    properties: ['q'],
  },
  '$ref at the root to itself': {
    ...withSchema({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }),
    properties: [],
  },
  'a schema with long descriptions': {
    ...withSchema({ type: 'object', properties: many(60, { ...string, description: LONG }) }),
    args: { option_59: 'x' },
    properties: Object.keys(many(60, {})),
  },
  'a schema with long lists of values': {
    ...withSchema({
      properties: { q: string, zone: { enum: Array.from({ length: 9_000 }, (_, index) => `zone-${index}`) } },
    }),
    args: { q: 'x', zone: 'zone-7' },
    properties: ['q', 'zone'],
  },
  'a schema of 10,000 arguments': {
    ...withSchema({ properties: many(10_000, string), required: ['option_9999'] }),
    args: { option_9999: 'x' },
    isShown: (names) => names.length > 300 && names[0] === 'option_9999',
  },
};
