import type { ShownSkill } from '../../engine/api/engine.ts';
import { builder } from '../builder.ts';

export const SkillRef = builder.objectRef<ShownSkill>('Skill').implement({
  description: 'Instructions for one kind of work, which the operator wrote.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As agents load it.' }),
    description: t.exposeString('description', { description: 'When to use it: what agents choose by.' }),
    body: t.exposeString('body', { description: 'The instructions, in Markdown.' }),
    requiredBy: t.stringList({
      description: 'Agents that always get it.',
      resolve: ({ requiredBy }) => [...requiredBy],
    }),
  }),
});
