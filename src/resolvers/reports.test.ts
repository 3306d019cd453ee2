import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Api,
  globalId,
  insertRow,
  insertSession,
  NO_AUTH,
  openApi,
} from '../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../test/helpers/investigation.ts';
import { insertReport } from '../../test/helpers/report.ts';

const NOBODY = { users: [], groups: [] };

let api: Api;
beforeAll(async () => {
  api = await openApi(
    {},
    {
      auth: { ...NO_AUTH, mode: 'proxy' },
      access: {
        approvers: [],
        roles: { VIEWER: { users: ['anna', 'bea', 'nora'], groups: [] }, RESPONDER: NOBODY, ADMIN: NOBODY },
        teams: {
          alpha: { users: ['anna'], groups: [] },
          beta: { users: ['bea'], groups: [] },
        },
      },
    },
  );
});
afterAll(() => api.close());

/** Sends a query as the user named `who`. */
async function ask<T>(who: string, query: string, variables: Record<string, unknown> = {}): Promise<T> {
  const { data, errors } = await api.query<T>(query, variables, { 'x-forwarded-user': who });
  expect(errors).toBeUndefined();
  return data;
}

const REPORT = `query ($id: ID!) { session(id: $id) { report { verdict headline confidence entities evidenceScore
  trackRecord { reviewed accurate partiallyAccurate inaccurate brierScore }
  claims { id kind text absence status problem onlyUntrusted
    facts { subject attribute value unit negated window filter status problem citation { source quote timelineEvent { sequenceNumber } } }
    citations { status source quote problem start end
    timelineEvent { id sequenceNumber content output { length text
      quoted: text(start: 63000, end: 63009) } } } } } } }`;

it('shows the claims of a report, and the complete outputs that they cite', async () => {
  const made = await insertInvestigation(api.pool);
  const whole = `${'a line\n'.repeat(9000)}used: 91%\n`;
  const call = await insertRow(api.pool, 'timeline_events', {
    ...{ session_id: made.session, stage_id: made.stage, execution_id: made.execution, sequence_number: 7 },
    ...{ type: 'LLM_TOOL_CALL', status: 'COMPLETED', content: whole.slice(0, 100) },
    metadata: JSON.stringify({ tool_call_id: 'c7' }),
  });
  await insertRow(api.pool, 'mcp_interactions', {
    ...{ session_id: made.session, stage_id: made.stage, execution_id: made.execution, type: 'TOOL_CALL' },
    ...{ server_name: 'host', tool_name: 'disk', tool_call_id: 'c7', duration_ms: 1 },
    result: JSON.stringify({ content: whole, isError: false }),
  });
  const start = whole.indexOf('used');
  const holds = { status: 'HOLDS', problem: null, start, end: start + 9 };
  const missing = { status: 'NO_SUCH_OUTPUT', problem: 'There is no T99.', start: null, end: null };
  const used = {
    ...{ subject: 'disk', attribute: 'used', value: '91', unit: '%', negated: false },
    ...{ window: null, filter: null, status: 'SUPPORTED', problem: null },
  };
  await insertReport(api.pool, made.session, {
    evidence_score: 0.5,
    claims: [
      {
        ...{ kind: 'CAUSE', text: 'The disk is 91% full.', status: 'SUPPORTED' },
        citations: [{ source: 7, quote: 'used: 91%', ...holds }],
        facts: [
          { ...used, citation: 0 },
          { ...used, negated: true, citation: 1, status: 'UNSUPPORTED', problem: 'There is no citation 1.' },
        ],
      },
      {
        ...{ kind: 'OBSERVATION', text: 'It grew.', status: 'UNSUPPORTED', problem: 'There is no T99.' },
        absence: true,
        citations: [
          { source: 99, quote: 'it grew by night', ...missing },
          { source: 'ALERT', quote: 'disk at 91%', ...holds, start: 0, end: 11 },
        ],
      },
    ],
  });
  const { session } = await ask<{ session: { report: Record<string, unknown> } }>('nora', REPORT, {
    id: made.session,
  });
  expect(session.report).toEqual({
    verdict: 'ACTION_REQUIRED',
    headline: 'The disk is full.',
    confidence: 0.9,
    entities: ['host db-1'],
    evidenceScore: 0.5,
    trackRecord: { reviewed: 0, accurate: 0, partiallyAccurate: 0, inaccurate: 0, brierScore: null },
    claims: [
      {
        ...{ id: `${made.session}.1`, kind: 'CAUSE', text: 'The disk is 91% full.', absence: false },
        ...{ status: 'SUPPORTED', problem: null, onlyUntrusted: false },
        facts: [
          {
            ...used,
            citation: { source: 'T7', quote: 'used: 91%', timelineEvent: { sequenceNumber: 7 } },
          },
          {
            ...{ ...used, negated: true, status: 'UNSUPPORTED', problem: 'There is no citation 1.' },
            citation: null,
          },
        ],
        citations: [
          {
            ...{ ...holds, source: 'T7', quote: 'used: 91%' },
            timelineEvent: {
              ...{ id: globalId('TimelineEvent', call), sequenceNumber: 7 },
              content: whole.slice(0, 100),
              output: { length: whole.length, text: whole, quoted: 'used: 91%' },
            },
          },
        ],
      },
      expect.objectContaining({
        ...{ id: `${made.session}.2`, status: 'UNSUPPORTED', problem: 'There is no T99.', absence: true },
        facts: [], // stored before claims had facts
        citations: [
          { ...missing, source: 'T99', quote: 'it grew by night', timelineEvent: null },
          { ...holds, source: 'ALERT', quote: 'disk at 91%', start: 0, end: 11, timelineEvent: null },
        ],
      }),
    ],
  });
});

