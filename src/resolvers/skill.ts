import { builder } from '../schema/builder.ts';
import { SkillRef } from '../schema/types/skill.ts';

builder.queryField('skills', (t) =>
  t.field({
    type: [SkillRef],
    description: 'Skills of the folder `skills` next to the configuration, by name.',
    resolve: (_root, _args, { engine }) => engine.listSkills(),
  }),
);
