import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import { useMutation } from 'urql';
import { ActionButton } from '../../components/action-button.tsx';
import { Page } from '../../components/app-shell.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice, refusalText } from '../../components/notice.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { SystemHeading } from '../../components/system-heading.tsx';
import { Ago, TimeLeft } from '../../components/time.tsx';
import type { SchedulesQuery } from '../../graphql/gen/documents.ts';
import { RunScheduleDocument, SchedulesDocument } from '../../graphql/gen/lazy-documents.ts';
import { usePolledQuery } from '../../graphql/use-polled-query.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { VerdictChip } from '../report/verdict.tsx';

const REFRESH_MS = 5_000;

type Schedule = SchedulesQuery['schedules'][number];

/** Lists the schedules with their last and next run. Responders can run them now. */
export default function SchedulesPage() {
  useDocumentTitle('Schedules');
  const { data, error, refetch } = usePolledQuery(SchedulesDocument, REFRESH_MS);
  return (
    <Page>
      <SystemHeading title="Schedules" />
      <Box sx={{ mb: 1.5, color: 'text.secondary', fontSize: '0.8125rem', maxWidth: '72ch' }}>
        Investigations that start by themselves. People hear of a run only if its verdict changed.
      </Box>
      {data !== undefined ? (
        <List schedules={data.schedules} changed={refetch} />
      ) : error === undefined ? (
        <Loading label="Loading schedules" shape="rows" />
      ) : (
        <ErrorNotice what="Could not load schedules." error={error} retry={refetch} />
      )}
    </Page>
  );
}

function List({ schedules, changed }: { schedules: readonly Schedule[]; changed: () => void }) {
  if (schedules.length === 0)
    return (
      <Paper>
        <EmptyNotice title="No schedules">
          Schedules are in the section schedules of the configuration.
        </EmptyNotice>
      </Paper>
    );
  return (
    <Paper component="ul" aria-label="Schedules" sx={dividedList}>
      {schedules.map((schedule) => (
        <Item key={schedule.name} schedule={schedule} changed={changed} />
      ))}
    </Paper>
  );
}

function Item({ schedule, changed }: { schedule: Schedule; changed: () => void }) {
  const [{ fetching, data, error }, run] = useMutation(RunScheduleDocument);
  const { name, text, lastRun } = schedule;
  const refusal = refusalText(data?.runSchedule, error);
  const start = async (): Promise<void> => {
    await run({ name });
    changed();
  };
  return (
    <Box component="li" sx={{ px: 1.5, py: 1.25, fontSize: '0.8125rem' }}>
      <Box sx={{ display: 'flex', alignItems: 'start', gap: 1.5 }}>
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <Box component="h2" sx={{ m: 0, fontSize: '0.875rem', fontWeight: 600, overflowWrap: 'anywhere' }}>
            {name}
          </Box>
          <Box sx={quiet}>{text}</Box>
          <Box sx={quiet}>
            {whenOf(schedule)} · <Next schedule={schedule} />
          </Box>
          {lastRun === null ? (
            <Box sx={quiet}>No run yet.</Box>
          ) : (
            <Box sx={{ ...quiet, display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 0.75 }}>
              {lastRun.report === null ? (
                <StatusChip status={lastRun.status} />
              ) : (
                <VerdictChip verdict={lastRun.report.verdict} />
              )}
              <Link component={RouterLink} to={sessionPath(lastRun.id)}>
                Last run
              </Link>
              <Ago time={lastRun.createdAt} />
            </Box>
          )}
        </Box>
        <ActionButton
          needs="SUBMIT_ALERTS"
          variant="outlined"
          aria-label={`Run now: ${name}`}
          loading={fetching}
          onClick={() => void start()}
        >
          Run now
        </ActionButton>
      </Box>
      {refusal === null ? null : (
        <Box role="alert" sx={{ mt: 0.5, color: 'error.main' }}>
          {refusal}
        </Box>
      )}
    </Box>
  );
}

function Next({ schedule: { enabled, nextRunAt } }: { schedule: Schedule }) {
  if (!enabled) return 'off';
  return nextRunAt === null ? (
    'next run after a delivery'
  ) : (
    <>
      next run in <TimeLeft until={nextRunAt} />
    </>
  );
}

function whenOf({ cron, timeZone, after, alertType }: Schedule): string {
  return [
    alertType,
    ...(cron === null ? [] : [`${cron} (${timeZone})`]),
    ...(after === null ? [] : [`after deliveries of ${after}`]),
  ].join(' · ');
}

const quiet = { mt: 0.25, color: 'text.secondary', overflowWrap: 'anywhere' } as const;
