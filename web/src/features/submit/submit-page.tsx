import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Page } from '../../components/app-shell.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyNotice } from '../../components/notice.tsx';
import { useRights } from '../../components/use-rights.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { choiceOf, NO_CHOICE } from './mcp-choice.ts';
import { type Draft, SubmitForm } from './submit-form.tsx';
import { useEarlierAlert } from './use-earlier-alert.ts';

const EMPTY: Draft = { data: '', alertType: '', runbookUrl: '', team: '', tools: NO_CHOICE };

export default function SubmitPage() {
  useDocumentTitle('Submit alert');
  const { wanted, loading, alert } = useEarlierAlert();
  const why = useRights().whyNot('SUBMIT_ALERTS');
  if (why !== null)
    return (
      <Page>
        <Box sx={{ maxWidth: 880 }}>
          <EmptyNotice title="You cannot submit alerts">{why}</EmptyNotice>
        </Box>
      </Page>
    );
  return (
    <Page>
      <Box sx={{ maxWidth: 880 }}>
        <Typography variant="h1" sx={{ mb: 2 }}>
          {wanted ? 'Submit again' : 'Submit alert'}
        </Typography>
        {wanted && !loading ? (
          <Alert
            severity={alert === null ? 'warning' : 'info'}
            variant="outlined"
            sx={{ mb: 2, bgcolor: 'background.paper' }}
          >
            {alert === null
              ? 'Could not load the earlier session. Fill in the form yourself.'
              : 'Filled in from the earlier session, with secrets masked. Edit the form as needed.'}
          </Alert>
        ) : null}
        {loading ? (
          <Loading label="Loading earlier alert" shape="fields" />
        ) : (
          <SubmitForm
            key={alert?.id ?? ''}
            initial={
              alert === null
                ? EMPTY
                : {
                    data: alert.alertData,
                    alertType: alert.alertType,
                    runbookUrl: alert.runbookUrl ?? '',
                    team: alert.team ?? '',
                    tools: choiceOf(alert.mcpSelection),
                  }
            }
          />
        )}
      </Box>
    </Page>
  );
}
