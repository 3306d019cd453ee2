import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { useQuery } from 'urql';
import { Page } from '../../components/app-shell.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { AlertGroupsDocument } from '../../graphql/gen/documents.ts';
import { useAfterReconnect } from '../../graphql/socket-context.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { AlertGroupItem } from './alert-group-item.tsx';
import { filterOfParams } from './filter.ts';

const READ_EVERY_MS = 5_000;

/** What monitoring systems told of, and what became of it. */
export default function AlertsPage() {
  useDocumentTitle('Alerts');
  const [params, setParams] = useSearchParams();
  const after = params.get('after');
  const [{ data, error }, reread] = useQuery({
    query: AlertGroupsDocument,
    variables: { after, filter: filterOfParams(params) },
    requestPolicy: 'cache-and-network',
  });
  const read = useCallback(() => reread({ requestPolicy: 'network-only' }), [reread]);
  usePolling(read, READ_EVERY_MS);
  useAfterReconnect(read);
  const page = data?.alertGroups;
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(params);
    next.delete('after');
    if (value === '') next.delete(name);
    else next.set(name, value);
    setParams(next);
  };
  return (
    <Page maxWidth={1200}>
      <Typography variant="h1" sx={{ mb: 2 }}>
        Alerts
      </Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, mb: 2 }}>
        <Choice
          label="State"
          value={params.get('state') ?? ''}
          choices={[
            ['', 'All'],
            ['FIRING', 'Firing'],
            ['RESOLVED', 'Resolved'],
          ]}
          onChange={(value) => change('state', value)}
        />
        <Choice
          label="Severity"
          value={params.get('severity') ?? ''}
          choices={[
            ['', 'All'],
            ['CRITICAL', 'Critical'],
            ['ERROR', 'Error'],
            ['WARNING', 'Warning'],
            ['INFO', 'Info'],
            ['UNKNOWN', 'Unknown'],
          ]}
          onChange={(value) => change('severity', value)}
        />
      </Box>
      {error !== undefined && page === undefined ? (
        <ErrorNotice what="The alerts could not be read." error={error} retry={read} />
      ) : page === undefined ? (
        <Loading label="Loading the alerts" height={240} />
      ) : page.nodes.length === 0 ? (
        <Paper>
          <EmptyNotice title="No alerts">
            Nothing that a monitoring system sent fits. Name sources under <code>intake.sources</code> in
            tarsy.yaml.
          </EmptyNotice>
        </Paper>
      ) : (
        <Paper component="ul" aria-label="Groups of alerts" sx={list}>
          {page.nodes.map((group) => (
            <AlertGroupItem key={group.id} group={group} onChanged={read} />
          ))}
        </Paper>
      )}
      {page === undefined ? null : (
        <Box
          sx={{
            display: 'flex',
            gap: 1.5,
            mt: 1.5,
            alignItems: 'center',
            color: 'text.secondary',
            fontSize: '0.8125rem',
          }}
        >
          {page.totalCount === 1 ? '1 group' : `${page.totalCount} groups`}
          {after === null ? null : <Button onClick={() => change('after', '')}>First page</Button>}
          {page.pageInfo.hasNextPage ? (
            <Button onClick={() => change('after', page.pageInfo.endCursor ?? '')}>Older</Button>
          ) : null}
        </Box>
      )}
    </Page>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, name: string])[];
  onChange: (value: string) => void;
}

function Choice({ label, value, choices, onChange }: ChoiceProps) {
  return (
    <TextField
      select
      size="small"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      fullWidth={false}
      sx={{ width: 160 }}
      slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
    >
      {choices.map(([key, name]) => (
        <MenuItem key={key} value={key}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  );
}

const list = {
  m: 0,
  p: 0,
  listStyle: 'none',
  '& > li + li': { borderTop: 1, borderColor: 'divider' },
} as const;
