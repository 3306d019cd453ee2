import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { ConfigurationDocument } from '../../graphql/gen/documents.ts';
import { usePolledQuery } from '../../graphql/use-polled-query.ts';
import { useSearchParams, withParam } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { AdminOnly } from './admin-only.tsx';
import { ConfigurationSection } from './configuration-section.tsx';
import { ConfigurationState } from './configuration-state.tsx';
import { type Configuration, filterValues, groupBySection } from './configuration-values.ts';

const READ_EVERY_MS = 10_000;

/** Shows the configuration with which TARSy started, the source of each value, and processes with other values. */
export default function ConfigurationPage() {
  useDocumentTitle('Configuration');
  return (
    <AdminOnly title="Configuration">
      <ConfigurationLoader />
    </AdminOnly>
  );
}

function ConfigurationLoader() {
  const { data, error, refetch } = usePolledQuery(ConfigurationDocument, READ_EVERY_MS);
  if (data !== undefined && data !== null)
    return <ConfigurationView configuration={data.configuration as Configuration} />;
  if (error !== undefined)
    return <ErrorNotice what="Could not load the configuration." error={error} retry={refetch} />;
  return <Loading label="Loading configuration" shape="rows" />;
}

function ConfigurationView({ configuration }: { configuration: Configuration }) {
  const [params, setParams] = useSearchParams();
  const search = params.get('q') ?? '';
  const builtIn = params.get('builtin') === '1';
  const change = (name: string, value: string): void =>
    setParams((now) => withParam(now, name, value), { replace: true });
  const sections = groupBySection(filterValues(configuration.values, { search, builtIn }));
  return (
    <>
      <ConfigurationState configuration={configuration} />
      <Box role="search" aria-label="Configuration" sx={bar}>
        <SearchField
          value={search}
          change={(text) => change('q', text)}
          label="Search keys, values and files"
          placeholder="Search keys, values and files"
          maxLength={200}
        />
        <Button
          variant="outlined"
          aria-pressed={builtIn}
          onClick={() => change('builtin', builtIn ? '' : '1')}
          sx={{ minHeight: 38 }}
        >
          {builtIn ? 'Hide built-in values' : 'Show built-in values'}
        </Button>
      </Box>
      {sections.length === 0 ? (
        <EmptyNotice title={search === '' ? 'All values are defaults' : 'No matching values'}>
          {search === '' ? 'The configuration files and the environment set no values.' : null}
        </EmptyNotice>
      ) : (
        sections.map(([name, values]) => <ConfigurationSection key={name} name={name} values={values} />)
      )}
    </>
  );
}

const bar = { display: 'flex', flexWrap: 'wrap', alignItems: 'flex-start', gap: 1, mb: 1.5 } as const;