it('filters sessions by verdict, which is null without a report', async () => {
  const bare = await insertSession(api.pool, { status: 'COMPLETED', author: 'filter' });
  const inconclusive = await insertSession(api.pool, { status: 'COMPLETED', author: 'filter' });
  await insertReport(api.pool, inconclusive, { verdict: 'INCONCLUSIVE' });
  const LIST = `query ($filter: SessionFilter) { sessions(filter: $filter) { totalCount nodes { id report { verdict } } } }`;
  const list = (filter: object) =>
    ask<{ sessions: object }>('nora', LIST, { filter: { author: ['filter'], ...filter } });
  const found = { id: globalId('Session', inconclusive), report: { verdict: 'INCONCLUSIVE' } };
  expect(await list({ verdict: ['INCONCLUSIVE', 'NO_ACTION'] })).toEqual({
    sessions: { totalCount: 1, nodes: [found] },
  });
  expect(await list({})).toEqual({
    sessions: { totalCount: 2, nodes: [found, { id: globalId('Session', bare), report: null }] },
  });
});

const RECORD = `{ reviewed accurate partiallyAccurate inaccurate brierScore reliability { from to reviewed confidence accuracy } }`;

it('computes track records from the sessions that each viewer may see', async () => {
  const rated = async (rating: string, confidence: number, more: Record<string, unknown> = {}) => {
    const session = await insertSession(api.pool, {
      ...{ status: 'COMPLETED', alert_type: 'oom', chain_id: 'oom', rating, review_status: 'REVIEWED' },
      ...more,
    });
    await insertReport(api.pool, session, { confidence });
    return session;
  };
  const first = await rated('ACCURATE', 0.9, { created_at: new Date('2026-01-01') });
  await rated('ACCURATE', 1);
  await rated('INACCURATE', 0.9, { team: 'alpha' });
  await rated('PARTIALLY_ACCURATE', 0.5, { team: 'alpha' });
  await rated('ACCURATE', 0.8, { team: 'beta' });
  await rated('ACCURATE', 0.8, { deleted_at: new Date() });
  await insertReport(api.pool, await insertSession(api.pool, { alert_type: 'oom', chain_id: 'oom' }), {});
  const OF_TYPE = `query ($since: DateTime) { trackRecord(alertType: "oom", since: $since) ${RECORD} }`;
  const record = async (who: string, since: string | null = null) =>
    (await ask<{ trackRecord: Record<string, unknown> }>(who, OF_TYPE, { since })).trackRecord;

  expect(await record('nora')).toEqual({
    ...{ reviewed: 2, accurate: 2, partiallyAccurate: 0, inaccurate: 0, brierScore: null },
    reliability: [{ from: 0.8, to: 1, reviewed: 2, confidence: 0.95, accuracy: 1 }],
  });
  expect(await record('nora', '2026-01-02T00:00:00Z')).toMatchObject({ reviewed: 1 });
  expect(await record('anna')).toMatchObject({
    ...{ reviewed: 4, accurate: 2, partiallyAccurate: 1, inaccurate: 1, brierScore: null },
    reliability: [
      { from: 0.4, reviewed: 1, confidence: 0.5, accuracy: 0.5 },
      { from: 0.8, reviewed: 3, accuracy: 2 / 3 },
    ],
  });
  expect(await record('bea')).toMatchObject({ reviewed: 3, accurate: 3 });

  // The track record of a report counts only sessions with the same verdict.
  await rated('INACCURATE', 0.1);
  // Brier score of the least number of reviews, five: (0.1² + 0² + 0.9² + 0² + 0.1²) / 5.
  expect((await record('anna')).brierScore).toBeCloseTo(0.83 / 5, 10);
  const other = await rated('INACCURATE', 0.1);
  await api.pool.query(`update alert_sessions set verdict = 'NO_ACTION' where id = $1`, [other]);
  const { session } = await ask<{ session: { report: { trackRecord: object } } }>('nora', REPORT, {
    id: first,
  });
  expect(session.report.trackRecord).toMatchObject({ reviewed: 3, accurate: 2, inaccurate: 1 });

  const ALL = `{ trackRecords { alertType chainId record ${RECORD} } }`;
  const { trackRecords } = await ask<{ trackRecords: { record: Record<string, unknown> }[] }>('anna', ALL);
  expect(trackRecords).toHaveLength(1);
  expect(trackRecords[0]).toMatchObject({ alertType: 'oom', chainId: 'oom' });
  expect(trackRecords[0]!.record).toMatchObject({
    reviewed: 6,
    accurate: 2,
    partiallyAccurate: 1,
    inaccurate: 3,
  });
  // Brier score of the six reviews: (0.1² + 0² + 0.9² + 0² + 0.1² + 0.1²) / 6.
  expect(trackRecords[0]!.record.brierScore).toBeCloseTo(0.84 / 6, 10);
});

