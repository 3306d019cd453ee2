import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useNavigate } from 'react-router';
import { useMutation, useQuery } from 'urql';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice, errorText } from '../../components/notice.tsx';
import { Ago } from '../../components/time.tsx';
import {
  AlertGroupDetailDocument,
  type AlertGroupDetailQuery,
  InvestigateAlertGroupDocument,
} from '../../graphql/gen/documents.ts';
import { mono } from '../../theme.ts';

type Detail = NonNullable<AlertGroupDetailQuery['alertGroup']>;

/** The alerts of a group and what was decided about them, read when it is opened. */
export function AlertGroupDetail({
  id,
  fires,
  onChanged,
}: {
  id: string;
  fires: boolean;
  onChanged: () => void;
}) {
  const [{ data, error }, reread] = useQuery({
    query: AlertGroupDetailDocument,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  if (error !== undefined && data === undefined)
    return <ErrorNotice what="The alerts could not be read." error={error} retry={() => reread()} />;
  if (data === undefined) return <Loading label="Loading the alerts of the group" height={80} />;
  const group = data.alertGroup;
  if (group === null) return <Box sx={inset}>The group is not kept any more.</Box>;
  return (
    <Box sx={inset}>
      {fires ? <Investigate id={id} onChanged={onChanged} /> : null}
      <Typography variant="h3" sx={heading}>
        Alerts
      </Typography>
      <Alerts alerts={group.alerts} />
      <Typography variant="h3" sx={heading}>
        Decisions
      </Typography>
      <Box component="ul" sx={list}>
        {group.decisions.nodes.map((decision) => (
          <li key={decision.id}>
            <strong>{wordsOf(decision.outcome)}</strong> <Ago time={decision.at} />
            {decision.alert === null ? '' : `, ${decision.alert.title}`}
            {decision.rule === null ? '' : ` (rule ${decision.rule})`}: {decision.reason}
          </li>
        ))}
      </Box>
    </Box>
  );
}

function Alerts({ alerts }: { alerts: Detail['alerts'] }) {
  const rest = alerts.totalCount - alerts.nodes.length;
  return (
    <Box component="ul" sx={list}>
      {alerts.nodes.map((alert) => (
        <li key={alert.id}>
          <strong>{alert.title}</strong> {alert.state.toLowerCase()}, {alert.severity.toLowerCase()}, since{' '}
          <Ago time={alert.startsAt} />, told of {alert.deliveries}×
          {alert.url === null ? null : (
            <>
              {', '}
              <Link href={alert.url} target="_blank" rel="noopener noreferrer">
                source
              </Link>
            </>
          )}
          <Box sx={labels}>{labelsOf(alert.labels)}</Box>
        </li>
      ))}
      {rest > 0 ? <li>and {rest} more</li> : null}
    </Box>
  );
}

function Investigate({ id, onChanged }: { id: string; onChanged: () => void }) {
  const [{ fetching, data, error }, investigate] = useMutation(InvestigateAlertGroupDocument);
  const navigate = useNavigate();
  const result = data?.investigateAlertGroup;
  const refusal = result !== undefined && 'message' in result ? result.message : error && errorText(error);
  const begin = async (): Promise<void> => {
    const answer = (await investigate({ id })).data?.investigateAlertGroup;
    onChanged();
    if (answer?.__typename === 'InvestigateAlertGroupSuccess')
      await navigate(`/sessions/${answer.session.id}`);
  };
  return (
    <>
      <Button variant="outlined" size="small" loading={fetching} onClick={() => void begin()}>
        Investigate now
      </Button>
      {refusal === undefined ? null : (
        <Alert severity="warning" sx={{ mt: 1 }}>
          {refusal}
        </Alert>
      )}
    </>
  );
}

function labelsOf(labels: unknown): string {
  return Object.entries(labels as Record<string, string>)
    .map(([name, value]) => `${name}=${value}`)
    .join('  ');
}

/** RECENTLY_INVESTIGATED as people write it. */
function wordsOf(outcome: string): string {
  const words = outcome.replaceAll('_', ' ').toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const inset = { ml: 2.5, my: 1, fontSize: '0.8125rem' } as const;
const heading = { mt: 1.5, mb: 0.5, fontSize: '0.8125rem', fontWeight: 650 } as const;
const list = { m: 0, pl: 2, '& > li': { mb: 0.5, overflowWrap: 'anywhere' } } as const;
const labels = {
  fontFamily: mono,
  fontSize: '0.75rem',
  color: 'text.secondary',
  overflowWrap: 'anywhere',
} as const;
