import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { SeverityChip } from '../../components/severity.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import type { GroupAlertsQuery } from '../../graphql/gen/documents.ts';
import { safeLink } from '../../lib/safe-link.ts';
import { LabelList } from './label-list.tsx';
import { type Labels, ownLabels } from './labels.ts';

type Alert = NonNullable<GroupAlertsQuery['alertGroup']>['alerts']['nodes'][number];

export function AlertItem({ alert, common }: { alert: Alert; common: Labels }) {
  const labels = ownLabels(alert, common);
  const annotations = Object.entries(alert.annotations as Labels);
  return (
    <Box component="li" sx={{ px: 1.5, py: 1.25, fontSize: '0.8125rem' }}>
      <Box sx={line}>
        <SeverityChip severity={alert.severity} state={alert.state} />
        <Box component="span" sx={{ fontSize: '0.875rem', fontWeight: 600, overflowWrap: 'anywhere' }}>
          {alert.title}
        </Box>
        <SourceLink url={alert.url} />
        <Box component="span" sx={{ ml: { sm: 'auto' }, color: 'text.secondary' }}>
          <Period {...alert} />,{' '}
          {alert.deliveries === 1
            ? 'received'
            : `received ${alert.deliveries.toLocaleString('en')} times, last`}{' '}
          <Ago time={alert.lastReceivedAt} />
        </Box>
      </Box>
      {Object.keys(labels).length === 0 ? null : (
        <Box sx={{ mt: 0.75 }}>
          <LabelList labels={labels} />
        </Box>
      )}
      {annotations.length === 0 ? null : (
        <Box component="dl" sx={notes}>
          {annotations.map(([name, text]) => (
            <Annotation key={name} name={name} text={text} />
          ))}
        </Box>
      )}
    </Box>
  );
}

function Period({ state, startsAt, endsAt }: Pick<Alert, 'state' | 'startsAt' | 'endsAt'>) {
  if (state !== 'FIRING' && endsAt === null) return 'No end reported';
  return (
    <>
      {state === 'FIRING' ? 'Firing for ' : 'Lasted '}
      <Duration start={startsAt} end={endsAt} />
    </>
  );
}

function Annotation({ name, text }: { name: string; text: string }) {
  const link = /^https?:\/\/\S+$/i.test(text) ? safeLink(text) : null;
  return (
    <>
      <Box component="dt" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
        {name}
      </Box>
      <Box component="dd" sx={{ m: 0, minWidth: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {link === null ? text : <ExternalLink href={link.href}>{link.href}</ExternalLink>}
      </Box>
    </>
  );
}

/** Links to the alert at its source. The link text is the host, because the sender chose the URL. */
function SourceLink({ url }: { url: string | null }) {
  const link = url === null ? null : safeLink(url);
  if (link === null || !link.href.startsWith('http')) return null;
  return <ExternalLink href={link.href}>{link.target}</ExternalLink>;
}

function ExternalLink({ href, children }: { href: string; children: string }) {
  return (
    <Link
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      sx={{ overflowWrap: 'anywhere' }}
    >
      {children}
      <span aria-hidden="true">&nbsp;↗</span>
    </Link>
  );
}

const line = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1.5,
  rowGap: 0.5,
} as const;
const notes = {
  m: 0,
  mt: 1,
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'minmax(80px, max-content) minmax(0, 1fr)' },
  columnGap: 2,
  rowGap: 0.5,
  '& dt': { maxWidth: 180 },
} as const;
