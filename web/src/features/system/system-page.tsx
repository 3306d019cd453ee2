import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { type ReactNode, useEffect, useRef } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { SystemHeading } from '../../components/system-heading.tsx';
import { Ago } from '../../components/time.tsx';
import { type SystemWarning, useSystemWarnings } from '../../components/use-system-warnings.ts';
import { McpServersDocument } from '../../graphql/gen/documents.ts';
import { usePolledQuery } from '../../graphql/use-polled-query.ts';
import { useLocation } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { AlertSources } from './alert-sources.tsx';
import { McpServerItem } from './mcp-server-item.tsx';
import { ServerState } from './server-state.tsx';
import { WaitingList } from './waiting-list.tsx';

const READ_EVERY_MS = 15_000;

export default function SystemPage() {
  useDocumentTitle('System');
  const { data, error, refetch } = usePolledQuery(McpServersDocument, READ_EVERY_MS);
  const warnings = useSystemWarnings();
  // Servers that were not checked, usually because they are unused, come last.
  const servers = data?.mcpServers.toSorted((a, b) => Number(isUnused(a)) - Number(isUnused(b)));
  const unhealthyCount = servers?.filter((server) => !server.healthy && !isUnused(server)).length ?? 0;
  return (
    <Page>
      <SystemHeading title="System" />
      <Section title="TARSy">
        <ServerState />
      </Section>
      <Section id="waiting" title="Waiting">
        <WaitingList />
      </Section>
      <Section title="Warnings">
        <Warnings warnings={warnings} />
      </Section>
      <Section id="sources" title="Alert sources">
        <AlertSources />
      </Section>
      <Section title="MCP servers" note={unhealthyCount === 0 ? '' : `${unhealthyCount} unavailable`}>
        {error !== undefined && servers === undefined ? (
          <ErrorNotice what="Could not load MCP servers." error={error} retry={refetch} />
        ) : servers === undefined ? (
          <Loading label="Loading MCP servers" shape="rows" />
        ) : servers.length === 0 ? (
          <Paper>
            <EmptyNotice title="No MCP servers configured">
              Agents have no MCP tools. Add servers to <code>mcp_servers</code> in tarsy.yaml.
            </EmptyNotice>
          </Paper>
        ) : (
          <Paper component="ul" sx={dividedList}>
            {servers.map((server) => (
              <McpServerItem key={server.id} server={server} />
            ))}
          </Paper>
        )}
      </Section>
    </Page>
  );
}

const isUnused = ({ lastCheckedAt }: { lastCheckedAt: string | null }): boolean => lastCheckedAt === null;

function Warnings({ warnings }: { warnings: readonly SystemWarning[] | undefined }) {
  if (warnings === undefined) return <Loading label="Loading" height={21} />;
  if (warnings.length === 0) {
    return <Box sx={{ fontSize: '0.875rem', color: 'text.secondary' }}>No warnings</Box>;
  }
  return warnings.map((warning) => (
    <Alert
      key={warning.id}
      severity="warning"
      variant="outlined"
      sx={{ mb: 1, overflowWrap: 'anywhere', bgcolor: 'background.paper' }}
    >
      {warning.message}
      {warning.details ? <Box sx={{ mt: 0.5, color: 'text.secondary' }}>{warning.details}</Box> : null}
      <Box sx={{ mt: 0.5, fontSize: '0.8125rem', color: 'text.secondary' }}>
        Started <Ago time={warning.createdAt} />
      </Box>
    </Alert>
  ));
}

function Section(props: { id?: string; title: string; note?: string; children: ReactNode }) {
  const { id, title, note = '', children } = props;
  const section = useRef<HTMLElement>(null);
  const { hash } = useLocation();
  useEffect(() => {
    if (id !== undefined && hash === `#${id}`) section.current?.scrollIntoView({ block: 'start' });
  }, [id, hash]);
  return (
    <Box component="section" ref={section} id={id} aria-label={title} sx={{ mb: 3.5, scrollMarginTop: 64 }}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {title}
        <Box component="span" sx={{ ml: 1, fontWeight: 500, color: 'status.failed' }}>
          {note}
        </Box>
      </Typography>
      {children}
    </Box>
  );
}
