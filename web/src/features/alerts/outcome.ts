import type { IntakeOutcome } from '../../graphql/gen/documents.ts';
import type { StatusTone } from '../../theme.ts';

interface OutcomeLook {
  readonly tone: StatusTone;
  readonly label: string;
}

export const outcomeLook: Readonly<Record<IntakeOutcome, OutcomeLook>> = {
  INVESTIGATED: { tone: 'running', label: 'Investigated' },
  JOINED: { tone: 'running', label: 'Joined' },
  DUPLICATE: { tone: 'queued', label: 'Duplicate' },
  RECENTLY_INVESTIGATED: { tone: 'queued', label: 'Recently investigated' },
  EXCLUDED: { tone: 'stopped', label: 'Excluded' },
  SILENCED: { tone: 'stopped', label: 'Silenced' },
  STORM: { tone: 'late', label: 'Storm' },
  FLAPPING: { tone: 'late', label: 'Flapping' },
  OVER_BUDGET: { tone: 'late', label: 'Over budget' },
  RESOLVED: { tone: 'done', label: 'Resolved' },
  CANARY: { tone: 'queued', label: 'Canary' },
  REJECTED: { tone: 'failed', label: 'Rejected' },
};
