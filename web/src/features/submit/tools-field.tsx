import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import { ChoiceField } from '../../components/choice-field.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { McpServersDocument } from '../../graphql/gen/documents.ts';
import { UsualToolsDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { type McpChoice, NATIVE_TOOLS, type NativeTool } from './mcp-choice.ts';
import { ServerChoices } from './server-choices.tsx';

interface Props {
  readonly choice: McpChoice;
  readonly change: (choice: McpChoice) => void;
  /** `null` = the default alert type. */
  readonly alertType: string | null;
  readonly error: string | undefined;
}

/** Returns the ids of the MCP servers that the alert type's chain uses by default; empty while loading. */
export function useUsualServers(alertType: string | null): readonly string[] {
  const [{ data }] = useQuery({ query: UsualToolsDocument, variables: { alertType } });
  return data?.defaultTools.map(({ id }) => id) ?? [];
}

/** Returns the ids of the servers that the viewer may select for this alert type. */
function useSelectableServers(alertType: string | null): readonly string[] {
  const [{ data }] = useQuery({ query: UsualToolsDocument, variables: { alertType } });
  return data?.selectableTools.map(({ id }) => id) ?? [];
}

/** Lets the viewer select servers and tools in place of the chain's default. */
export function ToolsField({ choice, change, alertType, error }: Props) {
  const usual = useUsualServers(alertType);
  const selectable = useSelectableServers(alertType);
  const [{ data }] = useQuery({ query: McpServersDocument });
  const changed = choice.servers !== null || Object.keys(choice.native).length > 0;
  const pick = (own: boolean): void => {
    const servers = own ? Object.fromEntries(usual.map((name) => [name, 'all' as const])) : null;
    change({ ...choice, servers });
  };
  return (
    <Box>
      <Disclosure
        // A new key opens the section again when an error appears.
        key={String(error !== undefined)}
        defaultOpen={changed || error !== undefined}
        summary={
          <Box component="span" sx={{ fontWeight: 600 }}>
            Tools
          </Box>
        }
        preview={
          <Box sx={hint}>{usual.length === 0 ? 'Chain default' : `Chain default: ${usual.join(', ')}`}</Box>
        }
      >
        <Box sx={{ ml: 2.5, display: 'grid', gap: 2.5 }}>
          {error === undefined ? null : <Alert severity="error">{error}</Alert>}
          <RadioGroup
            aria-label="MCP servers"
            value={choice.servers === null ? 'chain' : 'own'}
            onChange={(event) => pick(event.target.value === 'own')}
          >
            <FormControlLabel
              value="chain"
              control={<Radio size="small" />}
              label={usual.length === 0 ? 'Chain default' : `Chain default (${usual.join(', ')})`}
            />
            <FormControlLabel
              value="own"
              control={<Radio size="small" />}
              label="Only selected servers and tools"
            />
          </RadioGroup>
          {choice.servers === null ? null : (
            <ServerChoices
              servers={data?.mcpServers.filter(({ id }) => selectable.includes(id)) ?? []}
              choice={choice.servers}
              change={(servers) => change({ ...choice, servers })}
            />
          )}
          <NativeChoices choice={choice} change={change} />
        </Box>
      </Disclosure>
    </Box>
  );
}

const NATIVE_CHOICES = [
  { value: '', name: 'Configured default' },
  { value: 'on', name: 'On' },
  { value: 'off', name: 'Off' },
];

/** Switches for the tools built into some models. */
function NativeChoices({ choice, change }: Pick<Props, 'choice' | 'change'>) {
  const set = (tool: NativeTool, value: string): void => {
    const { [tool]: _before, ...others } = choice.native;
    change({ ...choice, native: value === '' ? others : { ...others, [tool]: value === 'on' } });
  };
  return (
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: 'repeat(3, 1fr)' } }}>
      {(Object.keys(NATIVE_TOOLS) as NativeTool[]).map((tool) => {
        const chosen = choice.native[tool];
        return (
          <ChoiceField
            key={tool}
            label={NATIVE_TOOLS[tool]}
            choices={NATIVE_CHOICES}
            chosen={[chosen === undefined ? '' : chosen ? 'on' : 'off']}
            change={([value = '']) => set(tool, value)}
            width={{ xs: '100%', md: '100%' }}
          />
        );
      })}
    </Box>
  );
}

const hint = { ml: 2.5, fontSize: '0.8125rem', color: 'text.secondary', overflowWrap: 'anywhere' } as const;
