import type { AgentSkills } from './skills.ts';

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
