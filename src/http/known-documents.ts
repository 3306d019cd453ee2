import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type DocumentNode, GraphQLError, Kind, parse, print, visit } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Viewer } from '../access/viewer.ts';
import { ConfigError } from '../config/errors.ts';

/** The documents that a server answers if it answers no others. */
export interface KnownDocuments {
  /** Text of the document with this SHA-256 (hex); `null` if it is unknown. */
  textOf(hash: string): string | null;
  has(document: DocumentNode): boolean;
}

/** File of the built dashboard with the texts of its documents, as a JSON array. */
const OF_DASHBOARD = 'documents.json';

/**
 * Reads the documents of the dashboard and of a folder, in which each file `*.graphql` is a document.
 * @param folder may be missing
 * @throws ConfigError with the file that is missing or wrong
 */
export async function readKnownDocuments(dashboardDir: string, folder: string): Promise<KnownDocuments> {
  const own = join(dashboardDir, OF_DASHBOARD);
  const texts = await readAs(own, (content) => JSON.parse(content) as string[]);
  const names = existsSync(folder) ? await readdir(folder) : [];
  const more = names.filter((name) => name.endsWith('.graphql')).map((name) => join(folder, name));
  const documents = await Promise.all(
    more.map((file) => readAs(file, (text) => ({ text, parsed: parse(text) }))),
  );
  return knownDocuments([...texts, ...documents.map(({ text }) => text)]);
}

async function readAs<T>(file: string, convert: (content: string) => T): Promise<T> {
  try {
    return convert(await readFile(file, 'utf8'));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError([{ file, line: 0, column: 0, path: '', message }]);
  }
}

/** Knows these documents, in any formatting. */
export function knownDocuments(texts: readonly string[]): KnownDocuments {
  const byHash = new Map(texts.map((text) => [sha256(text), text]));
  const forms = new Set(texts.map((text) => formOf(parse(text))));
  const answers = new WeakMap<DocumentNode, boolean>();
  return {
    textOf: (hash) => byHash.get(hash) ?? null,
    has(document) {
      const answer = answers.get(document) ?? forms.has(formOf(document));
      answers.set(document, answer);
      return answer;
    },
  };
}

/** Returns the form of a document that spaces, comments and `__typename`, which clients add, do not change. */
function formOf(document: DocumentNode): string {
  const bare = visit(document, {
    [Kind.FIELD]: (field) =>
      field.name.value === '__typename' && !field.directives?.length ? null : undefined,
  });
  return sha256(print(bare));
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const NOT_KNOWN =
  'This server answers known documents only (api.documents: persisted). Ask its operator to add this one, or use a token with the scope ADMIN.';

/** Context of an operation. `isOwn`: written by the server itself. */
interface Asked {
  req: IncomingMessage;
  isOwn?: boolean;
}

/**
 * Refuses unknown documents, except those of ADMIN tokens and of the server itself. Throws before the validation, which would
 * tell which names of the schema exist.
 */
export function onlyKnownDocuments(
  known: KnownDocuments,
  viewerOf: (req: IncomingMessage) => Viewer,
): Plugin<Asked> {
  return {
    onValidate({ params: { documentAST }, context: { req, isOwn = false } }) {
      if (isOwn || known.has(documentAST)) return;
      const { via, rights } = viewerOf(req);
      if (via === 'TOKEN' && rights.has('ADMIN')) return;
      throw new GraphQLError(NOT_KNOWN, {
        extensions: { code: 'DOCUMENT_NOT_KNOWN', http: { status: 400, spec: true } },
      });
    },
  };
}
