import { type DocumentNode, Kind, visit } from 'graphql';

/** Subscription field and argument that hold the cursor after which a subscriber's events start. */
const CURSOR_FIELD = 'sessionEvents';
const CURSOR_ARGUMENT = 'after';

export interface ExecutionKeyParts {
  topic: string;
  document: DocumentNode;
  operationName: string | null | undefined;
  variables: Readonly<Record<string, unknown>> | null | undefined;
  /** Key of the viewer's visibility. Viewers with equal keys get equal results. */
  viewer: string;
}

export type KeyOf = (sameness: ExecutionKeyParts) => string;

/**
 * Creates the function that returns the key of a shared execution. Start cursors are ignored: they affect only replays.
 */
export function createExecutionKeys(): KeyOf {
  const known = new WeakMap<DocumentNode, ReadonlySet<string>>();
  return ({ topic, document, operationName, variables, viewer }) => {
    const cursors = known.get(document) ?? cursorVariables(document);
    known.set(document, cursors);
    const rest = Object.entries(variables ?? {}).filter(([name]) => !cursors.has(name));
    return JSON.stringify([topic, viewer, operationName ?? null, rest, document.loc?.source.body ?? '']);
  };
}

function cursorVariables(document: DocumentNode): ReadonlySet<string> {
  const cursors = new Map<string, number>();
  const uses = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  visit(document, {
    VariableDefinition: ({ directives }) => (directives?.length ? undefined : false),
    Field({ name, arguments: given = [] }) {
      if (name.value !== CURSOR_FIELD) return;
      for (const { name: argument, value } of given) {
        if (argument.value === CURSOR_ARGUMENT && value.kind === Kind.VARIABLE)
          count(cursors, value.name.value);
      }
    },
    Variable: ({ name }) => void count(uses, name.value),
  });
  return new Set([...cursors.keys()].filter((name) => cursors.get(name) === uses.get(name)));
}
