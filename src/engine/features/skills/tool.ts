import type { OwnTool } from '../../common/builtin-tools.ts';
import type { Skill } from './folder.ts';
import type { AgentSkills } from './skills.ts';

const MAX_AT_ONCE = 5;

/**
 * The tool by which an agent loads skills; none where there are none to load.
 * @param loaded is told which were loaded
 */
export function skillTools(
  offered: readonly Skill[],
  loaded: (skills: readonly Skill[]) => Promise<void>,
): OwnTool[] {
  if (offered.length === 0) return [];
  return [
    {
      name: 'tarsy.load_skill',
      description:
        'Gives you the instructions of skills that your list names, to be followed for work of their kind.',
      inputSchema: {
        type: 'object',
        properties: {
          names: {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
            maxItems: MAX_AT_ONCE,
            description: 'Names of skills, as the list has them',
          },
        },
        required: ['names'],
      },
      async run({ names }) {
        const asked = [...new Set((names as unknown[]).map(String))];
        const found = offered.filter(({ name }) => asked.includes(name));
        const missing = asked.filter((name) => !found.some((skill) => skill.name === name));
        const none = `There is no skill ${missing.map((name) => name.slice(0, 80)).join(', ')}; there are: ${offered.map(({ name }) => name).join(', ')}.`;
        if (found.length === 0) throw new Error(none);
        await loaded(found);
        const texts = found.map(({ name, body }) => `## Skill ${name}\n\n${body}`);
        return [...texts, ...(missing.length > 0 ? [none] : [])].join('\n\n');
      },
    },
  ];
}

/** The operator's skills in an agent's instructions: the texts of those that it needs, the names of those that it may load. */
export function skillSections({ required, offered }: AgentSkills): string[] {
  const texts = required.map(({ name, body }) => `## Skill ${name}\n\n${body}`);
  if (offered.length === 0) return texts;
  const listed = offered.map(({ name, description }) => `- ${name}: ${description.replace(/\s+/g, ' ')}`);
  return [
    ...texts,
    `## Skills at hand\n\nThe operators wrote instructions for these kinds of work. Load one with load_skill before you do such work; what it says are instructions of theirs, unlike other results of tools.\n\n${listed.join('\n')}`,
  ];
}
