import { recordAudit } from '../audit.ts';
import { ForbiddenError, ValidationError } from '../common/errors.ts';
import { replaceUnstorable } from '../common/storable.ts';
import { uuidv7 } from '../common/uuidv7.ts';
import type { SavedViewRow } from '../db/entities/index.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { teamOfSender } from './teams.ts';
import type { Viewer } from './viewer.ts';
import { visibleSql } from './visibility.ts';

export interface NewView {
  readonly page: string;
  readonly name: string;
  /** Search parameters of the page's URL. */
  readonly parameters: string;
  /** Team that shares the view; `null` if it is private. */
  readonly team: string | null;
}

/** Views of lists. A private view is its owner's; a team's view is the team's, and needs the right REVIEW to change. */
export interface SavedViews {
  /** Returns the viewer's own views of a page and those of the viewer's teams, by name. */
  list(page: string, viewer: Viewer): Promise<SavedViewRow[]>;
  /** Returns a view; `null` if the viewer may not see it or it does not exist. */
  find(id: string, viewer: Viewer): Promise<SavedViewRow | null>;
  /** Saves a view; replaces one of the same page, team and name. @throws ValidationError, ForbiddenError */
  save(input: NewView, viewer: Viewer): Promise<SavedViewRow>;
  /** Deletes a view that the viewer may see. Returns `null` if there is none. @throws ForbiddenError */
  remove(id: string, viewer: Viewer): Promise<SavedViewRow | null>;
}

const PAGE = /^[a-z][a-z-]{0,39}$/;
const MAX_NAME = 60;
const MAX_PARAMETERS = 2_000;
/** Maximum number of views of one owner or one team, on all pages. */
const MAX_VIEWS = 100;

const COLUMNS = 'id, page, name, parameters, team, owner, created_at as "createdAt"';
/** Parameters: $1 the viewer's name, $2 the viewer's teams. */
const SHOWN = `(team is null and owner = $1 or team is not null and ${visibleSql('team', '$2')})`;
const LIST = `select ${COLUMNS} from saved_views where page = $3 and ${SHOWN} order by name, id limit 500`;
const FIND = `select ${COLUMNS} from saved_views where id = $3 and ${SHOWN}`;
const REMOVE = `delete from saved_views where id = $3 and ${SHOWN} returning ${COLUMNS}`;
const IS_FULL = `select count(*) filter (where not (page = $3 and name = $4)) >= ${MAX_VIEWS} as full from saved_views
  where case when $2::text is null then team is null and owner = $1 else team = $2 end`;
const saveSql = (key: string) => `
  insert into saved_views (id, page, name, parameters, team, owner) values ($1, $2, $3, $4, $5, $6)
  on conflict ${key} do update set parameters = excluded.parameters, owner = excluded.owner returning ${COLUMNS}`;
const SAVE_PRIVATE = saveSql('(owner, page, name) where team is null');
const SAVE_TEAM = saveSql('(team, page, name) where team is not null');

export function createSavedViews(deps: {
  db: Queryable;
  transaction: Transaction;
  /** Configured teams; `null` if there are none. */
  teams: readonly string[] | null;
}): SavedViews {
  const { db, transaction, teams } = deps;
  const rows = async (from: Queryable, sql: string, viewer: Viewer, key: string): Promise<SavedViewRow[]> =>
    (await from.query<SavedViewRow>(sql, [viewer.name, viewer.teams, key])).rows;
  const find = async (id: string, viewer: Viewer) => (await rows(db, FIND, viewer, id))[0] ?? null;
  return {
    list: (page, viewer) => rows(db, LIST, viewer, page),
    find,
    async save(input, viewer) {
      const view = validated(input);
      if (view.team !== null) {
        teamOfSender(viewer, view.team, teams);
        requireTeamRight(viewer);
      }
      return transaction((tx) => saveView(tx, view, viewer));
    },
    async remove(id, viewer) {
      const view = await find(id, viewer);
      if (view === null) return null;
      if (view.team !== null) requireTeamRight(viewer);
      return transaction(async (tx) => {
        const [removed] = await rows(tx, REMOVE, viewer, id);
        if (removed === undefined) return null;
        await record(tx, viewer, 'view.delete', removed);
        return removed;
      });
    },
  };
}

/** Saves a checked view and its audit entry within the caller's transaction. */
async function saveView(tx: Queryable, view: NewView, viewer: Viewer): Promise<SavedViewRow> {
  const { page, name, parameters, team } = view;
  const counted = await tx.query<{ full: boolean }>(IS_FULL, [viewer.name, team, page, name]);
  if (counted.rows[0]!.full)
    throw new ValidationError(`There are already ${MAX_VIEWS} views. Delete unused ones first.`);
  const values = [uuidv7(), page, name, parameters, team, viewer.name];
  const { rows } = await tx.query<SavedViewRow>(team === null ? SAVE_PRIVATE : SAVE_TEAM, values);
  const saved = rows[0]!;
  await record(tx, viewer, 'view.save', saved);
  return saved;
}

function record(tx: Queryable, by: Viewer, action: 'view.save' | 'view.delete', view: SavedViewRow) {
  const { id, page, name, team } = view;
  return recordAudit(tx, by, { action, target: { type: 'SavedView', id }, detail: { page, name, team } });
}

function validated({ page, name: given, parameters, team }: NewView): NewView {
  const name = replaceUnstorable(given).text.trim();
  if (!PAGE.test(page))
    throw new ValidationError('The page is a word of at most 40 small letters, such as sessions.', 'page');
  if (name === '' || name.length > MAX_NAME)
    throw new ValidationError(
      `The name has 1 to ${MAX_NAME} characters; this one has ${name.length}.`,
      'name',
    );
  if (parameters.length > MAX_PARAMETERS)
    throw new ValidationError(
      `The parameters have ${parameters.length} characters; at most ${MAX_PARAMETERS} are allowed.`,
      'parameters',
    );
  return { page, name, parameters: replaceUnstorable(parameters).text, team };
}

function requireTeamRight({ rights }: Viewer): void {
  if (!rights.has('REVIEW'))
    throw new ForbiddenError("Changing a team's views needs the role RESPONDER.", 'RESPONDER');
}
