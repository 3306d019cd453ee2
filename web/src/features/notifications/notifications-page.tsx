import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { useMemo } from 'react';
import { CursorPager, useCursorPages } from '../../components/cursor-pager.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import type { NotificationsQueryVariables } from '../../graphql/gen/documents.ts';
import { NotificationsDocument } from '../../graphql/gen/lazy-documents.ts';
import { useFreshQuery } from '../../graphql/use-fresh-query.ts';
import { useSearchParams, withParam } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { AdminOnly } from '../access/admin-only.tsx';
import { ChannelItem } from './channel-item.tsx';
import { DeliveryItem } from './delivery-item.tsx';

const READ_EVERY_MS = 2_000;

/** Lists the notification channels and their deliveries; sends tests and repeats deliveries. */
export default function NotificationsPage() {
  useDocumentTitle('Notifications');
  const [params, setParams] = useSearchParams();
  const channel = params.get('channel') ?? '';
  const isOpen = params.get('open') === '1';
  const set = (name: string, value: string): void =>
    setParams((now) => withParam(now, name, value), { replace: true });
  return (
    <AdminOnly title="Notifications">
      <Notifications key={`${channel} ${isOpen}`} channel={channel} isOpen={isOpen} set={set} />
    </AdminOnly>
  );
}

interface Props {
  /** Name of the only channel whose deliveries are shown; '' for all. */
  readonly channel: string;
  /** True to leave out delivered notifications. */
  readonly isOpen: boolean;
  readonly set: (name: string, value: string) => void;
}

function Notifications({ channel, isOpen, set }: Props) {
  const pages = useCursorPages();
  const input = useMemo(() => ({ after: pages.after, channel, isOpen }), [pages.after, channel, isOpen]);
  const { data, error, refetch } = useFreshQuery(NotificationsDocument, input, variablesOf);
  usePolling(refetch, READ_EVERY_MS);
  if (data === null)
    return error === null ? (
      <Loading label="Loading notifications" height={240} />
    ) : (
      <ErrorNotice what="Could not load notifications." error={error} retry={refetch} />
    );
  const { notificationChannels: channels, notificationDeliveries: deliveries } = data;
  if (channels.length === 0 && deliveries.nodes.length === 0)
    return (
      <Paper>
        <EmptyNotice title="No notification channels">
          Add channels and rules under <code>notifications</code> in tarsy.yaml to notify by e-mail, chat or
          webhook.
        </EmptyNotice>
      </Paper>
    );
  return (
    <>
      <Heading text="Channels" />
      <Paper component="ul" aria-label="Channels" sx={dividedList}>
        {channels.map((each) => (
          <ChannelItem
            key={each.name}
            channel={each}
            isChosen={each.name === channel}
            choose={(name) => set('channel', name)}
            changed={refetch}
          />
        ))}
      </Paper>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'end', gap: 1, mb: 1 }}>
        <Box sx={{ flex: 1 }}>
          <Heading text={channel === '' ? 'Deliveries' : `Deliveries to ${channel}`} />
        </Box>
        {channel === '' ? null : (
          <Button variant="outlined" onClick={() => set('channel', '')}>
            Show all channels
          </Button>
        )}
        <Button variant="outlined" aria-pressed={isOpen} onClick={() => set('open', isOpen ? '' : '1')}>
          {isOpen ? 'Show delivered ones too' : 'Hide delivered ones'}
        </Button>
      </Box>
      {deliveries.nodes.length === 0 ? (
        <Paper>
          <EmptyNotice title={isOpen ? 'Everything is delivered' : 'No deliveries yet'} />
        </Paper>
      ) : (
        <Paper component="ul" aria-label="Deliveries" sx={dividedList}>
          {deliveries.nodes.map((each) => (
            <DeliveryItem key={each.id} delivery={each} changed={refetch} />
          ))}
        </Paper>
      )}
      <CursorPager
        label="Delivery pages"
        pages={pages}
        info={deliveries.pageInfo}
        labels={{ previous: 'Newer', next: 'Older' }}
      />
    </>
  );
}

function variablesOf({
  after,
  channel,
  isOpen,
}: {
  after: string | null;
  channel: string;
  isOpen: boolean;
}): NotificationsQueryVariables {
  return {
    after,
    channel: channel === '' ? null : channel,
    status: isOpen ? ['PENDING', 'FAILED', 'DISABLED'] : null,
  };
}

function Heading({ text }: { text: string }) {
  return (
    <Box component="h2" sx={{ m: 0, mt: 2, mb: 1, fontSize: '0.9375rem', overflowWrap: 'anywhere' }}>
      {text}
    </Box>
  );
}
