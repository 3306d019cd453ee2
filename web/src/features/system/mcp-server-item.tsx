import Box from '@mui/material/Box';
import { CodeBlock } from '../../components/code-block.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { StatusDot } from '../../components/status-chip.tsx';
import { Ago } from '../../components/time.tsx';
import type { McpServersQuery } from '../../graphql/gen/documents.ts';
import { mono, type StatusTone } from '../../theme.ts';

type Server = McpServersQuery['mcpServers'][number];

export function McpServerItem({ server }: { server: Server }) {
  const { tone, label } = healthOf(server);
  const count = server.tools.length;
  const withheld = server.tools.filter((tool) => !tool.offered).length;
  return (
    <Box component="li" sx={{ px: 1.5, py: 1 }}>
      <Disclosure
        summary={
          <Box component="span" sx={line}>
            <Box component="span" sx={{ fontWeight: 650, overflowWrap: 'anywhere' }}>
              {server.id}
            </Box>
            <Box component="span" sx={[state, { color: `status.${tone}` }]}>
              <StatusDot tone={tone} />
              {label}
            </Box>
            {count === 0 ? null : (
              <Box component="span" sx={{ color: 'text.secondary' }}>
                {count === 1 ? '1 tool' : `${count} tools`}
                {withheld === 0 ? '' : `, ${withheld} withheld`}
              </Box>
            )}
            {server.lastCheckedAt === null ? null : (
              <Box component="span" sx={{ ml: { sm: 'auto' }, color: 'text.secondary' }}>
                checked <Ago time={server.lastCheckedAt} />
              </Box>
            )}
          </Box>
        }
      >
        <Tools server={server} />
      </Disclosure>
      {server.error === null ? null : (
        <Box
          sx={{ ml: 2.5, mt: 0.5, fontSize: '0.8125rem', color: `status.${tone}`, overflowWrap: 'anywhere' }}
        >
          {server.error}
        </Box>
      )}
    </Box>
  );
}

function healthOf({ healthy, lastCheckedAt }: Server): { tone: StatusTone; label: string } {
  if (lastCheckedAt === null) return { tone: 'queued', label: 'Not checked' };
  return healthy ? { tone: 'done', label: 'Healthy' } : { tone: 'failed', label: 'Unavailable' };
}

function Tools({ server }: { server: Server }) {
  if (server.tools.length === 0) {
    return <Box sx={[inset, { color: 'text.secondary' }]}>No known tools.</Box>;
  }
  return (
    <Box component="ul" sx={[inset, { listStyle: 'none', p: 0, my: 0 }]}>
      {server.tools.map((tool) => (
        <Box component="li" key={tool.name} sx={{ py: 0.5 }}>
          <Disclosure
            summary={
              <Box component="span" sx={toolName}>
                {tool.name}
                {tool.offered ? null : (
                  <Box component="span" sx={mark}>
                    withheld
                  </Box>
                )}
              </Box>
            }
            preview={<Box sx={description}>{tool.description}</Box>}
          >
            <Box sx={[description, { whiteSpace: 'pre-wrap', mb: 0.75 }]}>{tool.description}</Box>
            <Box sx={[description, { mb: 0.75 }]}>
              Policy: {tool.policy}. {declared(tool)}
            </Box>
            <CodeBlock
              label={`Arguments of ${tool.name}`}
              text={JSON.stringify(tool.inputSchema, null, 2)}
              maxHeight={260}
            />
          </Disclosure>
        </Box>
      ))}
    </Box>
  );
}

const HINTS = [
  ['readOnly', 'read-only'],
  ['destructive', 'destructive'],
  ['idempotent', 'idempotent'],
  ['openWorld', 'open world'],
] as const;

/** Formats a tool's hints as text, such as "The server declares: read-only yes, destructive no." */
function declared(tool: Server['tools'][number]): string {
  const hints = HINTS.flatMap(([key, word]) =>
    tool[key] === null ? [] : [`${word} ${tool[key] ? 'yes' : 'no'}`],
  );
  return hints.length === 0 ? 'The server declares no hints.' : `The server declares: ${hints.join(', ')}.`;
}

const line = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1.5,
  flex: 1,
  minWidth: 0,
  fontSize: '0.875rem',
} as const;
const state = {
  display: 'inline-flex',
  alignItems: 'center',
  gap: 0.75,
  fontSize: '0.8125rem',
  fontWeight: 600,
};
const inset = { ml: 2.5, fontSize: '0.8125rem' } as const;
const toolName = {
  fontFamily: mono,
  fontSize: '0.8125rem',
  fontWeight: 600,
  overflowWrap: 'anywhere',
} as const;
const mark = { ml: 1, color: 'status.late', fontWeight: 600 } as const;
const description = {
  ml: 2.5,
  fontSize: '0.8125rem',
  color: 'text.secondary',
  overflowWrap: 'anywhere',
  maxWidth: '100ch',
} as const;
