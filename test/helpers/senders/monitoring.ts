import { z } from 'zod';
import { addTo, listOf } from './incidents.ts';
import type { SenderSpec } from './server.ts';

const BEARER = { authorization: 'Bearer a-secret-token' };

/** Grafana's annotation API. The object of an annotation is `uid/panel`, `uid`, or '' for the organization. */
export const grafanaSpec: SenderSpec = {
  headers: BEARER,
  query: ['tags', 'limit'],
  routes({ notes }) {
    const stored: { tags: string[] }[] = [];
    return [
      {
        method: 'GET',
        path: /^\/api\/annotations$/,
        answer({ query }) {
          const wanted = query.getAll('tags');
          return {
            status: 200,
            body: stored.filter(({ tags }) => wanted.every((tag) => tags.includes(tag))),
          };
        },
      },
      {
        method: 'POST',
        path: /^\/api\/annotations$/,
        body: z
          .strictObject({
            dashboardUID: z.string().min(1).max(40).optional(),
            panelId: z.int().optional(),
            time: z.int(),
            timeEnd: z.int(),
            tags: z.array(z.string().min(1)),
            text: z.string().min(1),
          })
          .refine(({ time, timeEnd }) => time <= timeEnd),
        isNote: true,
        answer({ body }) {
          const { dashboardUID, panelId, tags, text } = body as {
            dashboardUID?: string;
            panelId?: number;
            tags: string[];
            text: string;
          };
          const object = [dashboardUID, panelId].filter((part) => part !== undefined).join('/');
          const answer = addTo(notes, object, text, {
            status: 200,
            body: { message: 'Annotation added', id: 1 },
          });
          if (answer.status === 200) stored.push({ tags });
          return answer;
        },
      },
    ];
  },
};

/** Datadog's events API v1. The object of an event is its tag `monitor`. */
export const datadogSpec: SenderSpec = {
  headers: { 'dd-api-key': 'a-secret-token', 'dd-application-key': 'a-secret-application-key' },
  query: ['start', 'end', 'tags', 'unaggregated'],
  routes({ notes }) {
    const stored: { tags: string[] }[] = [];
    return [
      {
        method: 'GET',
        path: /^\/api\/v1\/validate$/,
        answer: () => ({ status: 200, body: { valid: true } }),
      },
      {
        method: 'GET',
        path: /^\/api\/v1\/events$/,
        answer({ query }) {
          if (!/^\d+$/.test(query.get('start') ?? '') || !/^\d+$/.test(query.get('end') ?? ''))
            return { status: 400 };
          const tag = query.get('tags');
          return {
            status: 200,
            body: { events: stored.filter(({ tags }) => tag === null || tags.includes(tag)) },
          };
        },
      },
      {
        method: 'POST',
        path: /^\/api\/v1\/events$/,
        body: z.strictObject({
          title: z.string().min(1),
          text: z.string().min(1).max(4_000),
          alert_type: z.enum(['error', 'warning', 'info', 'success']),
          aggregation_key: z.string().max(100),
          priority: z.enum(['normal', 'low']),
          tags: z.array(z.string().max(200)),
        }),
        isNote: true,
        answer({ body }) {
          const { title, text, tags } = body as { title: string; text: string; tags: string[] };
          const monitor = tags.find((tag) => tag.startsWith('monitor:'))!.slice('monitor:'.length);
          const all = notes.get(monitor) ?? [];
          notes.set(monitor, [...all, `${title}\n${text}`]);
          stored.push({ tags });
          return { status: 202, body: { status: 'ok', event: { id: stored.length } } };
        },
      },
    ];
  },
};

/** Sentry's API of an organization: comments and status of issues. */
export const sentrySpec: SenderSpec = {
  headers: BEARER,
  routes: ({ notes, changes }) => [
    {
      method: 'GET',
      path: /^\/api\/0\/organizations\/acme\/$/,
      answer: () => ({ status: 200, body: { slug: 'acme' } }),
    },
    {
      method: 'GET',
      path: /^\/api\/0\/organizations\/acme\/issues\/(\d+)\/$/,
      answer: ({ params: [id = ''] }) => listOf(notes, id, () => ({ id, status: 'unresolved' })),
    },
    {
      method: 'PUT',
      path: /^\/api\/0\/organizations\/acme\/issues\/(\d+)\/$/,
      body: z.strictObject({ status: z.literal('resolved') }),
      answer({ params: [id = ''] }) {
        changes.push(`resolved ${id}`);
        return { status: 200, body: { id, status: 'resolved' } };
      },
    },
    {
      method: 'GET',
      path: /^\/api\/0\/organizations\/acme\/issues\/(\d+)\/comments\/$/,
      answer: ({ params: [id = ''] }) =>
        listOf(notes, id, (all) => all.map((text, at) => ({ id: String(at), type: 'note', data: { text } }))),
    },
    {
      method: 'POST',
      path: /^\/api\/0\/organizations\/acme\/issues\/(\d+)\/comments\/$/,
      body: z.strictObject({ text: z.string().min(1) }),
      isNote: true,
      answer({ params: [id = ''], body }) {
        const { text } = body as { text: string };
        return addTo(notes, id, text, { status: 201, body: { id: '1', type: 'note', data: { text } } });
      },
    },
  ],
};

const call = <T extends z.ZodType>(method: string, params: T) =>
  z.strictObject({ jsonrpc: z.literal('2.0'), id: z.int(), method: z.literal(method), params });
const eventids = z.array(z.string().regex(/^\d+$/)).length(1);

const failed = (code: number, data: string) => ({
  status: 200,
  body: { jsonrpc: '2.0', error: { code, message: 'Error.', data }, id: 1 },
});

/** Zabbix's JSON-RPC API. Errors come with status 200. */
export const zabbixSpec: SenderSpec = {
  headers: BEARER,
  contentType: 'application/json-rpc',
  unauthorized: failed(-32_602, 'Not authorized.').body,
  routes: ({ notes, changes }) => [
    {
      method: 'POST',
      path: /^\/api_jsonrpc\.php$/,
      body: z.union([
        call('event.get', z.strictObject({ output: z.array(z.string()), limit: z.int() })),
        call(
          'event.get',
          z.strictObject({ eventids, output: z.array(z.string()), selectAcknowledges: z.array(z.string()) }),
        ),
        call(
          'event.acknowledge',
          z.strictObject({ eventids, action: z.literal(4), message: z.string().min(1).max(2_048) }),
        ),
        call(
          'event.acknowledge',
          z.strictObject({ eventids, action: z.union([z.literal(1), z.literal(2)]) }),
        ),
      ]),
      isNote: true,
      answer({ body }) {
        const { method, params } = body as {
          method: string;
          params: { eventids?: string[]; action?: number; message?: string };
        };
        const id = params.eventids?.[0] ?? '';
        const all = notes.get(id);
        const answer = (result: unknown) => ({ status: 200, body: { jsonrpc: '2.0', result, id: 1 } });
        if (method === 'event.get')
          return answer(
            all === undefined ? [] : [{ eventid: id, acknowledges: all.map((message) => ({ message })) }],
          );
        if (all === undefined)
          return failed(-32_500, 'No permissions to referred object or it does not exist!');
        if (params.message !== undefined) all.push(params.message);
        else changes.push(`${params.action === 1 ? 'resolved' : 'acknowledged'} ${id}`);
        return answer({ eventids: [Number(id)] });
      },
    },
  ],
};
