import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { Fact } from '../../components/fact.tsx';
import { RulesNote } from '../../components/model-note.tsx';
import { StatusDot } from '../../components/status-chip.tsx';
import { useSystemState } from '../../components/use-system-state.ts';
import { countText, standstills } from '../../components/waits.ts';
import { useConnectionState, useTransport } from '../../graphql/live-connection-context.tsx';
import type { ConnectionState } from '../../graphql/socket.ts';
import { fetchHealth, type Health } from '../../lib/health.ts';
import { usePolling } from '../../lib/use-polling.ts';
import type { StatusTone } from '../../theme.ts';

const READ_EVERY_MS = 10_000;

const connections: Record<ConnectionState, { tone: StatusTone; label: string }> = {
  idle: { tone: 'queued', label: 'Idle' },
  connecting: { tone: 'late', label: 'Connecting' },
  connected: { tone: 'done', label: 'Connected, live updates on' },
  waiting: { tone: 'late', label: 'Disconnected, reconnecting' },
};

/** Parts that most servers check. They keep the place of the answer, so that nothing below moves. */
const CHECKED_PARTS: Readonly<Record<string, { readonly status: string | null }>> = {
  database: { status: null },
  worker_pool: { status: null },
};

/** Shows the server's version, the health of its components, and the state of the page's connection. */
export function ServerState() {
  const connection = useConnectionState();
  const health = useHealth(connection);
  const { tone, label } = connections[connection];
  const isHttp = useTransport() === 'http' && connection === 'connected';
  const { waiting, model } = useSystemState() ?? {};
  const stuck = standstills(waiting ?? []);
  const parts = Object.entries(health === undefined ? CHECKED_PARTS : (health?.checks ?? {}));
  return (
    <Paper component="dl" sx={facts}>
      <Fact name="Version">{health?.version?.replace(/^tarsy\//, '') ?? '–'}</Fact>
      <Fact name="Server">
        {health === undefined ? (
          'Checking…'
        ) : health === null ? (
          <State tone="failed">Not responding</State>
        ) : (
          <State tone={health.healthy ? 'done' : 'failed'}>{health.healthy ? 'Healthy' : 'Unhealthy'}</State>
        )}
      </Fact>
      {parts.map(([name, { status }]) => (
        <Fact key={name} name={nameOf(name)}>
          {status === null ? (
            'Checking…'
          ) : (
            <State tone={status === 'healthy' ? 'done' : 'failed'}>
              {status === 'healthy' ? 'Healthy' : 'Unhealthy'}
            </State>
          )}
        </Fact>
      ))}
      <Fact name="Investigations">
        {waiting === undefined ? (
          'Checking…'
        ) : stuck.length === 0 ? (
          <State tone="done">Nothing blocked</State>
        ) : (
          <State tone="late">
            {stuck.map((work) => `${countText(work)} blocked: ${work.message}`).join(' ')}
          </State>
        )}
      </Fact>
      <Fact name="Language model">
        {model === undefined ? (
          'Checking…'
        ) : model.usesRules ? (
          <RulesNote />
        ) : (
          `${model.provider} · ${model.model}`
        )}
      </Fact>
      <Fact name="Connection">
        <State tone={tone}>{isHttp ? `${label}, over HTTP` : label}</State>
      </Fact>
    </Paper>
  );
}

/** Polls the server's health, at once if the connection changes. Undefined until known; `null` without an answer. */
function useHealth(connection: ConnectionState): Health | null | undefined {
  const [health, setHealth] = useState<Health | null>();
  const read = useCallback(() => void fetchHealth().then(setHealth), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the connection is the reason to read
  useEffect(read, [read, connection]);
  usePolling(read, READ_EVERY_MS);
  return health;
}

function nameOf(part: string): string {
  const words = part.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function State({ tone, children }: { tone: StatusTone; children: ReactNode }) {
  return (
    <Box
      component="span"
      sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75, color: `status.${tone}` }}
    >
      <StatusDot tone={tone} />
      {children}
    </Box>
  );
}

const facts = {
  m: 0,
  p: 1.5,
  display: 'grid',
  gridTemplateColumns: 'minmax(96px, auto) minmax(0, 1fr)',
  columnGap: 3,
  rowGap: 0.75,
  fontSize: '0.875rem',
} as const;
