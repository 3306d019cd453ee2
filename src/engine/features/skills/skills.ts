import type { Logger } from 'pino';
import { ConfigError, type ConfigIssue } from '../../../config/errors.ts';
import type { Config } from '../../../config/types.ts';
import type { ShownSkill } from '../../api/engine.ts';
import type { OwnTool } from '../../common/builtin-tools.ts';
import { folderSignature, readSkills, type Skill, type SkillFolder } from './folder.ts';

/** Milliseconds that a look at the folder is good for. */
const LOOK_MS = 2_000;

/** What an agent gets of them. */
export interface AgentSkills {
  /** In its instructions from the start. */
  required: readonly Skill[];
  /** That it may load. */
  offered: readonly Skill[];
}

/** The operator's skills, as they are in their folder by now. */
export interface Skills {
  of(agentName: string): Promise<AgentSkills>;
  list(): Promise<ShownSkill[]>;
}

/**
 * Reads the skills of a folder, and reads them again when files change; what is wrong then is logged, and what was there before
 * stays.
 * @throws ConfigError when files are wrong, or agents name skills that there are not
 */
export async function openSkills(
  dir: string,
  config: Pick<Config, 'agents'>,
  logger: Logger,
): Promise<Skills> {
  let known: SkillFolder = await readSkills(dir);
  const wrong = [...known.issues, ...unknownNames(config, known.skills)];
  if (wrong.length > 0) throw new ConfigError(wrong);
  let signature = await folderSignature(dir);
  let looked = performance.now();

  async function current(): Promise<readonly Skill[]> {
    if (performance.now() - looked < LOOK_MS) return known.skills;
    looked = performance.now();
    try {
      const now = await folderSignature(dir);
      if (now === signature) return known.skills;
      signature = now;
      const read = await readSkills(dir);
      const issues = [...read.issues, ...unknownNames(config, read.skills)];
      if (issues.length > 0)
        logger.warn(
          { problems: issues.map(({ file, message }) => `${file}: ${message}`) },
          'skills changed and are wrong; those of before stay',
        );
      else {
        known = read;
        logger.info({ skills: read.skills.length }, 'skills changed');
      }
    } catch (error) {
      logger.warn({ err: error }, 'the skills could not be read again');
    }
    return known.skills;
  }

  return {
    async of(agentName) {
      const agent = config.agents[agentName];
      const skills = await current();
      const required = skills.filter(({ name }) => agent?.requiredSkills.includes(name));
      const allowed = agent?.skills ?? null;
      const offered = skills.filter(
        (skill) => !required.includes(skill) && (allowed === null || allowed.includes(skill.name)),
      );
      return { required, offered };
    },
    async list() {
      const agents = Object.values(config.agents);
      return (await current()).map((skill) => ({
        ...skill,
        requiredBy: agents
          .filter(({ requiredSkills }) => requiredSkills.includes(skill.name))
          .map(({ name }) => name),
      }));
    },
  };
}

/** Agents that name skills which there are not. */
function unknownNames({ agents }: Pick<Config, 'agents'>, skills: readonly Skill[]): ConfigIssue[] {
  const names = new Set(skills.map(({ name }) => name));
  return Object.values(agents).flatMap((agent) =>
    [...agent.requiredSkills, ...(agent.skills ?? [])]
      .filter((name) => !names.has(name))
      .map((name) => ({
        ...{ file: 'skills', line: 0, column: 0, path: '' },
        message: `agent ${agent.name} names the skill ${name}, and there is none of this name`,
      })),
  );
}

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
