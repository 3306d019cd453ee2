import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useMemo } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { severityName } from '../../components/severity.tsx';
import { Ago } from '../../components/time.tsx';
import { groupPath } from '../../lib/paths.ts';
import { prettyJson } from '../../lib/pretty-json.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { safeLink } from '../../lib/safe-link.ts';
import { LabelList } from '../alerts/label-list.tsx';
import { commonLabels } from '../alerts/labels.ts';
import { Fact, FactList } from './facts.tsx';
import { resolvedTime, type SessionDetail } from './session-detail.ts';

/** Shows the alert's main facts and labels, and the raw alert, which is collapsed if it is JSON. */
export function AlertCard({ session }: { session: SessionDetail }) {
  const { group, alertData, title, entities, severity } = session;
  const alert = useMemo(() => prettyJson(alertData), [alertData]);
  const resolvedAt = resolvedTime(session);
  const alerts = group?.alerts.nodes ?? [];
  const labels = commonLabels(alerts);
  return (
    <Box sx={{ display: 'grid', gap: 1.25, minWidth: 0 }}>
      <Box sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{title}</Box>
      <FactList>
        {severity === 'UNKNOWN' ? null : (
          <Fact name="Severity">{severityName(group?.severity ?? severity)}</Fact>
        )}
        {entities.length === 0 ? null : <Fact name="Affected">{entities.join(', ')}</Fact>}
        <Fact name="Started">
          <Ago time={group?.startedAt ?? session.createdAt} />
        </Fact>
        {resolvedAt === null ? null : (
          <Fact name="Resolved">
            <Ago time={resolvedAt} />
          </Fact>
        )}
        {group === null ? null : (
          <>
            <Fact name="Source">{group.source}</Fact>
            <Fact name="Group">
              <Link component={RouterLink} to={groupPath(group.id)}>
                {group.title}
              </Link>
              {group.flapping ? ', flapping' : ''}
            </Fact>
          </>
        )}
        <SourceLinks urls={alerts.flatMap(({ url }) => url ?? [])} />
      </FactList>
      {Object.keys(labels).length === 0 ? null : <LabelList labels={labels} />}
      {alert.isJson ? (
        <Box sx={{ fontSize: '0.8125rem' }}>
          <Disclosure stateKey="alert" summary="Original alert">
            <CodeBlock label="Alert text" text={alert.text} maxHeight={320} />
          </Disclosure>
        </Box>
      ) : (
        <CodeBlock label="Alert text" text={alert.text} maxHeight={260} />
      )}
    </Box>
  );
}

// Maximum number of source links; the alert group's page lists all.
const MAX_SOURCE_LINKS = 3;

/** Links back to the systems that sent the alerts; only http(s) and mailto URLs become links. */
function SourceLinks({ urls }: { urls: readonly string[] }) {
  const links = [...new Set(urls)].flatMap((url) => safeLink(url) ?? []).slice(0, MAX_SOURCE_LINKS);
  if (links.length === 0) return null;
  return (
    <Fact name="Links">
      {links.map(({ href, target }) => (
        <Box
          key={href}
          component="a"
          href={href}
          title={href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          sx={{ display: 'block', color: 'primary.main' }}
        >
          {target}&nbsp;↗
        </Box>
      ))}
    </Fact>
  );
}
