import { builder } from '../schema/builder.ts';
import { SkillRef } from '../schema/types/skill.ts';

builder.queryField('skills', (t) =>
  t.field({
    type: [SkillRef],
    description: 'The skills of the folder `skills` beside the configuration, by name.',
    resolve: (_root, _args, { engine }) => engine.listSkills(),
  }),
);
