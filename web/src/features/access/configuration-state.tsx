import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { Disclosure } from '../../components/disclosure.tsx';
import { Fact } from '../../components/fact.tsx';
import { Ago } from '../../components/time.tsx';
import { mono } from '../../theme.ts';
import { type Configuration, type Difference, formatValue } from './configuration-values.ts';

/** Shows the configuration files and variables, changes on disk since the start, and workers with other values. */
export function ConfigurationState({ configuration }: { configuration: Configuration }) {
  const { files, warnings, environment, workers } = configuration;
  return (
    <>
      <FilesOnDisk configuration={configuration} />
      {warnings.map((warning) => (
        <Alert key={warning} severity="warning" variant="outlined" sx={alertStyle}>
          {warning}
        </Alert>
      ))}
      <Paper component="dl" sx={facts}>
        <Fact name="Files">
          <Lines lines={files.length === 0 ? ['None. All values are built in.'] : files} />
        </Fact>
        <Fact name="Environment">
          {environment.length === 0 ? 'No variables set.' : null}
          <Lines
            lines={environment.map(({ name, value, hidden }) => `${name}=${hidden ? '(hidden)' : value}`)}
          />
        </Fact>
        <Fact name="Workers">
          {workers.length === 0 ? 'No workers have reported yet.' : null}
          {workers.map((worker) => (
            <Box key={worker.process}>
              <Box component="span" sx={{ fontFamily: mono, fontSize: '0.75rem' }}>
                {worker.process}
              </Box>
              {`, ${worker.version}, started `}
              <Ago time={worker.startedAt} />
              {worker.differences.length === 0 ? (
                ', same configuration'
              ) : (
                <Differences
                  title={`${countText(worker.differences)} different`}
                  differences={worker.differences}
                  there="worker"
                />
              )}
            </Box>
          ))}
        </Fact>
      </Paper>
    </>
  );
}

function FilesOnDisk({ configuration: { onDisk } }: { configuration: Configuration }) {
  if (onDisk.problems.length > 0)
    return (
      <Alert severity="error" variant="outlined" sx={alertStyle}>
        The configuration files on disk are invalid. The next start will fail.
        <Lines lines={onDisk.problems} />
      </Alert>
    );
  if (onDisk.differences.length === 0) return null;
  return (
    <Alert severity="info" variant="outlined" sx={alertStyle}>
      The configuration files changed after the start. Restart to apply them.
      <Differences
        title={countText(onDisk.differences)}
        differences={onDisk.differences}
        there="after restart"
      />
    </Alert>
  );
}

function Differences({
  title,
  differences,
  there,
}: {
  title: string;
  differences: readonly Difference[];
  there: string;
}) {
  return (
    <Disclosure summary={<Box component="span">{title}</Box>}>
      <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
        {differences.map(({ path, here, there: other }) => (
          <Box component="li" key={path} sx={{ overflowWrap: 'anywhere' }}>
            <Box component="span" sx={{ fontFamily: mono, fontSize: '0.75rem' }}>
              {path}
            </Box>
            {`: here ${formatValue(here)}, ${there} ${formatValue(other)}`}
          </Box>
        ))}
      </Box>
    </Disclosure>
  );
}

const countText = (differences: readonly Difference[]): string =>
  differences.length === 1 ? '1 value' : `${differences.length.toLocaleString('en')} values`;

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <Box component="span" sx={{ fontFamily: mono, fontSize: '0.75rem', whiteSpace: 'pre-line' }}>
      {lines.map((line) => `${line}\n`).join('')}
    </Box>
  );
}

const alertStyle = { mb: 1.5, overflowWrap: 'anywhere', bgcolor: 'background.paper' } as const;
const facts = {
  m: 0,
  mb: 2,
  p: 1.5,
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: '110px minmax(0, 1fr)' },
  columnGap: 2,
  rowGap: { xs: 0.25, sm: 1 },
  fontSize: '0.8125rem',
} as const;
