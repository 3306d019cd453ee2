import { expect, test } from 'vitest';
import { type AgentPrompt, investigationSystemPrompt } from './investigation-prompt.ts';

const withheld = (count: number) =>
  investigationSystemPrompt({
    ...{
      agentName: 'A',
      mcpServers: [],
      unavailableServers: new Map(),
      customInstructions: '',
      hasTools: true,
    },
    leftOutTools: Array.from({ length: count }, (_, n) => ({
      server: 'host',
      tool: `t${n}`,
      kind: 'withheld',
    })),
    now: new Date(0),
    calendar: { timeZone: 'UTC', weekend: [], holidays: [] },
  } satisfies AgentPrompt);

test.each([
  [60, 60, null],
  [61, 60, '… and 1 more'],
])('of %i withheld tools a prompt names %i', (count, named, more) => {
  const prompt = withheld(count);
  expect(prompt.match(/^- host\.t\d+$/gm)).toHaveLength(named);
  expect(/… and \d+ more/.exec(prompt)?.[0] ?? null).toBe(more);
});
