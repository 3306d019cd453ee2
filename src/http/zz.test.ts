import { it } from 'vitest';
import { openApi } from '../../test/helpers/http-api.ts';
it('x', async () => {
  const api = await openApi();
  await api.pool.query(`insert into alert_sessions (id, alert_type, alert_data, chain_id, author, status, created_at, started_at, completed_at, final_analysis)
    select gen_random_uuid(), 'type '||(n%20), 'disk '||md5(n::text), 'c', 'a'||(n%50), 'COMPLETED', now() - n * interval '1 second', now() - n * interval '1 second', now(), 'analysis '||md5((n*7)::text) from generate_series(1,20000) n`);
  await api.pool.query(`insert into timeline_events (id, session_id, sequence_number, type, status, content) select gen_random_uuid(), s.id, k, 'LLM_RESPONSE', 'COMPLETED', 'text '||md5(s.id::text||k) from alert_sessions s, generate_series(1,5) k`);
  await api.pool.query('analyze');
  const { rows } = await api.pool.query("select left(md5('77'),6) as needle");
  for (const [name, vars] of Object.entries({ page: {}, search: { filter: { search: rows[0].needle } }, broad: { filter: { search: 'text' } }, author: { filter: { author: ['a1'] }, orderBy: { field: 'AUTHOR', direction: 'ASC' } }, duration: { orderBy: { field: 'DURATION', direction: 'DESC' } } })) {
    for (let i = 0; i < 3; i++) {
      api.statements.length = 0;
      const t = performance.now();
      const r = await api.query('query ($filter: SessionFilter, $orderBy: SessionOrder) { sessions(first: 25, filter: $filter, orderBy: $orderBy) { totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage } } }', vars);
      console.log(name, Math.round(performance.now() - t), (r.data as any).sessions.totalCount);
    }
  }
  const t = performance.now(); await api.query('{ sessionFilterOptions { authors alertTypes statuses chainIds } }'); console.log('options', performance.now() - t);
  await api.close();
});
