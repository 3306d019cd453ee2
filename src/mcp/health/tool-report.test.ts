import { expect, it } from 'vitest';
import { readListedTool } from '../list-tools.ts';
import { DEFAULT_TOOL_RULES } from '../tool-class.ts';
import { offerableTools, toolWarning } from './tool-report.ts';

const tool = (name: string, inputSchema: unknown) =>
  readListedTool({ name, inputSchema, annotations: { readOnlyHint: true } })!;
const LARGE = { properties: { q: { type: 'string', description: 'x'.repeat(40_000) } } };

it('names the tools whose arguments models cannot see as the server describes them', () => {
  const listed = [tool('whole', { type: 'object' }), tool('large', LARGE), tool('list', { type: 'array' })];
  expect(toolWarning('s', listed, DEFAULT_TOOL_RULES)).toMatchObject({
    message: expect.stringContaining('MCP server "s" describes the arguments of some tools') as string,
    details: expect.stringMatching(/shortened form: large\..* models see none: list\.$/) as string,
  });
  expect(toolWarning('s', listed.slice(0, 1), DEFAULT_TOOL_RULES)).toBeNull();
});

it('joins what it finds', () => {
  const rules = { ...DEFAULT_TOOL_RULES, readOnlyTools: ['gone'] };
  const warning = toolWarning('s', [readListedTool({ name: 'x', inputSchema: LARGE })!], rules);
  expect(warning?.message).toContain('does not declare which tools make changes');
  expect(warning?.details).toMatch(
    /changing_tools: x\..*shortened form: x\..*without a matching tool: gone\.$/,
  );
});

it('keeps the schemas of the first tools, up to a MiB', () => {
  const schema = { type: 'object', properties: { q: { type: 'string', description: 'x'.repeat(30_000) } } };
  const listed = Array.from({ length: 40 }, (_, index) => tool(`tool_${index}`, schema));
  const tools = offerableTools('s', listed, DEFAULT_TOOL_RULES, (text) => text);
  expect(tools.map(({ name }) => name)).toEqual(listed.map(({ name }) => name));
  const whole = tools.filter(({ inputSchema }) => JSON.stringify(inputSchema).length > 30_000);
  expect(whole.map(({ name }) => name)).toEqual(listed.slice(0, whole.length).map(({ name }) => name));
  expect(whole.length).toBe(Math.floor((1024 * 1024) / JSON.stringify(schema).length));
});
