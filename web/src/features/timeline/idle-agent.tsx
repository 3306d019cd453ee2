import Box from '@mui/material/Box';
import { SystemWarningsDocument } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';

/** Shows what an agent does before its first item arrives. */
export function IdleAgent() {
  // The app shell keeps the warnings current.
  const [{ data }] = useQuery({ query: SystemWarningsDocument, requestPolicy: 'cache-only' });
  const isAway = data?.systemWarnings.some(({ category }) => category === 'llm_service');
  return (
    <Box sx={{ px: 1.5, py: 1, fontSize: '0.8125rem', color: isAway ? 'status.late' : 'text.secondary' }}>
      {isAway
        ? 'Waiting for the model: the LLM service does not answer.'
        : 'Its tools are connected, then the model is asked.'}
    </Box>
  );
}
