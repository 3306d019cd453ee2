import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useState } from 'react';
import { type Client, type CombinedError, useClient, useMutation } from 'urql';
import { ActionButton } from '../../components/action-button.tsx';
import { errorText, refusalText } from '../../components/notice.tsx';
import type {
  AlertGroupPageQuery,
  GroupAlertsQuery,
  SilenceItemFragment,
} from '../../graphql/gen/documents.ts';
import { GroupAlertsDocument, InvestigateAlertGroupDocument } from '../../graphql/gen/lazy-documents.ts';
import { formatAbsolute } from '../../lib/format.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink, useNavigate } from '../../lib/router.tsx';
import { useTimeZone } from '../../lib/time-zone.ts';
import { matchersFor } from './labels.ts';
import { SilenceDialog } from './silence-dialog.tsx';

export type Group = NonNullable<AlertGroupPageQuery['alertGroup']>;

/** Buttons that silence a group, or start an investigation regardless of silences and earlier decisions. */
export function GroupActions({ group, changed }: { group: Group; changed: () => void }) {
  const investigation = useInvestigate(group.id, changed);
  const silence = useSilence(group, changed);
  const zone = useTimeZone();
  return (
    <>
      <ActionButton
        needs="REVIEW"
        variant="outlined"
        loading={silence.opening}
        onClick={() => void silence.open()}
      >
        Silence
      </ActionButton>
      {group.state === 'FIRING' ? (
        <ActionButton
          needs="REVIEW"
          variant="contained"
          loading={investigation.fetching}
          onClick={() => void investigation.begin()}
        >
          Investigate now
        </ActionButton>
      ) : null}
      {silence.matchers === null ? null : (
        <SilenceDialog matchers={silence.matchers} close={silence.close} onCreated={silence.onCreated} />
      )}
      <Box aria-live="polite" sx={{ flexBasis: '100%', '&:empty': { display: 'none' } }}>
        {investigation.refusal === undefined ? null : (
          <Alert severity="warning">{investigation.refusal}</Alert>
        )}
        {silence.problem === null ? null : <Alert severity="warning">{silence.problem}</Alert>}
        {silence.created === null ? null : (
          <Alert severity="success">
            Silenced. TARSy does not investigate matching alerts until{' '}
            {formatAbsolute(silence.created.endsAt, zone)}. Running investigations continue.{' '}
            <Link component={RouterLink} to="/alerts/silences">
              All silences
            </Link>
          </Alert>
        )}
      </Box>
    </>
  );
}

function useInvestigate(id: string, changed: () => void) {
  const [{ fetching, data, error }, investigate] = useMutation(InvestigateAlertGroupDocument);
  const navigate = useNavigate();
  const result = data?.investigateAlertGroup;
  const refusal = refusalText(result, error);
  const begin = async (): Promise<void> => {
    const answer = (await investigate({ id })).data?.investigateAlertGroup;
    changed();
    if (answer?.__typename === 'InvestigateAlertGroupSuccess') navigate(sessionPath(answer.session.id));
  };
  return { fetching, refusal, begin };
}

/**
 * Opens the silence form with the labels that the firing alerts share, or all alerts if none fires. A group without
 * alerts shows an error instead, because a matcher of the source alone would silence the whole source.
 */
function useSilence({ id, source }: Group, changed: () => void) {
  const client = useClient();
  const [opening, setOpening] = useState(false);
  const [matchers, setMatchers] = useState<readonly string[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [created, setCreated] = useState<SilenceItemFragment | null>(null);
  const open = async (): Promise<void> => {
    setOpening(true);
    setProblem(null);
    const { alerts, error } = await readAlerts(client, id);
    setOpening(false);
    if (error !== undefined || alerts.length === 0)
      return setProblem(
        error === undefined
          ? 'This group has no alerts to silence.'
          : `Could not load the group’s alerts. ${errorText(error)}`,
      );
    const firing = alerts.filter(({ state }) => state === 'FIRING');
    setMatchers(matchersFor(source, firing.length > 0 ? firing : alerts));
  };
  const close = (): void => setMatchers(null);
  const onCreated = (silence: SilenceItemFragment): void => {
    setCreated(silence);
    changed();
    close();
  };
  return { opening, matchers, problem, created, open, close, onCreated };
}

type Alerts = NonNullable<GroupAlertsQuery['alertGroup']>['alerts'];

// Maximum number of alerts read; the other alerts of a storm are assumed to share the same labels.
const MAX_ALERTS = 1_000;

/** Reads a group's alerts page by page, until the last page, an error or `MAX_ALERTS`. */
async function readAlerts(
  client: Client,
  id: string,
): Promise<{ alerts: Alerts['nodes'][number][]; error: CombinedError | undefined }> {
  const alerts: Alerts['nodes'][number][] = [];
  for (let after: string | null = null; ; ) {
    const variables: { id: string; after: string | null } = { id, after };
    const { data, error } = await client
      .query(GroupAlertsDocument, variables, { requestPolicy: 'network-only' })
      .toPromise();
    const page: Alerts | undefined = data?.alertGroup?.alerts;
    alerts.push(...(page?.nodes ?? []));
    if (error !== undefined || !page?.pageInfo.hasNextPage || alerts.length >= MAX_ALERTS)
      return { alerts, error };
    after = page.pageInfo.endCursor;
  }
}
