import type { SkillInfo } from '../../engine/api/engine.ts';
import { builder, objectType } from '../builder.ts';

const SkillRef = objectType<SkillInfo>(
  'Skill',
  'Instructions of the operator for one kind of work.',
  (t) => ({
    name: t.exposeString('name', { description: 'Name with which agents load the skill.' }),
    description: t.exposeString('description', {
      description: 'When to use it. Agents choose skills by this text.',
    }),
    body: t.exposeString('body', { description: 'The instructions, in Markdown.' }),
    requiredBy: t.stringList({
      description: 'Agents that always receive it.',
      resolve: ({ requiredBy }) => [...requiredBy],
    }),
  }),
);

builder.queryField('skills', (t) =>
  t.field({
    type: [SkillRef],
    description: 'Skills of the folder `skills` next to the configuration, by name.',
    resolve: (_root, _args, { engine }) => engine.listSkills(),
  }),
);
