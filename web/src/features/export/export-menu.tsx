import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useId, useState } from 'react';
import { useClient } from 'urql';
import { CopyIcon, DownloadIcon } from '../../components/icons.tsx';
import { toolButton } from '../../components/tool-button.ts';
import { type ExportFormat, SessionExportDocument } from '../../graphql/gen/documents.ts';
import { requestOnce } from '../../graphql/request.ts';
import { copyText } from '../../lib/copy-text.ts';
import { saveFile } from '../../lib/save-file.ts';

const FORMATS = {
  MARKDOWN: { name: 'Markdown', ending: '.md', type: 'text/markdown' },
  JSON: { name: 'JSON', ending: '.json', type: 'application/json' },
  POSTMORTEM: { name: 'postmortem draft', ending: '-postmortem.md', type: 'text/markdown' },
} as const satisfies Record<ExportFormat, object>;

const TIMEOUT_MS = 30_000;

/** Copies or downloads the session in several formats. */
export function ExportMenu({ sessionId }: { sessionId: string }) {
  const client = useClient();
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [reading, setReading] = useState(false);
  const [message, setMessage] = useState('');
  const exportSession = async (format: ExportFormat, action: 'copy' | 'save'): Promise<void> => {
    setAnchor(null);
    setReading(true);
    setMessage('');
    try {
      const variables = { id: sessionId, format };
      const { session } = await requestOnce(
        client,
        SessionExportDocument,
        variables,
        AbortSignal.timeout(TIMEOUT_MS),
      );
      if (session === null) throw new Error('The session no longer exists.');
      setMessage(await deliver(session.export, format, action, sessionId));
    } catch {
      setMessage('Export failed. Try again.');
    }
    setReading(false);
  };
  return (
    <Box sx={{ position: 'relative' }}>
      <Box role="status" sx={outcome}>
        {message}
      </Box>
      <Button
        color="inherit"
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        loading={reading}
        onClick={(event) => setAnchor(event.currentTarget)}
        sx={toolButton}
      >
        <DownloadIcon />
        Export
      </Button>
      <Menu id={id} anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        {(Object.keys(FORMATS) as ExportFormat[]).flatMap((format) => [
          <MenuItem key={`copy ${format}`} onClick={() => void exportSession(format, 'copy')} sx={{ gap: 1 }}>
            <CopyIcon sx={{ fontSize: 18 }} />
            Copy {FORMATS[format].name}
          </MenuItem>,
          <MenuItem key={`save ${format}`} onClick={() => void exportSession(format, 'save')} sx={{ gap: 1 }}>
            <DownloadIcon sx={{ fontSize: 18 }} />
            Download {FORMATS[format].name}
          </MenuItem>,
        ])}
      </Menu>
    </Box>
  );
}

// Placed below the button, because a message beside it would move the other buttons.
const outcome = {
  position: 'absolute',
  top: '100%',
  right: 0,
  zIndex: 1,
  px: 0.5,
  bgcolor: 'background.default',
  color: 'text.secondary',
  fontSize: '0.8125rem',
  whiteSpace: 'nowrap',
} as const;

/** Copies the exported text to the clipboard or saves it as a file; returns the message to show. */
async function deliver(
  text: string,
  format: ExportFormat,
  action: 'copy' | 'save',
  id: string,
): Promise<string> {
  const { ending, type } = FORMATS[format];
  if (action === 'copy') return (await copyText(text)) === 'done' ? 'Copied' : 'Copy failed';
  saveFile(text, `tarsy-${id.slice(-12).replace(/[^\w-]/g, '')}${ending}`, type);
  return '';
}
