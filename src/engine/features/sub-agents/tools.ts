import type { BuiltinTool } from '../../common/builtin-tools.ts';
import { availableSubAgents, delegatedTasks } from '../../run-context/sub-agent-inbox.ts';
import type { SubAgent } from '../../run-context/types.ts';

/** Maximum length of a task (UTF-16 code units): about a page. */
const TASK_MAX_UNITS = 8_000;

/** The operations behind the tools. Their error messages are shown to the model. */
export interface SubAgentToolsDeps {
  available: readonly { name: string; description: string }[];
  all(): readonly SubAgent[];
  /**
   * Starts a sub-agent on a task. @param callId id of the tool call; a repeated call finds the sub-agent that
   * it started
   */
  dispatch(name: string, task: string, callId: string): Promise<SubAgent>;
  cancel(id: string): Promise<SubAgent>;
}

export function subAgentTools({ available, all, dispatch, cancel }: SubAgentToolsDeps): BuiltinTool[] {
  if (available.length === 0) return [];
  return [
    {
      name: 'tarsy.dispatch_agent',
      description: `Gives a task to a sub-agent, which works on it by itself while you go on; several work side by side. Its answer is told to you as a message as soon as it has ended: do not ask for it. When you have nothing left to do, answer without a tool call, and you are waited with until one has ended.\n\nSub-agents:\n${availableSubAgents(available)}`,
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', enum: available.map(({ name }) => name), description: 'Of the sub-agent' },
          task: {
            type: 'string',
            minLength: 1,
            maxLength: TASK_MAX_UNITS,
            description: 'What it is to find out; it knows the alert, and nothing of what you have seen',
          },
        },
        required: ['name', 'task'],
      },
      async run({ name, task }, { id }) {
        const agent = await dispatch(String(name), String(task), id);
        return `${agent.name} works on it as ${agent.id}.`;
      },
    },
    {
      name: 'tarsy.cancel_agent',
      description: 'Stops a sub-agent whose answer is not needed any more, and whatever it has begun.',
      inputSchema: {
        type: 'object',
        properties: { execution_id: { type: 'string', description: 'As dispatch_agent gave it' } },
        required: ['execution_id'],
      },
      async run({ execution_id: id }) {
        const agent = await cancel(String(id).trim());
        return `${delegatedTasks([agent])}.`;
      },
    },
    {
      name: 'tarsy.list_agents',
      description: 'Tells which sub-agents there are, and what became of the tasks that you gave.',
      inputSchema: { type: 'object', properties: {} },
      run: async () => `Sub-agents:\n${availableSubAgents(available)}\n\nTasks:\n${delegatedTasks(all())}`,
    },
  ];
}
