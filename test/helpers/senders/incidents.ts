import { z } from 'zod';
import type { Route, SenderSpec, SenderState } from './server.ts';

/** PagerDuty's REST API v2: notes of incidents, and their status. */
export const pagerdutySpec: SenderSpec = {
  headers: {
    authorization: 'Token token=a-secret-token',
    accept: 'application/vnd.pagerduty+json;version=2',
    from: 'tarsy@example.com',
  },
  query: ['limit'],
  routes: ({ notes, changes }) => [
    { method: 'GET', path: /^\/incidents$/, answer: () => ({ status: 200, body: { incidents: [] } }) },
    {
      method: 'GET',
      path: /^\/incidents\/([^/]+)$/,
      answer: ({ params: [id = ''] }) =>
        notes.has(id)
          ? { status: 200, body: { incident: { id, status: 'triggered' } } }
          : { status: 404, body: { error: { code: 2100, message: 'Not Found' } } },
    },
    {
      method: 'PUT',
      path: /^\/incidents\/([^/]+)$/,
      body: z.strictObject({
        incident: z.strictObject({
          type: z.literal('incident_reference'),
          status: z.enum(['acknowledged', 'resolved']),
        }),
      }),
      answer({ params: [id = ''], body }) {
        const { incident } = body as { incident: { status: string } };
        changes.push(`${incident.status} ${id}`);
        return { status: 200, body: { incident: { id, status: incident.status } } };
      },
    },
    {
      method: 'GET',
      path: /^\/incidents\/([^/]+)\/notes$/,
      answer: ({ params: [id = ''] }) =>
        listOf(notes, id, (all) => ({ notes: all.map((content) => ({ content })) })),
    },
    {
      method: 'POST',
      path: /^\/incidents\/([^/]+)\/notes$/,
      body: z.strictObject({ note: z.strictObject({ content: z.string().min(1).max(25_000) }) }),
      isNote: true,
      answer({ params: [id = ''], body }) {
        const { note } = body as { note: { content: string } };
        return addTo(notes, id, note.content, {
          status: 201,
          body: { note: { id: 'PN1', content: note.content } },
        });
      },
    },
  ],
};

/** The alert API of Opsgenie and of Jira Service Management, which carry out writes later. */
function alertSpec(headers: Record<string, string>, path: string, items: 'data' | 'values'): SenderSpec {
  const isOpsgenie = items === 'data';
  const one = (body: object) => (items === 'data' ? { data: body } : body);
  const text = z.string().min(1);
  const writer = isOpsgenie ? { source: text.max(100) } : {};
  return {
    headers,
    query: isOpsgenie ? ['limit', 'order'] : ['size', 'after'],
    routes({ notes, changes }) {
      const results = new Map<string, { isSuccess: boolean; status: string; polls: number }>();
      const later = (id: string, work: () => void) => {
        const requestId = `request-${results.size}`;
        const isSuccess = notes.has(id);
        if (isSuccess) work();
        results.set(requestId, { isSuccess, status: isSuccess ? 'Done' : 'Alert does not exist', polls: 0 });
        return { status: 202, body: { result: 'Request will be processed', requestId } };
      };
      const action = (name: string): Route => ({
        method: 'POST',
        path: new RegExp(`^${path}/([^/]+)/${name}$`),
        body: z.strictObject(writer),
        answer: ({ params: [id = ''] }) => later(id, () => changes.push(`${name} ${id}`)),
      });
      return [
        {
          method: 'GET',
          path: new RegExp(`^${path}$`),
          answer: () => ({ status: 200, body: { [items]: [] } }),
        },
        {
          method: 'GET',
          path: new RegExp(`^${path}/requests/([^/]+)$`),
          answer({ params: [id = ''] }) {
            const found = results.get(id);
            if (found === undefined || found.polls++ === 0) return { status: 404 };
            return { status: 200, body: one({ isSuccess: found.isSuccess, status: found.status }) };
          },
        },
        {
          method: 'GET',
          path: new RegExp(`^${path}/([^/]+)$`),
          answer: ({ params: [id = ''] }) =>
            listOf(notes, id, () => one({ id, status: 'open', acknowledged: false })),
        },
        {
          method: 'GET',
          path: new RegExp(`^${path}/([^/]+)/notes$`),
          answer({ params: [id = ''], query }) {
            // Opsgenie lists the newest notes first; Jira Service Management has pages, the oldest first.
            const from = Number(query.get('after') ?? 0);
            const next = from + Number(query.get('limit') ?? query.get('size') ?? 20);
            return listOf(notes, id, (all) => ({
              [items]: (isOpsgenie ? all.toReversed() : all)
                .slice(from, next)
                .map((note) => ({ note, owner: 'x' })),
              ...(!isOpsgenie &&
                next < all.length && { links: { next: `${path}/${id}/notes?after=${next}` } }),
            }));
          },
        },
        {
          method: 'POST',
          path: new RegExp(`^${path}/([^/]+)/notes$`),
          body: z.strictObject({ note: text.max(25_000), ...writer }),
          isNote: true,
          answer({ params: [id = ''], body }) {
            const { note } = body as { note: string };
            return later(id, () => notes.get(id)!.push(note));
          },
        },
        action('acknowledge'),
        action('close'),
      ];
    },
  };
}

