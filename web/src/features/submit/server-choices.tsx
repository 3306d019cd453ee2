import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import { Disclosure } from '../../components/disclosure.tsx';
import type { McpServersQuery } from '../../graphql/gen/documents.ts';
import { mono } from '../../theme.ts';
import { type ServerChoice, toggleServer, toggleTool } from './mcp-choice.ts';

type Server = McpServersQuery['mcpServers'][number];

interface Props {
  readonly servers: readonly Server[];
  readonly choice: ServerChoice;
  readonly change: (choice: ServerChoice) => void;
}

export function ServerChoices({ servers, choice, change }: Props) {
  const unavailable = Object.keys(choice).filter((name) => !servers.some(({ id }) => id === name));
  return (
    <Box role="group" aria-label="Selected MCP servers" sx={{ display: 'grid', gap: 0.5 }}>
      {servers.map((server) => (
        <ServerBox key={server.id} server={server} choice={choice} change={change} />
      ))}
      {unavailable.map((name) => (
        <FormControlLabel
          key={name}
          label={`${name} (not available)`}
          control={<Checkbox size="small" checked onChange={() => change(toggleServer(choice, name))} />}
        />
      ))}
      {Object.keys(choice).length === 0 ? (
        <Box sx={{ fontSize: '0.8125rem', color: 'status.late' }}>
          Without servers, agents have no MCP tools.
        </Box>
      ) : null}
    </Box>
  );
}

function ServerBox({ server, choice, change }: { server: Server } & Omit<Props, 'servers'>) {
  const chosen = choice[server.id];
  const known = server.tools.map(({ name }) => name);
  const some = chosen !== undefined && chosen !== 'all';
  return (
    <Box>
      <FormControlLabel
        label={
          <>
            {server.id}
            {server.healthy ? null : (
              <Box component="span" sx={{ ml: 1, fontSize: '0.8125rem', color: 'status.late' }}>
                {server.lastCheckedAt === null ? 'not checked' : 'unavailable'}
              </Box>
            )}
          </>
        }
        control={
          <Checkbox
            size="small"
            checked={chosen !== undefined}
            indeterminate={some}
            onChange={() => change(toggleServer(choice, server.id))}
          />
        }
      />
      {chosen === undefined || known.length === 0 ? null : (
        <Box sx={{ ml: 4, fontSize: '0.8125rem' }}>
          <Disclosure
            defaultOpen={some}
            summary={some ? `${chosen.length} of ${known.length} tools` : `All ${known.length} tools`}
          >
            <Box role="group" aria-label={`Tools of ${server.id}`} sx={tools}>
              {known.map((tool) => (
                <FormControlLabel
                  key={tool}
                  label={tool}
                  slotProps={{ typography: { sx: toolName } }}
                  control={
                    <Checkbox
                      size="small"
                      checked={chosen === 'all' || chosen.includes(tool)}
                      onChange={() => change(toggleTool(choice, server.id, tool, known))}
                    />
                  }
                />
              ))}
            </Box>
          </Disclosure>
        </Box>
      )}
    </Box>
  );
}

const tools = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(220px, 100%), 1fr))',
} as const;
const toolName = { fontFamily: mono, fontSize: '0.8125rem', overflowWrap: 'anywhere' } as const;
