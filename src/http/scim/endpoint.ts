import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Directory } from '../../access/directory.ts';
import type { Viewer } from '../../access/viewer.ts';
import { isTransient } from '../../db/transient.ts';
import { BodyRefusedError, createBodyReader } from '../read-body.ts';
import { MAX_SCIM_BYTES, MAX_SCIM_BYTES_HELD, SCIM_READ_MS } from '../tunables.ts';
import { ScimError, scimErrorOf, showError } from './errors.ts';
import { patched } from './patch.ts';
import { readFilter, readPage } from './query.ts';
import { type Attributes, readGroup, readUser, showGroup, showUser } from './resources.ts';

const SCIM_PATH = '/scim/v2';

/** True if a path belongs to SCIM. */
export const isScim = (path: string): boolean => path === SCIM_PATH || path.startsWith(`${SCIM_PATH}/`);

interface Answer {
  status: number;
  /** `null` if the answer has no body. */
  body: object | null;
}

interface Request {
  method: string;
  id: string | null;
  params: URLSearchParams;
  by: Viewer;
  body(): Promise<Attributes>;
}

/**
 * Serves the users and groups of the directory by SCIM 2.0 (RFC 7644), for tokens with the scope PROVISION. Identity providers
 * end and restore the access of users with it, and administrators do so by hand.
 */
export function createScimEndpoint(deps: {
  directory: Directory;
  dashboardUrl: string;
  viewerOf: (req: IncomingMessage) => Viewer;
  logger: Logger;
}) {
  const { directory, dashboardUrl, viewerOf, logger } = deps;
  const base = `${dashboardUrl}${SCIM_PATH}`;
  const read = createBodyReader({
    maxBytes: MAX_SCIM_BYTES,
    maxHeldBytes: MAX_SCIM_BYTES_HELD,
    maxMs: SCIM_READ_MS,
  });
  const kinds = {
    Users: { entries: directory.users, parse: readUser, show: showUser },
    Groups: { entries: directory.groups, parse: readGroup, show: showGroup },
  };

  /** Answers a request for one kind of resource. */
  async function answerKind(name: 'Users' | 'Groups', request: Request): Promise<Answer> {
    const { entries, parse, show } = kinds[name] as (typeof kinds)['Users'];
    const { method, id, params, by } = request;
    const hidden = /(^|,)\s*members\s*(,|$)/i.test(params.get('excludedAttributes') ?? '');
    const shown = (row: Parameters<typeof show>[0]): Attributes => {
      const { members, ...others } = show(row, base);
      return hidden || members === undefined ? others : { ...others, members };
    };
    if (id === null) {
      if (method === 'POST')
        return { status: 201, body: shown(await entries.create(parse(await request.body()), by)) };
      if (method !== 'GET') throw NOT_ALLOWED;
      const page = readPage(params);
      const { total, rows } = await entries.list(readFilter(name, params.get('filter')), page);
      return { status: 200, body: listOf(rows.map(shown), total, page.offset + 1) };
    }
    if (method === 'GET') {
      const { rows } = await entries.list({ by: 'id', value: id }, { offset: 0, limit: 1 });
      if (rows[0] === undefined) throw new ScimError(404, 'There is no entry with this id.');
      return { status: 200, body: shown(rows[0]) };
    }
    if (method === 'PUT' || method === 'PATCH') {
      const body = await request.body();
      const changed = await entries.change(id, (row) => parse(changedBy(method, body, show(row, base))), by);
      return { status: 200, body: shown(changed) };
    }
    if (method !== 'DELETE') throw NOT_ALLOWED;
    await entries.remove(id, by);
    return { status: 204, body: null };
  }

  async function answer(req: IncomingMessage, path: string): Promise<Answer> {
    const by = viewerOf(req);
    if (!by.rights.has('PROVISION')) throw new ScimError(403, 'This needs a token with the scope PROVISION.');
    const [name, id = null, ...more] = path.slice(SCIM_PATH.length + 1).split('/');
    if (name === 'ServiceProviderConfig' && req.method === 'GET' && id === null)
      return { status: 200, body: CONFIG };
    if ((name !== 'Users' && name !== 'Groups') || more.length > 0)
      throw new ScimError(404, 'SCIM is served for /Users, /Groups and /ServiceProviderConfig.');
    const { searchParams: params } = new URL(req.url ?? '', dashboardUrl);
    const body = async () => parseBody((await read(req)).toString('utf8'));
    return answerKind(name, { method: req.method ?? '', id, params, by, body });
  }

  /** Answers a request that passed `auth.check`. */
  return async (req: IncomingMessage, res: ServerResponse, path: string): Promise<void> => {
    try {
      const { status, body } = await answer(req, path);
      send(res, status, body);
    } catch (error) {
      const refused = error instanceof BodyRefusedError ? TOO_LARGE : scimErrorOf(error);
      if (refused === null && !isTransient(error)) throw error;
      const shown = refused ?? UNAVAILABLE;
      logger.info({ method: req.method, status: shown.status, why: shown.message }, 'scim request refused');
      if (error instanceof BodyRefusedError) res.setHeader('Connection', 'close');
      send(res, shown.status, showError(shown));
    }
  };
}

const NOT_ALLOWED = new ScimError(405, 'This method is not served here.');
const TOO_LARGE = new ScimError(413, `The request is too slow or has more than ${MAX_SCIM_BYTES} bytes.`);
const UNAVAILABLE = new ScimError(503, 'The database is unavailable. Send the request again later.');

const CONFIG = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 200 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    { type: 'oauthbearertoken', name: 'API token', description: 'A token of TARSy with the scope PROVISION' },
  ],
};

function listOf(resources: readonly object[], total: number, startIndex: number): object {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    ...{ totalResults: total, startIndex, itemsPerPage: resources.length, Resources: resources },
  };
}

/** Returns the attributes after a PUT or PATCH request. One without `active` restores no access. */
function changedBy(method: 'PUT' | 'PATCH', body: Attributes, before: Attributes): Attributes {
  const after = method === 'PUT' ? body : patched(before, body);
  return { ...after, active: after.active ?? before.active };
}

function parseBody(text: string): Attributes {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Attributes;
  } catch {
    // answered below
  }
  throw new ScimError(400, 'The body is not a JSON object.', 'invalidSyntax');
}

function send(res: ServerResponse, status: number, body: object | null): void {
  res.setHeader('Cache-Control', 'no-store');
  if (body === null) return void res.writeHead(status).end();
  res.writeHead(status, { 'Content-Type': 'application/scim+json; charset=utf-8' }).end(JSON.stringify(body));
}
