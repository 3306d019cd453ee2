import { type DocumentNode, GraphQLError, Kind, visit } from 'graphql';
import { MAX_ALIASES, MAX_DIRECTIVES, MAX_OPERATIONS, MAX_SELECTIONS } from './tunables.ts';

/**
 * Refuses wide documents before validation, because comparing fields of the same name is quadratic.
 * @throws a GraphQLError with code DOCUMENT_TOO_LARGE
 */
export function checkShape(document: DocumentNode): void {
  const counts = { aliases: 0, directives: 0, operations: 0 };
  visit(document, {
    enter(node) {
      if (node.kind === Kind.FIELD && node.alias) counts.aliases++;
      else if (node.kind === Kind.DIRECTIVE) counts.directives++;
      else if (node.kind === Kind.OPERATION_DEFINITION) counts.operations++;
      else if (node.kind === Kind.SELECTION_SET && node.selections.length > MAX_SELECTIONS) {
        throw documentTooLarge(`more than ${MAX_SELECTIONS} fields side by side`);
      }
    },
  });
  if (counts.aliases > MAX_ALIASES) throw documentTooLarge(`more than ${MAX_ALIASES} aliases`);
  if (counts.directives > MAX_DIRECTIVES) throw documentTooLarge(`more than ${MAX_DIRECTIVES} directives`);
  if (counts.operations > MAX_OPERATIONS) throw documentTooLarge(`more than ${MAX_OPERATIONS} operations`);
}

export function documentTooLarge(what: string): GraphQLError {
  return new GraphQLError(`The document has ${what}. Split it, or pass data as variables.`, {
    extensions: { code: 'DOCUMENT_TOO_LARGE', http: { status: 400 } },
  });
}
