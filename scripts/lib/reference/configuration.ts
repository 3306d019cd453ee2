import { z } from 'zod';
import { overrideKeys } from '../../../src/config/schema/common.ts';
import { providersSchema, tarsySchema } from '../../../src/config/schema.ts';
import { type GeneratedFile, plainSchema } from '../config-schemas.ts';
import {
  type KeyRow,
  keyRow,
  rowsBelow,
  type Schema,
  type SharedKeys,
  type WrittenSections,
} from './configuration-rows.ts';
import { renderPage, table } from './markdown.ts';

const FOLDER = 'configuration';
const AGENT_SETTINGS = 'agent-settings.md';
const FILES = [
  ['tarsy.yaml', tarsySchema],
  ['llm-providers.yaml', providersSchema],
] as const;

/** Returns the pages of docs/reference/configuration: an overview, one page for each section, and the agent settings. */
export async function configurationPages(): Promise<GeneratedFile[]> {
  const settings = (plainSchema(z.strictObject(overrideKeys)) as Schema).properties!;
  const shared: SharedKeys = { link: `the [agent settings](${AGENT_SETTINGS})`, keys: settings };
  const written: WrittenSections = new Map();
  const pages = FILES.flatMap(([file, schema]) =>
    Object.entries((plainSchema(schema) as Schema).properties!).map(([name, section]) => {
      const place = { path: name, shared: [shared], written, page: `${name}.md` };
      const opening = `# Configuration: ${name}\n\nSection \`${name}\` of \`${file}\`. ${section.description}.`;
      const rows = [keyRow(name, [section]), ...rowsBelow(section, place)];
      return renderPage(`${FOLDER}/${name}.md`, opening, [keyTable(rows)]);
    }),
  );
  return Promise.all([...pages, settingsPage(settings, written), overviewPage()]);
}

/** Returns the page about both files, with a list of their sections. */
function overviewPage(): Promise<GeneratedFile> {
  const lists = FILES.map(([file, schema]) => {
    const sections = Object.entries((plainSchema(schema) as Schema).properties!);
    const items = sections.map(
      ([name, { description }]) => `- [${name}](${FOLDER}/${name}.md): ${description}.`,
    );
    return `### ${file}\n\n${items.join('\n')}`;
  });
  return renderPage('configuration.md', '# Configuration', lists);
}

/** Returns the page of the keys that agents, chains, stages, stage agents and chats share. */
function settingsPage(
  settings: Readonly<Record<string, Schema>>,
  written: WrittenSections,
): Promise<GeneratedFile> {
  const place = { path: '<level>', shared: [], written, page: AGENT_SETTINGS };
  const rows = rowsBelow({ properties: settings }, place);
  return renderPage(`${FOLDER}/${AGENT_SETTINGS}`, '# Configuration: agent settings', [keyTable(rows)]);
}

function keyTable(rows: readonly KeyRow[]): string {
  return table(
    ['key', 'form', 'default', 'meaning'],
    rows.map(({ key, form, fallback, meaning }) => [`\`${key}\``, form, fallback, meaning]),
  );
}
