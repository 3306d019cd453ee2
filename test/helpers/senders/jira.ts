import { z } from 'zod';
import { addTo, listOf } from './incidents.ts';
import type { SenderSpec } from './server.ts';

/** Atlassian Document Format, as far as comments of plain paragraphs need it. */
const mark = z.union([
  z.strictObject({ type: z.literal('strong') }),
  z.strictObject({ type: z.literal('link'), attrs: z.strictObject({ href: z.url() }) }),
]);
const text = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1),
  marks: z.array(mark).optional(),
});
const document = z.strictObject({
  type: z.literal('doc'),
  version: z.literal(1),
  content: z.array(z.strictObject({ type: z.literal('paragraph'), content: z.array(text).min(1) })).min(1),
});

function jiraSpec(version: 2 | 3, authorization: string): SenderSpec {
  const body = version === 3 ? document : z.string().min(1).max(32_767);
  return {
    headers: { authorization },
    query: ['orderBy', 'maxResults'],
    routes: ({ notes }) => [
      {
        method: 'GET',
        path: new RegExp(`^/rest/api/${version}/myself$`),
        answer: () => ({ status: 200, body: { displayName: 'TARSy' } }),
      },
      {
        method: 'GET',
        path: new RegExp(`^/rest/api/${version}/issue/([A-Z]+-\\d+)/comment$`),
        answer: ({ params: [id = ''] }) =>
          listOf(notes, id, (all) => ({ comments: all.map((each) => ({ body: JSON.parse(each) })) })),
      },
      {
        method: 'POST',
        path: new RegExp(`^/rest/api/${version}/issue/([A-Z]+-\\d+)/comment$`),
        body: z.strictObject({ body }),
        isNote: true,
        answer({ params: [id = ''], body: sent }) {
          const { body: content } = sent as { body: unknown };
          return addTo(notes, id, JSON.stringify(content), { status: 201, body: { id: '1' } });
        },
      },
    ],
  };
}

export const jiraCloudSpec = jiraSpec(
  3,
  `Basic ${Buffer.from('me@example.com:a-secret-token').toString('base64')}`,
);
export const jiraDataCenterSpec = jiraSpec(2, 'Bearer a-secret-token');
