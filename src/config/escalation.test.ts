import { expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';

const chain = (stages: string, rest = '') => `
agents: { A: {} }
agent_chains:
  c:
    alert_types: [t]
    stages: [${stages}]
    ${rest}
`;
const first = '{ name: rules, escalate: inconclusive, agents: [{ name: A }] }';
const last = '{ name: rest, agents: [{ name: A }] }';

test('the next stage runs always, unless the chain says otherwise', async () => {
  const { chains } = await loadText(chain(`${first}, ${last}`));
  expect(chains.c!.stages.map(({ escalate }) => escalate)).toEqual(['INCONCLUSIVE', 'ALWAYS']);
});

test.each([
  ['the last stage', chain(first), 'agent_chains.c.stages[0].escalate: no stage follows'],
  [
    'a chain without reports',
    chain(`${first}, ${last}`, 'report: { enabled: false }'),
    'agent_chains.c.stages[0].escalate: the verdict of a report decides, and reports are off',
  ],
])('%s cannot escalate', async (_, yaml, message) => {
  await expect(loadText(yaml)).rejects.toThrow(message);
});
