import type { MemoryCategory } from '../../graphql/gen/documents.ts';

export const CATEGORIES: Readonly<Record<MemoryCategory, string>> = {
  SEMANTIC: 'How things are',
  EPISODIC: 'What happened',
  PROCEDURAL: 'How it is done',
};
