import { expect, test } from 'vitest';
import { FIND_TOOLS } from './find-tools.ts';
import { toFunctionName } from './tool-names.ts';
import { createToolOffer } from './tool-offer.ts';
import { definitionSize } from './tool-selection.ts';
import type { KnownTool } from './types.ts';

/** Returns a tool whose description and schema have about this size. */
function known(server: string, tool: string, description = '', units = 0): KnownTool {
  const name = `${server}.${tool}`;
  const inputSchema = { type: 'object', description: 'x'.repeat(units) };
  const annotations = { readOnly: true, destructive: null, idempotent: null, openWorld: null };
  return {
    server,
    tool,
    definition: {
      name,
      description,
      inputSchema,
      toolClass: 'reads',
      annotations,
      repeatable: true,
      ask: null,
    },
  };
}
const many = (server: string, count: number, units = 0) =>
  Array.from({ length: count }, (_, index) => known(server, `item_${index}`, '', units));

function offer(tools: KnownTool[], limits = { tools: 20, units: 100_000 }, about = '') {
  const catalogue = new Map(tools.map((tool) => [toFunctionName(tool.definition.name), tool]));
  const made = createToolOffer(catalogue, about, limits);
  const names = () => made.tools().map(({ name }) => name);
  const countOf = (server: string) => names().filter((name) => name.startsWith(`${server}.`)).length;
  const size = () =>
    catalogue
      .values()
      .filter(({ definition }) => names().includes(definition.name))
      .reduce((sum, tool) => sum + definitionSize(tool), 0);
  return { ...made, names, countOf, size };
}

test('offers all tools in order when they fit, with nothing to find', () => {
  const tools = [...many('a', 10), ...many('b', 10)];
  const { names, leftOut } = offer(tools, undefined, 'item 9');
  expect(names()).toEqual(tools.map(({ definition }) => definition.name));
  expect(leftOut()).toEqual([]);
});

test('a server with very many tools leaves room for the others', () => {
  const { names, countOf, leftOut } = offer([...many('a', 200), ...many('b', 5), ...many('c', 3)]);
  expect([countOf('a'), countOf('b'), countOf('c')]).toEqual([7, 5, 3]);
  expect(names()[0]).toBe(FIND_TOOLS);
  expect(names()).toHaveLength(16); // four places are reserved for found tools
  expect(leftOut()).toHaveLength(193);
  expect(leftOut()[0]).toMatchObject({ server: 'a', kind: 'findable' });
});

test('a server with large definitions leaves room for the others', () => {
  const { countOf, size } = offer([...many('a', 15, 20_000), ...many('b', 5, 2000)]);
  expect(countOf('b')).toBe(5);
  expect(countOf('a')).toBe(3);
  expect(size()).toBeLessThanOrEqual(80_000);
});

test('one definition that is too large does not exclude those after it', () => {
  const { names } = offer([known('a', 'huge', '', 99_000), ...many('a', 19, 500)]);
  expect(names()).not.toContain('a.huge');
  expect(names()).toContain('a.item_9');
});

test('tools that match the alert come first, whatever their position', () => {
  const tools = [
    ...many('a', 50),
    known('a', 'disk_usage', 'Free space'),
    ...many('b', 50),
    known('b', 'get', 'Inodes of file systems'),
  ];
  const { names } = offer(tools, undefined, 'DiskFull: no inodes left on /var');
  expect(names()).toEqual(expect.arrayContaining(['a.disk_usage', 'b.get']));
  expect(offer(tools, undefined, 'DiskFull: no inodes left on /var').names()).toEqual(names());
});

test('found tools join the list, and the oldest are evicted', () => {
  const topics = ['cpu', 'dns', 'tls', 'queue', 'kernel', 'cron'];
  const tools = [...many('a', 50), ...topics.map((topic) => known('a', `${topic}_state`))];
  const { names, find } = offer(tools);
  const before = names();
  expect(find('nothing of it')).toEqual([]);
  expect(names()).toEqual(before);
  for (const topic of topics)
    expect(find(`${topic} of the node`).map(({ tool }) => tool)).toEqual([`${topic}_state`]);
  expect(names().filter((name) => !before.includes(name))).toEqual(
    topics.slice(-4).map((topic) => `a.${topic}_state`),
  );
  expect(names().length).toBeLessThanOrEqual(20);
});

test('a resumed conversation is offered its tools again', () => {
  const { names, offerMentioned } = offer(
    [...many('a', 50), known('b-c', 'late-tool'), known('b-c', 'late')],
    {
      tools: 10,
      units: 100_000,
    },
  );
  const before = names();
  offerMentioned('Observation: call a__item_40, then (a.item_41). Not xa.item_42.');
  expect(names().filter((name) => !before.includes(name))).toEqual(['a.item_40', 'a.item_41']);
});

test('a found tool joins the list even if it alone is larger than the reserved room', () => {
  const { names, find } = offer([...many('a', 50), known('a', 'dns_state', '', 30_000)]);
  expect(names()).not.toContain('a.dns_state');
  find('dns of the node');
  expect(names()).toContain('a.dns_state');
});

test('the best matches of a search stay in the list if not all of them fit', () => {
  const others = Array.from({ length: 6 }, (_, n) => known('a', `probe_${n}`, 'Asks dns'));
  const { names, find } = offer([...many('a', 50), ...others, known('a', 'dns_state', 'Caches')]);
  const before = names();
  expect(find('state of dns')).toHaveLength(7);
  const found = names().filter((name) => !before.includes(name));
  expect(found).toHaveLength(4);
  expect(found).toContain('a.dns_state');
});
