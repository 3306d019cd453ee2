/** A query of the API, with the smallest answer for which its time is meaningful. */
export interface Case {
  name: string;
  document: string;
  variables: Record<string, unknown>;
  /** Returns true if the answer's longest list has the right number of rows. */
  rows: (count: number) => boolean;
}

/** Values of the generated data that the cases query for. */
export interface Places {
  /** Cursor in the middle of the list, newest first. */
  deepCursor: string;
  /** Creation time of the session at that cursor. */
  middle: Date;
  /** Part of a pod's name that only one session contains. */
  rarePart: string;
  /** Ids of an ended session of usual length, one of the longest, and one with a trace. */
  usual: string;
  longest: string;
  traced: string;
}

/** The fields of a row in the dashboard's list. */
const ROW = `id alertType alertPreview chainId status author createdAt startedAt completedAt queuePosition errorMessage executiveSummary
  currentStage { id name index type status } tokenUsage { inputTokens outputTokens totalTokens }`;
const ARGUMENTS = `$first: Int, $after: String, $last: Int, $before: String, $filter: SessionFilter, $orderBy: SessionOrder`;
const GIVEN =
  'first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy';
const LIST = `query (${ARGUMENTS}) { sessions(${GIVEN}) {
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { ${ROW} } } }`;
const COUNT = 'query ($filter: SessionFilter) { sessions(first: 1, filter: $filter) { totalCount } }';
const ITEM = 'id sequenceNumber type status content metadata stageId executionId createdAt';

type Rows = Case['rows'];
const full: Rows = (count) => count === 25;
const some: Rows = (count) => count > 0;
const none: Rows = (count) => count === 0;

const list = (name: string, variables: object, rows = full): Case => ({
  name,
  document: LIST,
  variables: { ...variables },
  rows,
});
const search = (name: string, text: string, rows = full, more: object = {}) =>
  list(`search, ${name}`, { filter: { search: text, ...more } }, rows);
const count = (name: string, filter: object): Case => ({
  name: `count, ${name}`,
  document: COUNT,
  variables: { filter },
  rows: none,
});

export function pageCases({ deepCursor }: Places): Case[] {
  const orders = ['STATUS', 'ALERT_TYPE', 'AUTHOR', 'DURATION'];
  return [
    list('first page', {}),
    list('last page', { last: 25 }),
    list('deep page', { after: deepCursor }),
    list('deep page, backwards', { last: 25, before: deepCursor }),
    list('by CREATED_AT, oldest first', { orderBy: { field: 'CREATED_AT', direction: 'ASC' } }),
    ...orders.map((field) => list(`by ${field}`, { orderBy: { field, direction: 'DESC' } })),
  ];
}

export function filterCases({ middle }: Places): Case[] {
  const dayLater = new Date(middle.getTime() + 24 * 3_600_000);
  return [
    list('filter, status', { filter: { status: ['TIMED_OUT'] } }),
    list('filter, alert type', { filter: { alertType: ['type-13'] } }),
    list('filter, chain', { filter: { chainId: ['chain-5'] } }),
    list('filter, author', { filter: { author: ['user41@example.com'] } }, some),
    list('filter, moments', {
      filter: { createdAfter: middle, createdBefore: dayLater },
    }),
    list('filter, nobody', { filter: { author: ['nobody'] } }, none),
    list(
      'filter, all, by DURATION',
      {
        filter: {
          status: ['COMPLETED', 'FAILED'],
          alertType: ['type-1', 'type-2'],
          chainId: ['chain-0'],
          createdAfter: middle,
        },
        orderBy: { field: 'DURATION', direction: 'DESC' },
      },
      some,
    ),
  ];
}

export function searchCases({ rarePart, deepCursor }: Places): Case[] {
  return [
    search('part of a name', rarePart, (rows) => rows === 1),
    search('a word of 1 in 5', 'certificate'),
    search('a word of all', 'recommendation'),
    search('two words', 'certificate leak'),
    search('two words, one of them rare', `certificate ${rarePart}`, () => true),
    search('other forms', 'refusing exceeds'),
    search('a phrase', '"connection refused by"'),
    search('no hit', 'nosuchword', none),
    search('words, no hit', 'certificate nosuchword', none),
    search('a short word', 'io leak', () => true),
    search('with % and _', '97%_of_limit'),
    search('signs', '%_%', none),
    search('with filters', 'certificate', some, {
      status: ['COMPLETED', 'FAILED'],
      author: ['user0@example.com'],
    }),
    list('search, deep page', { filter: { search: 'certificate' }, after: deepCursor }),
    list('search, by DURATION', {
      filter: { search: 'certificate' },
      orderBy: { field: 'DURATION', direction: 'DESC' },
    }),
  ];
}

export function countCases({ rarePart }: Places): Case[] {
  return [
    count('all', {}),
    count('status', { status: ['COMPLETED'] }),
    count('search, part of a name', { search: rarePart }),
    count('search, a word of 1 in 5', { search: 'certificate' }),
    count('search, a word of all', { search: 'recommendation' }),
  ];
}

export function sessionCases({ usual, longest, traced }: Places): Case[] {
  const session = (name: string, id: string, selection: string): Case => ({
    name,
    document: `query ($id: ID!) { session(id: $id) { ${selection} } }`,
    variables: { id },
    rows: some,
  });
  const head = `id alertData finalAnalysis executiveSummary status author createdAt eventCursor
    stages { id name index status executions { id agentName agentIndex status } }`;
  return [
    session('session and timeline', usual, `${head} timeline { ${ITEM} }`),
    session('timeline, by type', longest, `timeline(afterSequence: 3500, types: [LLM_THINKING]) { ${ITEM} }`),
    session('timeline, its end', longest, `timeline(afterSequence: 3950) { ${ITEM} }`),
    session('timeline, 4,000 items', longest, `timeline { ${ITEM} }`),
    session(
      'trace, heads',
      traced,
      `trace { stages { stage { id name } executions { execution { id agentName }
         llmInteractions { id type iteration modelName durationMs createdAt tokenUsage { totalTokens } }
         mcpInteractions { id serverName toolName durationMs createdAt } } } sessionInteractions { id } }`,
    ),
    session(
      'trace, with conversations',
      traced,
      `trace { stages { executions { llmInteractions { id request response conversation { role content } } mcpInteractions { id arguments result } } } }`,
    ),
  ];
}
