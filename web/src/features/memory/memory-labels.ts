import type { MemoryCategory } from '../../graphql/gen/documents.ts';

export const CATEGORIES: Readonly<Record<MemoryCategory, string>> = {
  SEMANTIC: 'Fact',
  EPISODIC: 'Event',
  PROCEDURAL: 'Procedure',
};