export const opsgenieSpec = alertSpec({ authorization: 'GenieKey a-secret-token' }, '/v2/alerts', 'data');

export const jsmSpec = alertSpec(
  { authorization: `Basic ${Buffer.from('me@example.com:a-secret-token').toString('base64')}` },
  '/jsm/ops/api/cloud-1/v1/alerts',
  'values',
);

/** ServiceNow's table API: work notes of incidents, which also have a number. */
export const servicenowSpec: SenderSpec = {
  headers: { authorization: `Basic ${Buffer.from('me@example.com:a-secret-token').toString('base64')}` },
  query: ['sysparm_query', 'sysparm_fields', 'sysparm_limit', 'sysparm_display_value'],
  routes: ({ notes }) => [
    {
      method: 'GET',
      path: /^\/api\/now\/table\/incident$/,
      answer({ query }) {
        const number = /^number=(INC\d+)$/.exec(query.get('sysparm_query') ?? '')?.[1];
        const ids = number === 'INC0010001' ? [...notes.keys()].slice(0, 1) : [];
        return { status: 200, body: { result: ids.map((id) => ({ sys_id: id })) } };
      },
    },
    {
      method: 'GET',
      path: /^\/api\/now\/table\/incident\/([0-9a-f]{32})$/,
      answer: ({ params: [id = ''], query }) =>
        listOf(notes, id, (all) => ({
          result: {
            work_notes:
              query.get('sysparm_display_value') === 'true'
                ? all.map((each) => `2026-11-28 10:00:00 - TARSy (Work notes)\n${each}\n\n`).join('')
                : '',
          },
        })),
    },
    {
      method: 'PATCH',
      path: /^\/api\/now\/table\/incident\/([0-9a-f]{32})$/,
      body: z.strictObject({ work_notes: z.string().min(1).max(4_000) }),
      isNote: true,
      answer({ params: [id = ''], body }) {
        const { work_notes: note } = body as { work_notes: string };
        return addTo(notes, id, note, { status: 200, body: { result: { sys_id: id } } });
      },
    },
  ],
};

type Notes = SenderState['notes'];

/** Returns what an object has; 404 if there is no such object. */
export function listOf(notes: Notes, id: string, body: (all: string[]) => unknown) {
  const all = notes.get(id);
  return all === undefined ? { status: 404 } : { status: 200, body: body(all) };
}

/** Stores a note and returns the answer; 404 if there is no such object. */
export function addTo(notes: Notes, id: string, note: string, answer: { status: number; body: unknown }) {
  const all = notes.get(id);
  if (all === undefined) return { status: 404 };
  all.push(note);
  return answer;
}
