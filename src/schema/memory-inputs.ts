import { builder } from './builder.ts';
import { MemoryCategoryEnum } from './enums.ts';

export const UpdateMemoryInput = builder.inputType('UpdateMemoryInput', {
  description: 'What is changed of a memory; what is left out stays.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id or UUID of the memory.' }),
    content: t.string({ description: 'What is remembered; up to 1,000 characters, masked.' }),
    category: t.field({ type: MemoryCategoryEnum, description: 'What it says.' }),
    deprecated: t.boolean({
      description: 'Whether agents are given it no more. Reviews do not change it from then on.',
    }),
  }),
});