it('explains why a report is missing', async () => {
  const { session } = await insertInvestigation(api.pool);
  const stage = { session_id: session, name: 'Report', index: 4, type: 'REPORT', status: 'FAILED' };
  await insertRow(api.pool, 'stages', { ...stage, error_message: 'The model handed in none.' });
  const HEALTH = `query ($id: ID!) { session(id: $id) { report { verdict } health { whole reportProblem } } }`;
  expect(await ask('nora', HEALTH, { id: session })).toEqual({
    session: { report: null, health: { whole: true, reportProblem: 'The model handed in none.' } },
  });
});

it('exports a session to viewers who may see it', async () => {
  const made = await insertInvestigation(api.pool, 'disk at 91%', {
    team: 'alpha',
    title: 'Disk <b>full</b>',
  });
  const work = { session_id: made.session, stage_id: made.stage, execution_id: made.execution };
  const metadata = { tool_call_id: 'c8', server_name: 'host', tool_name: 'disk', arguments: { path: '/' } };
  await insertRow(api.pool, 'timeline_events', {
    ...{ ...work, sequence_number: 8, type: 'LLM_TOOL_CALL', status: 'COMPLETED' },
    metadata: JSON.stringify(metadata),
  });
  await insertRow(api.pool, 'mcp_interactions', {
    ...{
      ...work,
      type: 'TOOL_CALL',
      server_name: 'host',
      tool_name: 'disk',
      tool_call_id: 'c8',
      duration_ms: 1,
    },
    result: JSON.stringify({ content: 'used: 91%', isError: false }),
  });
  await insertRow(api.pool, 'timeline_events', {
    ...{ ...work, sequence_number: 9, type: 'LLM_RESPONSE', status: 'STREAMING', content: 'Half a sen' },
  });
  for (const outcome of ['INVESTIGATED', 'DUPLICATE'])
    await insertRow(api.pool, 'intake_decisions', {
      ...{ session_id: made.session, source: 'prod', outcome, reason: `It was ${outcome}.` },
    });
  const cited = { source: 8, quote: 'used: 91%', status: 'HOLDS', problem: null, start: 0, end: 9 };
  const claim = { kind: 'CAUSE', text: 'It is 91% full.', status: 'SUPPORTED', citations: [cited] };
  await insertReport(api.pool, made.session, { claims: [claim] });
  const EXPORT = `query ($id: ID!) { session(id: $id) { markdown: export(format: MARKDOWN)
    json: export(format: JSON) postmortem: export(format: POSTMORTEM) } }`;
  type Exported = { session: { markdown: string; json: string; postmortem: string } | null };
  expect(await ask<Exported>('bea', EXPORT, { id: made.session })).toEqual({ session: null });
  const { session } = await ask<Exported>('anna', EXPORT, { id: made.session });
  const link = `[T8](https://tarsy.example/sessions/${made.session}#claim-1-1)`;
  expect(session!.markdown).toContain('# Disk &lt;b&gt;full&lt;/b&gt;\n');
  expect(session!.markdown).toContain(`- _Cause_ ✓ It is 91% full. (${link})\n  - T8: \`used: 91%\`\n`);
  expect(session!.postmortem).toContain(`- ✓ It is 91% full. (${link})`);
  const json = JSON.parse(session!.json);
  expect(json.toolCalls.find(({ number }: { number: string }) => number === 'T8')).toMatchObject({
    ...{ server: 'host', tool: 'disk', arguments: '{"path": "/"}', status: 'COMPLETED' },
    result: { text: 'used: 91%', length: 9, cut: false },
  });
  expect(json.decisions.map(({ reason }: { reason: string }) => reason)).toEqual(['It was INVESTIGATED.']);
  expect(session!.json).not.toContain('Half a sen');
});
