import type { Pool } from 'pg';
import { insertRow, insertSession } from '../helpers/http-api.ts';
import { insertReport } from '../helpers/report.ts';
import { ANA } from './shop.ts';

const HOUR = 3_600_000;

/** Inserts two cases of past sessions with replays by two models. */
export async function fillCases(pool: Pool, sessions: readonly string[]): Promise<void> {
  const names = ['orders-replica-lag', 'search-memory'];
  for (const [index, name] of names.entries()) {
    const created = new Date(Date.now() - (30 - index) * HOUR);
    const expectation = {
      verdict: 'ACTION_REQUIRED',
      must_say: ['lock|index'],
      must_not_say: [],
      entities: [],
      causes: [],
    };
    const id = await insertRow(pool, 'cases', {
      ...{
        name,
        source_session_id: sessions[index],
        document: '{}',
        hash: name,
        alert_type: 'infrastructure',
      },
      ...{
        world: 'OPEN',
        expectation: JSON.stringify(expectation),
        max_unrecorded_calls: 5,
        recorded_calls: 7,
      },
      ...{ created_by: ANA, created_at: created },
    });
    for (const [run, model] of ['claude-sonnet-4-5', 'gemini-2.5-flash'].entries()) {
      const at = new Date(created.getTime() + (run + 1) * HOUR);
      const session = await insertSession(pool, { title: name, status: 'COMPLETED', created_at: at });
      await insertReport(pool, session, {
        verdict: run === index ? 'ACTION_REQUIRED' : 'NO_ACTION',
        confidence: 0.8,
        claims: [
          { kind: 'CAUSE', text: 'A report holds a lock while the index is rebuilt.', status: 'SUPPORTED' },
        ],
      });
      await insertRow(pool, 'replays', {
        ...{
          case_id: id,
          session_id: session,
          provider: run === 0 ? 'anthropic-default' : 'google-default',
          model,
        },
        ...{ config_hash: 'f', created_by: ANA, created_at: at },
      });
    }
  }
}
