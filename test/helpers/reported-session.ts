import type pg from 'pg';
import { type ApiClient, ENDED } from './api.ts';
import type { Dashboard } from './dashboard.ts';
import { insertReport } from './report.ts';
import { toolCall } from './scripted-llm/index.ts';

const LINES = 20_000;
/** A text of more than a megabyte, with the quote in its second half. */
export const LONG = Array.from({ length: LINES }, (_, n) =>
  n === 13_000 ? 'db-1 /var: 97 % of 512 GiB used' : `${n} nothing of note on this line of the journal`,
).join('\n');
export const IN_LONG = '97 % of 512 GiB used';
const JSON_OUTPUT = `{"pods":[${Array.from({ length: 200 }, (_, n) => `{"name":"api-${n}","restarts":${n}}`).join(',')}]}`;
const IN_JSON = '"name":"api-150","restarts":150';
export const ALERT = 'Disk almost full on db-1';

interface Deps {
  app: Dashboard['app'];
  api: ApiClient;
  pool: pg.Pool;
}

/** Runs an investigation whose two calls return a long text and JSON, both cited by its report. */
export async function insertReportedSession({
  app,
  api,
  pool,
}: Deps): Promise<{ id: string; numbers: number[] }> {
  app.llm.script(
    [toolCall('tools.echo', { text: 'one' }, 'long'), toolCall('tools.echo', { text: 'two' }, 'json')],
    { text: 'The disk of **db-1** is full.' },
    { text: 'In short: full.' },
  );
  const id = await api.submit(ALERT);
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  for (const [call, output] of [
    ['long', LONG],
    ['json', JSON_OUTPUT],
  ])
    await pool.query(
      `update mcp_interactions set result = jsonb_set(result, '{content}', to_jsonb($2::text)) where tool_call_id = $1`,
      [call, output],
    );
  const { rows } = await pool.query<{ n: number }>(
    `select sequence_number as n from timeline_events where type = 'LLM_TOOL_CALL' order by metadata ->> 'tool_call_id' desc`,
  );
  const numbers = rows.map(({ n }) => n);
  const rawId = Buffer.from(id, 'base64').toString().replace('Session:', '');
  const cited = (source: number | string, quote: string, text: string) => {
    const start = text.indexOf(quote);
    return { source, quote, status: 'HOLDS', problem: null, start, end: start + quote.length };
  };
  const missing = {
    status: 'QUOTE_NOT_FOUND',
    problem: 'The output does not hold this quote.',
    start: null,
    end: null,
  };
  const fact = (attribute: string, value: string, more: object = {}) => ({
    ...{ subject: 'api-150', attribute, value, unit: null, negated: false, citation: 0 },
    ...{ window: null, filter: null, status: 'SUPPORTED', problem: null, ...more },
  });
  await insertReport(pool, rawId, {
    verdict: 'ACTION_REQUIRED',
    headline: 'The disk of db-1 is full.',
    confidence: 0.82,
    entities: ['host db-1'],
    evidence_score: 0.5,
    agreement: { runs: 3, agreeing: 2, cause: 'The disk of db-1 is full.' },
    claims: [
      {
        kind: 'CAUSE',
        text: '/var on db-1 is 97 % full.',
        status: 'SUPPORTED',
        citations: [cited(numbers[0]!, IN_LONG, LONG), cited('ALERT', 'full on db-1', ALERT)],
        facts: [
          fact('/var', '97', { subject: 'db-1', unit: '%' }),
          fact('state', 'idle', { subject: 'db-1', negated: true, citation: 1 }),
        ],
      },
      {
        kind: 'OBSERVATION',
        text: 'api-150 was restarted 12 times.',
        status: 'UNSUPPORTED',
        problem: 'T3 does not say 12 of api-150. There is no output T99.',
        facts: [
          fact('restarts', '12', { status: 'UNSUPPORTED', problem: 'T3 does not say 12 of api-150.' }),
          fact('absent', '', { subject: 'crash', window: '14:00–15:00', filter: 'api-150', citation: 2 }),
        ],
        citations: [
          cited(numbers[1]!, IN_JSON, JSON_OUTPUT),
          { source: numbers[1]!, quote: 'restarted 12 times', ...missing },
          {
            source: 99,
            quote: 'gone',
            ...missing,
            status: 'NO_SUCH_OUTPUT',
            problem: 'There is no output T99.',
          },
        ],
      },
      { kind: 'RECOMMENDATION', text: 'Rotate the logs.', status: 'NOT_CHECKABLE' },
    ],
  });
  return { id, numbers };
}
